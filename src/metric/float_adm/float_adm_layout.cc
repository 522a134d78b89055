// Sizes and contrast sensitivity (docs/spec/core.md 4.4).
#include <algorithm>
#include <cmath>
#include <string>

#include "math/exact_math.h"
#include "metric/blocks/contrast_sensitivity.h"
#include "metric/float_adm/float_adm.h"

namespace acutance {
namespace {

enum CsfMode { kWatson = 0, kBartenModel = 1, kNative = 2 };  // all others: Watson's

float NativeFactor(int scale, float pixels_per_degree, bool is_diagonal) {
  const float frequency = static_cast<float>(pixels_per_degree / std::ldexp(1.0, scale + 1));
  const float f = is_diagonal ? static_cast<float>(frequency / 0.7) : frequency;
  return static_cast<float>((0.31 + 0.69 * f) * Exp(-0.29 * f));
}

float Factor(const OptionValues& options, int scale, bool is_diagonal) {
  const double given = options.Double((is_diagonal ? "adm_f2s" : "adm_f1s") + std::to_string(scale));
  if (given >= 0) return static_cast<float>(given);
  const float r = PixelsPerDegree(options.Double("adm_norm_view_dist"), options.Int("adm_ref_display_height"));
  switch (options.Int("adm_csf_mode")) {
    case kBartenModel:
      return Barten(scale, r, options.Double(is_diagonal ? "adm_csf_diag_scale" : "adm_csf_scale"));
    case kNative:
      return NativeFactor(scale, r, is_diagonal);
    default:
      return Watson97(scale, r, is_diagonal);
  }
}

FloatAdmRange ScoredRange(int n) {
  const int margin = std::max((n - 5) / 10, 0);
  return {margin, n - margin};
}

}  // namespace

FloatAdmSettings ReadFloatAdmSettings(const OptionValues& options) {
  FloatAdmSettings settings = {.factors = {},
                               .gain_limit = options.Double("adm_enhn_gain_limit"),
                               .p_norm = static_cast<float>(options.Double("adm_p_norm")),
                               .masks = options.Int("adm_bypass_cm") == 0,
                               .scale0 = !options.Bool("adm_skip_scale0"),
                               .noise_weight = options.Double("adm_noise_weight"),
                               .dlm_weight = options.Double("adm_dlm_weight"),
                               .min_val = options.Double("adm_min_val"),
                               .no_aim_scale = options.Int("adm_skip_aim_scale"),
                               .harmonic = options.Bool("adm_adm3_apply_hm"),
                               .debug = options.Bool("debug")};
  for (int scale = 0; scale < kFloatAdmScales; ++scale) {
    const float hv = Factor(options, scale, false);
    settings.factors[scale] = {hv, hv, Factor(options, scale, true)};
  }
  return settings;
}

FloatAdmLayout MakeFloatAdmLayout(const FloatAdmSettings& settings, const PictureFormat& format) {
  FloatAdmLayout layout = {.bit_depth = format.bit_depth,
                           .scales = {},
                           .gain_limit = settings.gain_limit,
                           .p_norm = settings.p_norm,
                           .masks = settings.masks};
  int width = format.width, height = format.height;
  for (int scale = 0; scale < kFloatAdmScales; ++scale) {
    const int band_width = (width + 1) / 2, band_height = (height + 1) / 2;
    layout.scales[scale] = {.width = width,
                            .height = height,
                            .band_width = band_width,
                            .band_height = band_height,
                            .columns = ScoredRange(band_width),
                            .rows = ScoredRange(band_height),
                            .factor = settings.factors[scale],
                            .scored = scale > 0 || settings.scale0};
    width = band_width;
    height = band_height;
  }
  return layout;
}

ScaleRows FloatAdmLayout::rows() const {
  ScaleRows rows = {.heights = {}, .per_row = kFloatAdmSums};
  for (const FloatAdmScale& scale : scales) rows.heights.push_back(scale.band_height);
  return rows;
}

std::vector<PictureSize> FloatAdmLayout::smaller_sizes() const {
  std::vector<PictureSize> sizes;
  for (int scale = 1; scale < kFloatAdmScales; ++scale) sizes.push_back({scales[scale].width, scales[scale].height});
  return sizes;
}

FloatAdmBuffers::FloatAdmBuffers(const FloatAdmLayout& layout)
    : samples(2 * kSampleRows, layout.scales[0].width),
      columns(8, layout.scales[0].band_width + 1),
      ring(kRing * kRingRows, layout.scales[0].band_width) {}

}  // namespace acutance
