// What the files of cambi share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace cambi {
#include "metric/cambi/cambi_heat_math.kernel.h"
#include "metric/cambi/cambi_math.kernel.h"
}  // namespace cambi

inline constexpr int kCambiScales = 5;
inline constexpr int kCambiCodes = 1025;                  // 10-bit codes, and 1024 (ten_bit_code)
inline constexpr int kCambiMaxWindow = 65;                // a side of the window in which values are counted
inline constexpr int kCambiMaxContrasts = 32;             // steps between values that are compared
inline constexpr int kCambiPassWords = 2 * kCambiScales;  // of a frame's results: whole and fraction of a CambiSum each
inline constexpr int kCambiFractionBits = 24;             // of a contrast: 0, or at least 1/2, and floats have 24 bits

/// One of the videos that are scored.
struct CambiPass {
  int input;  // index into Metric::inputs
  int width;  // of the picture that is scored,
  int height;
  int window;        // side of the window, odd
  int mask_minimum;  // equal pixels in 7x7, above which a pixel counts
};

/// The options, checked (docs/spec/siblings.md 1.2).
struct CambiOptions {
  PictureSize encode, source;  // as an option says; a side of 0: the videos' size
  int half_from = 0;           // pictures of as many lines and more are halved first; 0: none
  int window_size = 0;
  bool full_reference = false;
  int encoded_depth = 0;  // 0: the videos'
  double top_share = 0;   // of the contrasts, which count
  double max_value = 0;
  int contrasts = 0;               // steps 1..contrasts between values
  std::vector<int> steps_limit{};  // per step: the largest value that is compared with value +- step
  int low_limit = 0;               // value + contrasts + step must be above
  std::string heatmaps_path{};
};

Result<CambiOptions> ReadCambiOptions(const OptionValues& options);

/// What the options and the format come to.
struct CambiSettings : CambiOptions {
  PictureFormat format;  // of the videos
  std::vector<CambiPass> passes;
  bool filter_dither = false;
  bool half_size = false;  // scale 0 is half the picture
};

Result<CambiSettings> MakeCambiSettings(const CambiOptions& options, const PictureFormat& format);

/// Weight of step d + 1.
int CambiWeight(int d);

/// Whether a pixel of this value is compared with value +- (d + 1).
inline bool CambiCompares(const CambiSettings& settings, int value, int d) {
  return value <= settings.steps_limit[d] && value + settings.contrasts + d + 1 > settings.low_limit;
}

/// A pixel's heat in a heatmap is its contrast times this (cambi::heat_of).
double CambiHeatScale(const CambiPass& pass, int contrasts);

/// Width and height of a scale.
PictureSize CambiScaleSize(const CambiSettings& settings, const CambiPass& pass, int scale);

/// [i]: the float nearest to 1 / i in nine decimal digits; [0]: 0. Up to kCambiMaxWindow^2.
std::span<const float> CambiReciprocals();

/// Where sample i of `size` samples reads one of `from` samples: the nearest.
std::vector<int> CambiNearest(int from, int size);

/// A sum of contrasts, exactly: whole + fraction / 2^kCambiFractionBits.
struct CambiSum {
  int64_t whole = 0;
  int64_t fraction = 0;

  bool operator==(const CambiSum&) const = default;
};

/// The same sum with a fraction below 1.
inline CambiSum Canonical(CambiSum sum) {
  return {sum.whole + (sum.fraction >> kCambiFractionBits), sum.fraction & ((1 << kCambiFractionBits) - 1)};
}

/// How many of a scale's contrasts count: the largest ones.
int64_t CambiTopCount(double share, PictureSize size);

/// What a pass comes to.
struct CambiPassResult {
  std::array<CambiSum, kCambiScales> sums{};  // of the contrasts that count
  int64_t invalid = 0;                        // samples above the bit depth
  std::array<std::vector<float>, kCambiScales> contrasts{};
};

/// A pass in plain loops, the reference implementation.
CambiPassResult RunCambiRef(const CambiSettings& settings, const CambiPass& pass, const Plane& plane);

/// The same on a device.
Result<Plan> MakeCambiPlan(const CambiOptions& options, const PlanContext& context);

extern const Metric kCambiMetric;

}  // namespace acutance
