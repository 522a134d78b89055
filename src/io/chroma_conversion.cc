#include "io/chroma_conversion.h"

#include <algorithm>
#include <array>

namespace acutance {
namespace {

constexpr std::array<int, 4> kEvenTaps{1, 110, 18, -1};
constexpr std::array<int, 4> kOddTaps{-3, 50, 86, -5};
constexpr std::array<int, 6> kShiftTaps{4, -17, 114, 35, -9, 1};

/// (sum of taps[k] * sample(first + k) + 64) >> 7, edges repeated, clamped to 0..255.
template <size_t kTaps>
uint8_t Filter(const uint8_t* samples, int stride, int count, int first, const std::array<int, kTaps>& taps) {
  int sum = 64;
  for (size_t k = 0; k < kTaps; ++k)
    sum += taps[k] * samples[std::clamp(first + static_cast<int>(k), 0, count - 1) * stride];
  return static_cast<uint8_t>(std::clamp(sum >> 7, 0, 255));
}

}  // namespace

BytePlane WidenTwice(std::span<const uint8_t> half, int half_width, int height, int width) {
  BytePlane out{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * height)};
  for (int y = 0; y < height; ++y) {
    const uint8_t* row = half.data() + static_cast<size_t>(y) * half_width;
    uint8_t* to = out.samples.data() + static_cast<size_t>(y) * width;
    for (int x = 0; x < width; ++x) to[x] = Filter(row, 1, half_width, x / 2 - 1, x % 2 == 0 ? kEvenTaps : kOddTaps);
  }
  return out;
}

BytePlane MovePaldvChroma(std::span<const uint8_t> plane, int width, int height, bool is_cb) {
  BytePlane moved{width, height, std::vector<uint8_t>(plane.size())};
  for (int y = 0; y < height; ++y) {
    const size_t row = static_cast<size_t>(y) * width;
    for (int x = 0; x < width; ++x) moved.samples[row + x] = Filter(plane.data() + row, 1, width, x - 2, kShiftTaps);
  }
  std::array<int, 6> taps = kShiftTaps;
  if (is_cb) std::reverse(taps.begin(), taps.end());
  BytePlane out{width, height, std::vector<uint8_t>(plane.size())};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out.samples[static_cast<size_t>(y) * width + x] =
          Filter(moved.samples.data() + x, width, height, y - (is_cb ? 3 : 2), taps);
  return out;
}

}  // namespace acutance
