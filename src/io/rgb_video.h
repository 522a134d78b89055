// A video of red, green and blue as one of luma and chroma.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "io/video_source.h"

namespace acutance {

/// Y, Cb and Cr of red, green and blue: (sum of weights[c] * sample + bias[p]) >> kBits, kept within the samples' bits.
struct RgbWeights {
  static constexpr int kBits = 24;
  std::array<std::array<int64_t, 3>, 3> weights{};
  std::array<int64_t, 3> bias{};  // half of a step for rounding included
};

/// Unknown and other matrices are BT.709. Grays become gray exactly: the weights of chroma add up to 0.
RgbWeights MakeRgbWeights(Matrix matrix, bool full_range, int bit_depth);

/// `source` gives 4:4:4 pictures whose planes are red, green and blue, of full range. The result is YUV 4:4:4 by BT.709
/// of limited range, unless SetRgbColor says another.
std::unique_ptr<VideoSource> ConvertRgb(std::unique_ptr<VideoSource> source);

}  // namespace acutance
