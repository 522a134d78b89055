#include "devices/test_picture.h"

#include <algorithm>

namespace acutance {
namespace {

/// A ramp that moves, with a checker of full contrast and a hash in the low bits: no two frames or planes are alike,
/// and sums use all their bits.
uint32_t PatternSample(int x, int y, int frame, int plane, int salt, int bit_depth) {
  const uint32_t max = (1u << bit_depth) - 1;
  if ((x / 7 + y / 5 + frame + plane) % 11 == 0) return (x + y) % 2 ? max : 0;
  const uint32_t hash = (x * 2654435761u) ^ (y * 40503u + frame * 97u + plane * 31u + salt * 7919u) * 2246822519u;
  return (static_cast<uint32_t>(x * 3 + y * 2 + frame * 5) * (max / 255 + 1) + (hash >> 20) % (max / 8 + 1)) & max;
}

/// The pattern stretched around its middle, in parts of 64.
uint32_t EnhancedSample(int x, int y, int frame, int plane, int salt, int bit_depth) {
  const int64_t max = (int64_t{1} << bit_depth) - 1, middle = max / 2;
  const int64_t sample = PatternSample(x, y, frame, plane, salt, bit_depth);
  const int64_t contrast = 32 + (x / 3 + y / 2 + frame) % 128;
  return static_cast<uint32_t>(std::clamp<int64_t>(middle + (sample - middle) * contrast / 64, 0, max));
}

template <class Sample>
Result<Picture> MakePicture(const PictureFormat& format, Sample sample_at) {
  ACU_ASSIGN_OR_RETURN(const MutablePicture picture, AllocatePicture(format));
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const uint32_t sample = sample_at(x, y, p);
        std::byte* row = picture.data[p] + y * picture.stride[p];
        if (format.bit_depth == 8) reinterpret_cast<uint8_t*>(row)[x] = static_cast<uint8_t>(sample);
        else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
      }
  return picture.Share();
}

}  // namespace

Result<Picture> MakeTestPicture(const PictureFormat& format, int frame, int salt) {
  return MakePicture(
      format, [&](int x, int y, int plane) { return PatternSample(x, y, frame, plane, salt, format.bit_depth); });
}

Result<Picture> MakeEnhancedPicture(const PictureFormat& format, int frame, int salt) {
  return MakePicture(
      format, [&](int x, int y, int plane) { return EnhancedSample(x, y, frame, plane, salt, format.bit_depth); });
}

}  // namespace acutance
