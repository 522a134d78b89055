// Types and entry points that the files of float_vif share.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/kernel.h"
#include "metric/blocks/float_pyramid.h"
#include "metric/blocks/resizing.h"
#include "metric/metric.h"

namespace acutance {

namespace float_vif {
#include "metric/float_vif/float_vif_math.kernel.h"
}  // namespace float_vif

inline constexpr int kFloatVifScales = 4;

/// The option's values that pixels need.
struct FloatVifPixel {
  double noise;
  float flat_factor;
  float gain_limit;
};

/// The least float that is not below `value`.
inline float LeastFloatNotBelow(double value) {
  const float near = static_cast<float>(value);
  return static_cast<double>(near) < value ? std::nextafter(near, HUGE_VALF) : near;
}

/// The options, checked.
struct FloatVifSettings {
  float kernel_scale;
  double prescale;
  ResizingMethod prescale_method;
  bool skip_scale0;
  FloatVifPixel pixel;
  std::array<double, kFloatVifScales> least;  // scores of the scales
  bool debug;
};

/// Fails for a filter that libvmaf does not know.
Result<FloatVifSettings> ReadFloatVifSettings(const OptionValues& options);

/// Sizes, filters and options, for one picture format.
struct FloatVifLayout {
  FloatVifSettings settings;
  Resizing resizing;
  int bit_depth;
  std::array<std::vector<float>, kFloatVifScales> taps;

  int width(int scale) const { return resizing.width() >> scale; }
  int height(int scale) const { return resizing.height() >> scale; }
  int radius(int scale) const { return static_cast<int>(taps[scale].size()) / 2; }
  int widest_reach() const { return radius(0); }
  ScaleRows rows() const;                          // whose sums are results
  std::vector<PictureSize> smaller_sizes() const;  // of scales 1 to 3
};

/// Fails for pictures that a filter would mirror twice.
Result<FloatVifLayout> MakeFloatVifLayout(const FloatVifSettings& settings, const PictureFormat& format);

/// Row buffers of one thread.
struct FloatVifBuffers : Workspace {
  explicit FloatVifBuffers(const FloatVifLayout& layout);

  static constexpr int kMaxLanes = 16;  // rows that are scored at a time
  static constexpr int kPiece = 64;     // columns of them

  FloatRows samples;  // of both videos, those that the filter reaches from the rows that are scored
  FloatRows columns;  // every other row of an image filtered down the columns, for the next scale
  FloatRows halves;   // even and odd columns of one of these
  FloatRows moments;  // five of a piece and of the columns next to it that the filter reaches, rows in lanes
};

/// words[y], the running float sums of a row's terms (num in the lower half), for the rows of
/// `band` at `scale`; and the rows of the next scale's images whose double lies in the band. With SIMD (Highway).
void FloatVifBand(const FloatVifLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
                  FloatVifBuffers& buffers, std::span<int64_t> words);

/// The same in plain loops, the reference implementation.
void FloatVifBandRef(const FloatVifLayout& layout, int scale, RowBand band, const LumaPlanes& planes,
                     FloatPyramid& images, std::span<int64_t> words);

int64_t FloatVifWord(float num, float den);
float_vif::FloatVifTerms FloatVifTermsFrom(int64_t word);

extern const Metric kFloatVifMetric;

}  // namespace acutance
