// Planes and pictures that metric tests make of a function of the position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "image/picture.h"

namespace acutance {

/// A plane that begins `lead` samples into its memory, which ends right after the last sample, so
/// that sanitizers see reads beyond it. Between rows stand `gap` samples of no row.
class TestPlane {
 public:
  template <class Fill>  // (x, y) -> sample
  TestPlane(int width, int height, int bit_depth, Fill fill, int lead = 0, int gap = 0) {
    const int sample_bytes = bit_depth > 8 ? 2 : 1, pitch = width + gap;
    bytes_.resize((static_cast<size_t>(pitch) * height - gap + lead) * sample_bytes);
    std::byte* first = bytes_.data() + lead * sample_bytes;
    plane_ = {first, static_cast<ptrdiff_t>(pitch) * sample_bytes, width, height};
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < (y + 1 < height ? pitch : width); ++x) {
        const uint16_t sample = static_cast<uint16_t>(fill(x, y));
        std::byte* to = first + (static_cast<size_t>(y) * pitch + x) * sample_bytes;
        if (bit_depth > 8) std::memcpy(to, &sample, 2);
        else *to = static_cast<std::byte>(sample);
      }
  }
  TestPlane(const TestPlane&) = delete;
  TestPlane(TestPlane&&) = default;

  const Plane& plane() const { return plane_; }

 private:
  std::vector<std::byte> bytes_;
  Plane plane_;
};

/// A picture of test planes.
template <class Fill>  // (plane, x, y) -> sample
Picture MakeTestPicture(const PictureFormat& format, Fill fill) {
  auto planes = std::make_shared<std::vector<TestPlane>>();
  Picture picture = {.format = format};
  for (int p = 0; p < format.PlaneCount(); ++p) {
    planes->emplace_back(format.PlaneWidth(p), format.PlaneHeight(p), format.bit_depth,
                         [&](int x, int y) { return fill(p, x, y); });
    picture.planes[p] = planes->back().plane();
  }
  picture.memory = planes;
  return picture;
}

/// What a two-picture metric is tested on.
struct PicturePair {
  Picture reference, distorted;
};

inline uint16_t SampleAt(const Plane& plane, int bit_depth, int x, int y) {
  return bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
}

// --- The film of the known answers (docs/spec/core.md 5); k is the frame.

inline int FilmSample(int x, int y, int k) {
  const auto floor_div = [](int a, int b) { return a / b - (a % b < 0); };
  const int value = 128 + floor_div((x - 32 + 2 * k) * (y - 20 - k) * 3, 16) + (x * x + 3 * y * y + 17 * k) / 8 % 64;
  return value - floor_div(value, 256) * 256;
}

inline int DistortedFilmSample(int x, int y, int k) {
  const int sample = FilmSample(x, y, k) * 7 / 8 + 12 + (31 * x + 17 * y + 5 * k) % 16 - 8;
  return sample < 0 ? 0 : sample > 255 ? 255 : sample;
}

/// Above 8 bits the lowest bits count columns, in the distorted film diagonals. Chroma shows other
/// frames.
inline Picture FilmPicture(const PictureFormat& format, int k, bool distorted = false) {
  constexpr int kOffset[] = {0, 7, 13};
  return MakeTestPicture(format, [&](int p, int x, int y) {
    const int frame = k + kOffset[p];
    const int sample = distorted ? DistortedFilmSample(x, y, frame) : FilmSample(x, y, frame);
    if (format.bit_depth == 8) return sample;
    return (sample << (format.bit_depth - 8)) + ((distorted ? x + y : x) & 3);
  });
}

}  // namespace acutance
