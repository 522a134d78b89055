// Options, sizes and filters (docs/spec/core.md 4.3).
#include <algorithm>
#include <limits>

#include "metric/blocks/gaussian_taps.h"
#include "metric/blocks/words.h"
#include "metric/float_vif/float_vif.h"

namespace acutance {
namespace {

std::vector<float> TapsOf(int scale, float kernel_scale) {
  const int count = OddTapCount(static_cast<float>((1 << (4 - scale)) + 1) * kernel_scale);
  return GaussianTaps(count, static_cast<float>(count) / 5.0f);
}

/// A filter that reaches r samples is mirrored once in an image of more than r.
Status CheckSize(const FloatVifLayout& layout) {
  for (int scale = 0; scale < kFloatVifScales; ++scale) {
    const int least = std::min(layout.width(scale), layout.height(scale));
    if (least <= layout.radius(scale))
      return Error(StatusCode::kInvalidArgument,
                   "float_vif needs more than {} rows and columns at scale {}; {}x{} pictures have {}x{} there",
                   layout.radius(scale), scale, layout.width(0), layout.height(0), layout.width(scale),
                   layout.height(scale));
  }
  return {};
}

}  // namespace

Result<FloatVifSettings> ReadFloatVifSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const float kernel_scale,
                       CheckKernelScale("vif_kernelscale", options.Double("vif_kernelscale")));
  ACU_ASSIGN_OR_RETURN(const ResizingMethod method,
                       FindResizingMethod("vif_prescale_method", options.String("vif_prescale_method")));
  const double noise = options.Double("vif_sigma_nsq");
  return FloatVifSettings{.kernel_scale = kernel_scale,
                          .prescale = options.Double("vif_prescale"),
                          .prescale_method = method,
                          .skip_scale0 = options.Bool("vif_skip_scale0"),
                          .pixel = {.noise = noise,
                                    .flat_factor = static_cast<float>(noise * noise / (255.0 * 255.0)),
                                    .gain_limit = static_cast<float>(options.Double("vif_enhn_gain_limit"))},
                          .least = {-std::numeric_limits<double>::infinity(), options.Double("vif_scale1_min_val"),
                                    options.Double("vif_scale2_min_val"), options.Double("vif_scale3_min_val")},
                          .debug = options.Bool("debug")};
}

Result<FloatVifLayout> MakeFloatVifLayout(const FloatVifSettings& settings, const PictureFormat& format) {
  const double prescale = settings.prescale;
  const int width = static_cast<int>(format.width * prescale + 0.5);
  const int height = static_cast<int>(format.height * prescale + 0.5);
  if (width < 1 || height < 1)
    return Error(StatusCode::kInvalidArgument, "float_vif: vif_prescale {:g} leaves nothing of {}x{}", prescale,
                 format.width, format.height);
  FloatVifLayout layout = {.resizing = Resizing(settings.prescale_method, format.width, format.height, width, height),
                           .bit_depth = format.bit_depth,
                           .skip_scale0 = settings.skip_scale0,
                           .pixel = settings.pixel,
                           .taps = {}};
  for (int scale = 0; scale < kFloatVifScales; ++scale) layout.taps[scale] = TapsOf(scale, settings.kernel_scale);
  ACU_RETURN_IF_ERROR(CheckSize(layout));
  return layout;
}

ScaleRows FloatVifLayout::rows() const { return {{height(0), height(1), height(2), height(3)}}; }

std::vector<PictureSize> FloatVifLayout::smaller_sizes() const {
  return {{width(1), height(1)}, {width(2), height(2)}, {width(3), height(3)}};
}

FloatVifBuffers::FloatVifBuffers(const FloatVifLayout& layout)
    : samples(2 * (2 * layout.widest_reach() + kMaxLanes), layout.width(0)),
      columns(kMaxLanes / 2, layout.width(0) + 2 * (layout.widest_reach() + kMaxLanes)),
      halves(2, layout.width(0) / 2 + layout.widest_reach() + 2),
      moments(5, (kPiece + 2 * layout.widest_reach() + 2 * kMaxLanes) * kMaxLanes) {}

int64_t FloatVifWord(float num, float den) {
  return static_cast<int64_t>(static_cast<uint64_t>(WordFromFloat(num)) | static_cast<uint64_t>(WordFromFloat(den))
                                                                              << 32);
}

float_vif::FloatVifTerms FloatVifTermsFrom(int64_t word) {
  return {FloatFromWord(word), FloatFromWord(static_cast<int64_t>(static_cast<uint64_t>(word) >> 32))};
}

}  // namespace acutance
