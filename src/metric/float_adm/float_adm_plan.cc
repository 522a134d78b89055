// float_adm on devices: a launch for each scale.
#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "math/exact_tables.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/scale_images.h"
#include "metric/float_adm/float_adm.h"
#include "metric/float_adm/float_adm_args.h"

namespace acutance {
namespace {

constexpr TuningEntry kTuning[] = {
    {"float_adm_scale0", "", "64x4"},
    {"float_adm_scale", "", "64x4"},
    {"float_adm_scale0_power", "", "64x4"},
    {"float_adm_scale_power", "", "64x4"},
};

class PlanMaker {
 public:
  PlanMaker(const FloatAdmLayout& layout, const PlanContext& context)
      : layout_(layout), context_(context), rows_(layout.rows()), plan_(context, context.pairs(), 0, rows_.count()) {}

  Result<Plan> Make() {
    table_ = plan_.AddTable("exact functions", std::span(kExactTable, EXACT_TABLE_WORDS));
    ScaleImages images = InputImages(context_);
    for (int scale = 0; scale < kFloatAdmScales; ++scale) {
      const ScaleImages next = scale + 1 < kFloatAdmScales ? AddImages(scale + 1) : images;
      ACU_RETURN_IF_ERROR(AddScale(scale, images, next));
      images = next;
    }
    return std::move(plan_);
  }

 private:
  ScaleImages AddImages(int scale) {
    return AddScaleImages<float>(plan_, context_, scale, layout_.scales[scale].width, layout_.scales[scale].height);
  }

  Result<const KernelImage*> Choose(int scale) const {
    const bool power = layout_.p_norm != 3;
    if (scale == 0) return ChooseVariant(kTuning, power ? "float_adm_scale0_power" : "float_adm_scale0", context_);
    return ChooseVariant(kTuning, power ? "float_adm_scale_power" : "float_adm_scale", context_);
  }

  Status AddScale(int scale, const ScaleImages& images, const ScaleImages& next) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, Choose(scale));
    const FloatAdmScale& s = layout_.scales[scale];
    const int has_next = scale + 1 < kFloatAdmScales ? 1 : 0, has_threshold = layout_.masks ? 2 : 0;
    const FloatAdmArgs args = {.reference = images.reference,
                               .distorted = images.distorted,
                               .next_reference = next.reference,
                               .next_distorted = next.distorted,
                               .words = plan_.Words(),
                               .table = table_,
                               .picture_stride = images.picture_stride,
                               .next_stride = next.picture_stride,
                               .gain_limit = layout_.gain_limit,
                               .row_stride = images.row_stride,
                               .next_row = next.row_stride,
                               .width = s.width,
                               .height = s.height,
                               .inverse = inverse_of(images.videos),
                               .pair_rows = rows_.rows(),
                               .first_row = rows_.RowsBefore(scale),
                               .column_margin = s.columns.begin,
                               .row_margin = s.scored ? s.rows.begin : s.band_height,
                               .flags = has_next | has_threshold,
                               .side_factor = s.factor[0] * FLOAT_ADM_SCALE,
                               .diagonal_factor = s.factor[2] * FLOAT_ADM_SCALE,
                               .p_norm = layout_.p_norm,
                               .sample_scale = 1.0f / static_cast<float>(1 << (layout_.bit_depth - 8))};
    const Grid grid = {1, CeilDiv(s.band_height, kernel->group_y), context_.pairs()};
    return plan_.AddLaunch(*kernel, grid, args, "mirror at the first edge, repeat at the last");
  }

  const FloatAdmLayout& layout_;
  const PlanContext& context_;
  const ScaleRows rows_;
  Plan plan_;
  BufferRef table_;
};

}  // namespace

Result<Plan> MakeFloatAdmPlan(const FloatAdmSettings& settings, const PlanContext& context) {
  const FloatAdmLayout layout = MakeFloatAdmLayout(settings, context.format);
  return PlanMaker(layout, context).Make();
}

}  // namespace acutance
