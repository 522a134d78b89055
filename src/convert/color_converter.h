// Color and range conversion: YUV 4:4:4 of red, green and blue, full or limited range, in whole numbers, with the same
// bits on every processor. A deeper bit depth comes in the same step, so that values are rounded once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "image/picture.h"
#include "image/picture_pool.h"

namespace acutance {

/// Sample p of a result: (sum of weights[p][c] * sample c + bias[p]) >> bits, clamped to `bit_depth` bits. Samples
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
/// 235 m, and limited chroma 16 m to 240 m; full luma is 0 to 2^b - 1, and full chroma the same range round 128 m.
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

/// Converts the samples of pictures of one format; the result has that format, except the bit depth. Threads may share
/// it.
class ColorConverter {
 public:
  /// Weights that mix planes need pictures of 4:4:4.
  ColorConverter(const PictureFormat& source, const ColorWeights& weights);

  const PictureFormat& source_format() const { return source_format_; }
  const PictureFormat& format() const { return format_; }
  const ColorWeights& weights() const { return weights_; }
  /// The planes of the source that samples of a plane are computed from.
  std::vector<int> SourcesOf(int plane) const;

  /// A picture in memory of `pool`. Planes stay empty where the source lacks one that they are computed from, and so do
  /// those of chroma where luma alone is requested.
  Result<Picture> Convert(const Picture& source, PicturePool& pool, bool luma_only = false) const;

 private:
  void MakePlane(const Picture& source, const MutablePicture& to, int plane) const;

  const PictureFormat source_format_;
  PictureFormat format_;
  const ColorWeights weights_;
  std::array<std::vector<uint16_t>, 3> tables_;  // the result for each value, for planes computed from one
};

}  // namespace acutance
