// float_vif on devices: a launch for each scale, and before them one that resizes the pictures.
#include <array>
#include <cmath>
#include <limits>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/scale_images.h"
#include "metric/float_vif/float_vif.h"
#include "metric/float_vif/float_vif_args.h"
#include "metric/float_vif/float_vif_samples_args.h"

namespace acutance {
namespace {

constexpr std::array<size_t, kFloatVifScales> kUsualTaps = {17, 9, 5, 3};
constexpr std::array<const char*, kFloatVifScales> kKernels = {"float_vif_scale0", "float_vif_scale1",
                                                               "float_vif_scale2", "float_vif_scale3"};

constexpr TuningEntry kTuning[] = {
    {"float_vif_scale0", "", "128x1r8"}, {"float_vif_scale1", "", "128x1r8"}, {"float_vif_scale2", "", "128x1r8"},
    {"float_vif_scale3", "", "128x1r8"}, {"float_vif_any", "", "128x1r4"},    {"float_vif_samples", "", "64x4"},
};

/// The kernels for the usual filters have them as constants.
bool IsUsual(const FloatVifLayout& layout) {
  bool usual = layout.resizing.is_copy();
  for (int scale = 0; scale < kFloatVifScales; ++scale) usual &= layout.taps[scale].size() == kUsualTaps[scale];
  return usual;
}

float LeastFloatNotBelow(double value) {
  const float near = static_cast<float>(value);
  return static_cast<double>(near) < value ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
}

class PlanMaker {
 public:
  PlanMaker(const FloatVifLayout& layout, const PlanContext& context)
      : layout_(layout),
        context_(context),
        usual_(IsUsual(layout)),
        rows_(layout.rows()),
        plan_(context, context.pairs(), 0, rows_.count()) {}

  Result<Plan> Make() {
    ScaleImages images = InputImages(context_);
    if (!usual_) {
      const ScaleImages made = AddImages(0);
      ACU_RETURN_IF_ERROR(AddSamples(images, made));
      images = made;
    }
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
      const ScaleImages next = scale + 1 < kFloatVifScales ? AddImages(scale + 1) : images;
      ACU_RETURN_IF_ERROR(AddScale(scale, images, next));
      images = next;
    }
    return std::move(plan_);
  }

 private:
  float SampleScale() const { return 1.0f / static_cast<float>(1 << (layout_.bit_depth - 8)); }

  ScaleImages AddImages(int scale) {
    return AddScaleImages<float>(plan_, context_, scale, layout_.width(scale), layout_.height(scale));
  }

  Status AddSamples(const ScaleImages& from, const ScaleImages& to) {
    const Resizing& resizing = layout_.resizing;
    const FloatVifSamplesArgs args = {.reference = from.reference,
                                      .distorted = from.distorted,
                                      .made_reference = to.reference,
                                      .made_distorted = to.distorted,
                                      .across_index = plan_.AddTable("samples along a row", resizing.across().index),
                                      .across_weight = plan_.AddTable("their weights", resizing.across().weight),
                                      .down_index = plan_.AddTable("samples down a column", resizing.down().index),
                                      .down_weight = plan_.AddTable("their weights", resizing.down().weight),
                                      .picture_stride = from.picture_stride,
                                      .made_stride = to.picture_stride,
                                      .row_stride = from.row_stride,
                                      .made_row = to.row_stride,
                                      .width = resizing.width(),
                                      .height = resizing.height(),
                                      .taps = resizing.is_copy() ? 0 : resizing.across().taps,
                                      .is_divided = resizing.is_divided(),
                                      .inverse = inverse_of(from.videos),
                                      .sample_scale = SampleScale()};
    return plan_.AddWork(kTuning, "float_vif_samples", {args.width, args.height, context_.pairs()}, args, "mirror");
  }

  Result<const KernelImage*> Choose(int scale) const {
    if (!usual_) return ChooseVariant(kTuning, "float_vif_any", context_);
    return ChooseVariant(kTuning, kKernels[scale], context_);
  }

  BufferRef AddTaps(int scale) {
    std::vector<float> taps = layout_.taps[scale];
    if (scale + 1 < kFloatVifScales)
      taps.insert(taps.end(), layout_.taps[scale + 1].begin(), layout_.taps[scale + 1].end());
    return plan_.AddTable("taps", std::move(taps));
  }

  Status AddScale(int scale, const ScaleImages& images, const ScaleImages& next) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, Choose(scale));
    const FloatVifPixel& pixel = layout_.pixel;
    const FloatVifArgs args = {.reference = images.reference,
                               .distorted = images.distorted,
                               .next_reference = next.reference,
                               .next_distorted = next.distorted,
                               .words = plan_.Words(),
                               .taps = AddTaps(scale),
                               .picture_stride = images.picture_stride,
                               .next_stride = next.picture_stride,
                               .noise = pixel.noise,
                               .row_stride = images.row_stride,
                               .next_row = next.row_stride,
                               .width = layout_.width(scale),
                               .height = layout_.height(scale),
                               .inverse = inverse_of(images.videos),
                               .pair_rows = rows_.rows(),
                               .first_row = rows_.RowsBefore(scale),
                               .radius = layout_.radius(scale),
                               .next_radius = scale + 1 < kFloatVifScales ? layout_.radius(scale + 1) : 0,
                               .statistics = scale > 0 || !layout_.skip_scale0,
                               .flat_below = LeastFloatNotBelow(pixel.noise),
                               .flat_factor = pixel.flat_factor,
                               .gain_limit = pixel.gain_limit,
                               .sample_scale = SampleScale()};
    const Grid grid = {1, CeilDiv(args.height, kernel->rows), context_.pairs()};
    return plan_.AddLaunch(*kernel, grid, args, fmt::format("mirror {}", args.radius));
  }

  const FloatVifLayout& layout_;
  const PlanContext& context_;
  const bool usual_;
  const ScaleRows rows_;
  Plan plan_;
};

}  // namespace

Result<Plan> MakeFloatVifPlan(const FloatVifSettings& settings, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const FloatVifLayout layout, MakeFloatVifLayout(settings, context.format));
  return PlanMaker(layout, context).Make();
}

}  // namespace acutance
