// How samples of other colors or of another range become a video's, in whole numbers: the same bits on every processor.
#pragma once

#include <array>
#include <cstdint>

namespace acutance {

/// Sample p of a result: (sum of weights[p][c] * sample c + bias[p]) >> bits, kept within `bit_depth` bits. Samples
/// beyond their bits count as the largest.
struct ColorWeights {
  int bits = 0;
  int bit_depth = 8;  // of the result
  std::array<std::array<int64_t, 3>, 3> weights{};
  std::array<int64_t, 3> bias{};  // half of a step for rounding included
};

/// The shares of red and blue in luma, in ten-thousandths.
struct LumaShares {
  int64_t red, blue;
};

/// How samples measure light and color (ITU-R BT.2100, table 9): with b bits and m = 2^(b-8), limited luma is 16 m to
/// 235 m, and limited chroma 16 m to 240 m; full luma is 0 to 2^b - 1, and full chroma as much round 128 m.
struct SampleRange {
  bool is_full;
  int bit_depth;
};

/// Y, Cb and Cr of red, green and blue of full range, by weights of 24 bits. Grays become gray exactly: the weights of
/// chroma add up to 0.
ColorWeights WeightsOfRgb(const LumaShares& shares, int from_depth, const SampleRange& range);

/// From one range to another of as many bits or more. Rounded to nearest, and in the middle away from black and from
/// gray, which weights of 36 bits do exactly (color_test.cc).
ColorWeights WeightsOfRange(const SampleRange& from, const SampleRange& to);

}  // namespace acutance
