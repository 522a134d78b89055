// float_adm on devices: a launch for each scale.
#include "base/exact_math.h"
#include "base/exact_tables.h"
#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/float_adm/float_adm.h"
#include "metric/float_adm/float_adm_args.h"

namespace acutance {
namespace {

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {
    {"float_adm_scale0", "", "64x4"},
    {"float_adm_scale", "", "64x4"},
    {"float_adm_scale0_power", "", "64x4"},
    {"float_adm_scale_power", "", "64x4"},
};

/// The images of one scale, for the whole batch.
struct Images {
  BufferRef reference, distorted;
  int64_t picture_stride = 0;
  int row_stride = 0;
  int videos = 1;  // pairs that share a picture of the reference
};

class PlanMaker {
 public:
  PlanMaker(const FloatAdmLayout& layout, const PlanContext& context)
      : layout_(layout),
        context_(context),
        rows_(RowsBefore(kFloatAdmScales)),
        plan_(context, context.pairs(), 0, rows_ * kFloatAdmSums) {}

  Result<Plan> Make() {
    const auto table = std::as_bytes(std::span(kExactTable, EXACT_TABLE_WORDS));
    table_ = plan_.AddTable("exact functions", {table.begin(), table.end()});
    const PlaneView reference = context_.Input(Video::kReference);
    Images images = {.reference = reference.data,
                     .distorted = context_.Input(Video::kDistorted).data,
                     .picture_stride = reference.picture_stride,
                     .row_stride = reference.row_stride,
                     .videos = context_.videos};
    for (int scale = 0; scale < kFloatAdmScales; ++scale) {
      const Images next = scale + 1 < kFloatAdmScales ? AddImages(scale + 1) : images;
      ACU_RETURN_IF_ERROR(AddScale(scale, images, next));
      images = next;
    }
    return std::move(plan_);
  }

 private:
  int RowsBefore(int scale) const {
    int rows = 0;
    for (int s = 0; s < scale; ++s) rows += layout_.scales[s].band_height;
    return rows;
  }

  Images AddImages(int scale) {
    const FloatAdmScale& s = layout_.scales[scale];
    const int row_stride = CeilDiv(s.width, kRowMultiple) * kRowMultiple;
    const int64_t picture_stride = int64_t{row_stride} * s.height;
    const size_t bytes = picture_stride * context_.pairs() * sizeof(float);
    return {.reference = plan_.AddScratch(fmt::format("reference of scale {}", scale), bytes),
            .distorted = plan_.AddScratch(fmt::format("distorted of scale {}", scale), bytes),
            .picture_stride = picture_stride,
            .row_stride = row_stride};
  }

  Result<const KernelImage*> Choose(int scale) const {
    const bool power = layout_.p_norm != 3;
    if (scale == 0) return ChooseVariant(kTuning, power ? "float_adm_scale0_power" : "float_adm_scale0", context_);
    return ChooseVariant(kTuning, power ? "float_adm_scale_power" : "float_adm_scale", context_);
  }

  Status AddScale(int scale, const Images& images, const Images& next) {
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
                               .pair_rows = rows_,
                               .first_row = RowsBefore(scale),
                               .column_margin = s.columns.begin,
                               .row_margin = s.scored ? s.rows.begin : s.band_height,
                               .flags = has_next | has_threshold,
                               .side_factor = s.factor[0],
                               .diagonal_factor = s.factor[2],
                               .p_norm = layout_.p_norm,
                               .sample_scale = 1.0f / static_cast<float>(1 << (layout_.bit_depth - 8))};
    const Grid grid = {1, CeilDiv(s.band_height, kernel->group_y), context_.pairs()};
    return plan_.AddLaunch(*kernel, grid, args, "mirror at the first edge, repeat at the last");
  }

  const FloatAdmLayout& layout_;
  const PlanContext& context_;
  const int rows_;  // of all scales
  Plan plan_;
  BufferRef table_;
};

}  // namespace

Result<Plan> MakeFloatAdmPlan(const OptionValues& options, const PlanContext& context) {
  const FloatAdmLayout layout = MakeFloatAdmLayout(options, context.format);
  return PlanMaker(layout, context).Make();
}

}  // namespace acutance
