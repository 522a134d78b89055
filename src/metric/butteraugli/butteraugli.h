// What the files of butteraugli share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "exec/plan.h"
#include "kernel/kernel.h"
#include "metric/blocks/float_colors.h"
#include "metric/blocks/linear_rgb.h"
#include "metric/metric.h"

namespace acutance {

#include "kernel/fused.kernel.h"

namespace butteraugli {
#include "metric/butteraugli/butteraugli_math.kernel.h"
}  // namespace butteraugli

inline constexpr int kButteraugliMinSide = 8;         // smaller pictures are extended
inline constexpr int kButteraugliMinHalvedSide = 15;  // smaller pictures are compared at one scale

/// Whether pictures are also compared at half their size.
inline bool HasButteraugliHalf(const PictureFormat& format) {
  return std::min(format.width, format.height) >= kButteraugliMinHalvedSide;
}

/// Small pictures become as large as the least, in whose middle they lie.
inline PictureSize ButteraugliSize(const PictureFormat& format) {
  return {std::max(format.width, kButteraugliMinSide), std::max(format.height, kButteraugliMinSide)};
}

/// Where they lie.
inline PictureSize ButteraugliOffset(const PictureFormat& format) {
  const PictureSize size = ButteraugliSize(format);
  return {(size.width - format.width) / 2, (size.height - format.height) / 2};
}

/// Rows of a strip, which has its own sums.
inline constexpr int kButteraugliStrip = 64;

/// Partial results of a strip: the largest value of its map, as a double, and sums of powers.
enum ButteraugliWord { kButteraugliMax, kButteraugliSum3, kButteraugliSum6, kButteraugliSum12, kButteraugliSumQ };
inline constexpr int kButteraugliWords = 5;

inline constexpr std::string_view kButteraugliMap = "butteraugli_map";  // the artifact

/// A Gaussian blur whose weights are normalised where the picture cuts them off.
struct ButteraugliBlur {
  ButteraugliBlur(double sigma);

  int radius;
  std::vector<float> whole;   // 2 * radius + 1
  std::vector<float> inside;  // of the first radius + 1, divided by the sum of all

  /// 1 / the sum of the weights that the picture has at `position` of `size` samples.
  float Share(int position, int size) const;
};

/// Weights of the difference of one band.
struct ButteraugliBand {
  butteraugli::MaltaWeights malta;
  float square, square_of_side;  // where squares are added, too
};

struct ButteraugliConstants {
  ButteraugliConstants();

  ButteraugliBlur around, highest, mask, high, low;
  std::array<ButteraugliBand, 2> highest_band, high_band, middle_band;  // x, y
  std::array<float, 3> middle_squares, low_squares;                     // x, y, b
};

const ButteraugliConstants& GetButteraugliConstants();

/// Half the size, rounded up: the mean of each 2x2 pixels; pixels that an odd size lacks count as 0, and what is left
/// counts twice. `to` gets columns [begin, (width + 1) / 2).
void HalveButteraugliRow(const FloatColors& from, int plane, int y, int begin, float* to);

/// Sums of a strip's rows, column by column.
struct ButteraugliSums {
  ButteraugliSums(int width, int exponent) : q(exponent) {
    for (auto& column : columns) column.resize(width);
  }

  int q;
  float largest = 0;
  std::array<std::vector<double>, 4> columns;  // of the powers 3, 6, 12 and q
};

/// Makes `row` of both scales' rows, where `half` may be null, and adds it to `sums`. With SIMD (Highway).
void AddButteraugliRow(const float* own, const float* half, int width, float* row, ButteraugliSums& sums);

/// The same in plain loops, of columns [begin, end).
void AddButteraugliRowRef(const float* own, const float* half, int begin, int end, float* row, ButteraugliSums& sums);

/// Receives the rows of a map.
class ButteraugliRows {
 public:
  virtual ~ButteraugliRows() = default;
  virtual void Take(int y, const float* row) = 0;
};

/// Rows [band.begin, band.end) of the map of one scale, of each distorted picture. With `halved` the scale is that of
/// half the pictures' size.
class ButteraugliSweep {
 public:
  virtual ~ButteraugliSweep() = default;
  virtual void Run(const FloatColors& reference, std::span<const FloatColors> distorted, bool halved, float nits,
                   RowBand band, std::span<ButteraugliRows* const> to) = 0;
};

/// With SIMD (Highway). `width` is that of the widest pictures that will come.
std::unique_ptr<ButteraugliSweep> MakeButteraugliSweep(int width);

/// The same in plain loops, the reference implementation.
std::unique_ptr<ButteraugliSweep> MakeButteraugliSweepRef();

extern const Metric kButteraugliMetric;

/// The options.
struct ButteraugliSettings {
  LinearRgbSettings light;
  float nits;  // the light of white
  int q;       // the exponent of butteraugli_qnorm
};

/// butteraugli on a device: the partial results of its Extractor, bit for bit, and its map.
Result<Plan> MakeButteraugliPlan(const ButteraugliSettings& settings, const PlanContext& context);

}  // namespace acutance
