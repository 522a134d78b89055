#include "tests/parity/pictures.h"

#include <cstdlib>
#include <cstring>
#include <random>

namespace acutance {
namespace {

uint32_t SampleOf(Content content, int x, int y, int frame, uint32_t max, std::mt19937& random) {
  switch (content) {
    case Content::kNoise:
      return random() & max;
    case Content::kExtremes:
      return random() & 64 ? max : 0;
    case Content::kFlips:
      return frame % 2 ? max : 0;
    case Content::kChecks:
      return (x + frame + y) % 2 ? max : 0;
    case Content::kFilm:
      return static_cast<uint32_t>((3 * x + 5 * y + 11 * frame) % 997 * (max / 1024 + 1) + random() % 8) & max;
    case Content::kBands: {
      const uint32_t step = max / 1024 + 1, band = static_cast<uint32_t>(x / 11 + y / 13 + frame) % 9;
      return 36 * ((max + 1) / 256) + step * (band + (random() % 24 == 0 ? 1 : 0));
    }
  }
  std::abort();
}

Picture MakePicture(const PictureFormat& format, Content content, int frame, std::mt19937& random) {
  auto allocated = AllocatePicture(format);
  if (!allocated.ok()) std::abort();
  const MutablePicture& picture = *allocated;
  const uint32_t max = (1u << format.bit_depth) - 1;
  const int bytes = format.BytesPerSample();
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const uint16_t sample = static_cast<uint16_t>(SampleOf(content, x, y, frame + p, max, random));
        std::memcpy(picture.data[p] + y * picture.stride[p] + x * bytes, &sample, bytes);  // little endian
      }
  return picture.Share();
}

}  // namespace

std::string_view ContentName(Content content) {
  constexpr std::string_view kNames[] = {"noise", "extremes", "flips", "checks", "film", "bands"};
  return kNames[static_cast<int>(content)];
}

std::vector<Picture> MakeClip(const PictureFormat& format, Content content, int frames, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Picture> clip;
  for (int frame = 0; frame < frames; ++frame) clip.push_back(MakePicture(format, content, frame, random));
  return clip;
}

}  // namespace acutance
