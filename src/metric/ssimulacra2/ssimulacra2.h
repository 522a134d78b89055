// What the files of ssimulacra2 share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/plan.h"
#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/blocks/float_colors.h"
#include "metric/blocks/linear_rgb.h"
#include "metric/metric.h"

namespace acutance {

#include "kernel/fused.kernel.h"

namespace ssimulacra2 {
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"
}  // namespace ssimulacra2

inline constexpr int kSsimulacra2Scales = 6, kSsimulacra2Components = 3, kSsimulacra2MinSide = 8;
inline constexpr int kSsimulacra2Strip = 64;  // rows of a partial sum

/// Partial results of a scale: sums of each component's structure, ringing and blur, and of their 4th powers.
inline constexpr int kSsimulacra2Maps = 3, kSsimulacra2Sums = 2 * kSsimulacra2Maps,
                     kSsimulacra2Words = kSsimulacra2Components * kSsimulacra2Sums;

/// How many scales pictures of a size have (docs/spec/beyond.md 3.2).
int Ssimulacra2Scales(int width, int height);

/// Which sums of a component the score has a weight for; the others stay 0.
struct Ssimulacra2Needs {
  std::array<bool, kSsimulacra2Sums> sums;
  bool structure() const { return sums[0] || sums[kSsimulacra2Maps]; }
  bool edges() const { return sums[1] || sums[2] || sums[kSsimulacra2Maps + 1] || sums[kSsimulacra2Maps + 2]; }
};
Ssimulacra2Needs NeedsOf(int scale, int component, int scales);

/// Half the size: the mean of each 2x2 pixels. With SIMD (Highway).
void HalveSsimulacra2(const FloatColors& from, int plane, int width, int height, float* to);

/// The same in plain loops, the reference implementation; and columns [begin, end) of a row, from two rows of pixels.
void HalveSsimulacra2Ref(const FloatColors& from, int plane, int width, int height, float* to);
void HalveSsimulacra2Row(const float* above, const float* below, int from_width, RowBand columns, float* to);

/// A picture, and what gets its light at half the size: three planes without gaps between their rows.
struct Ssimulacra2Start {
  const Picture* picture;
  std::array<float*, 3> half;
};

/// The sums of the largest scale of several distorted pictures of one reference, with SIMD (Highway), whose light is
/// made on the way and never stored.
void Ssimulacra2StartScale(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
                           std::span<const Ssimulacra2Start> distorted, int scales,
                           std::span<const std::span<int64_t>> words);

/// The reference implementation, in plain loops, for one distorted picture.
void Ssimulacra2StartScaleRef(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
                              const Ssimulacra2Start& distorted, int scales, std::span<int64_t> words);

/// The sums of one scale of several distorted pictures of one reference, with SIMD (Highway).
/// What depends on the reference alone is made once.
void Ssimulacra2Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
                      std::span<const std::span<int64_t>> words);

/// The reference implementation, in plain loops, for one distorted picture.
void Ssimulacra2ScaleRef(const FloatColors& reference, const FloatColors& distorted, int scale, int scales,
                         std::span<int64_t> words);

/// The score of all scales' partial results.
double Ssimulacra2Score(int width, int height, std::span<const int64_t> words);

extern const Metric kSsimulacra2Metric;

/// ssimulacra2 on a device: the partial results of its Extractor, bit for bit.
Result<Plan> MakeSsimulacra2Plan(const LinearRgbSettings& settings, const PlanContext& context);

}  // namespace acutance
