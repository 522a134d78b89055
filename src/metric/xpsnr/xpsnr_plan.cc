// xpsnr on devices: the words of blocks; Finish weighs them.
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/xpsnr/xpsnr.h"
#include "metric/xpsnr/xpsnr_args.h"

namespace acutance {
namespace {

constexpr TuningEntry kTuning[] = {{"xpsnr_luma", "", "32x8"}, {"xpsnr_chroma", "", "32x8"}};

int StepOf(const XpsnrGrid& grid) {
  if (!grid.is_weighted) return 0;
  return grid.is_big ? 2 : 1;
}

}  // namespace

Result<Plan> MakeXpsnrPlan(const XpsnrSettings& settings, const PlanContext& context) {
  const XpsnrGrid grid(context.format);
  const int32_t pair_words = kXpsnrWords * grid.blocks(), order = static_cast<int>(settings.order);
  const bool has_chroma = context.format.PlaneCount() > 1;
  const uint32_t inverse = inverse_of(context.videos);
  Plan plan(context, context.pairs(), 0, pair_words);
  const Grid launch = {grid.columns, grid.rows, context.pairs()};
  const PlaneView reference = context.Input(Video::kReference, 0, order);
  const XpsnrLumaArgs args = {.reference = reference.data,
                              .distorted = context.Input(Video::kDistorted).data,
                              .words = plan.Words(),
                              .picture_stride = reference.picture_stride,
                              .row_stride = reference.row_stride,
                              .width = reference.width,
                              .height = reference.height,
                              .block = grid.block,
                              .pair_words = pair_words,
                              .bit_depth = context.format.bit_depth,
                              .step = StepOf(grid),
                              .order = order,
                              .has_chroma = has_chroma,
                              .inverse = inverse};
  ACU_RETURN_IF_ERROR(plan.AddGroups(kTuning, "xpsnr_luma", launch, args, "nearest"));
  for (int p = 1; has_chroma && p < context.format.PlaneCount(); ++p) {
    const PlaneView view = context.Input(Video::kReference, p);
    const PictureSize block = grid.ChromaBlock();
    const XpsnrChromaArgs chroma_args = {.reference = view.data,
                                         .distorted = context.Input(Video::kDistorted, p).data,
                                         .words = plan.Words(),
                                         .picture_stride = view.picture_stride,
                                         .row_stride = view.row_stride,
                                         .width = view.width,
                                         .height = view.height,
                                         .block_width = block.width,
                                         .block_height = block.height,
                                         .pair_words = pair_words,
                                         .word = p == 1 ? kXpsnrErrorU : kXpsnrErrorV,
                                         .counts_size = p == 1,
                                         .inverse = inverse};
    ACU_RETURN_IF_ERROR(plan.AddGroups(kTuning, "xpsnr_chroma", launch, chroma_args, "none"));
  }
  return plan;
}

}  // namespace acutance
