// psnr_hvs on devices: the terms of each plane's blocks, then the planes' running sums.
#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/psnr_hvs/psnr_hvs.h"
#include "metric/psnr_hvs/psnr_hvs_args.h"
#include "metric/psnr_hvs/psnr_hvs_sum_args.h"

namespace acutance {
namespace {

using psnr_hvs::kBlockSamples;

constexpr TuningEntry kTuning[] = {{"psnr_hvs_terms", "", "32x8"},
                                   {"psnr_hvs_sum", "", "256x1"},
                                   {"psnr_hvs_sum", "sm_", "512x1"},
                                   {"psnr_hvs_sum", "nvidia", "512x1"}};

/// Blocks of a plane, and their terms.
struct HvsPlane {
  int across, blocks, groups;

  int terms() const { return groups * HVS_GROUP * kBlockSamples; }
};

HvsPlane LayOut(const PictureFormat& format, int plane) {
  const int across = HvsBlocks(format.PlaneWidth(plane));
  const int blocks = across * HvsBlocks(format.PlaneHeight(plane));
  return {across, blocks, CeilDiv(blocks, HVS_GROUP)};
}

Status AddTerms(Plan& plan, const PlanContext& context, const HvsPlane& blocks, int plane, BufferRef terms,
                int64_t pair_terms) {
  if (blocks.blocks == 0) return {};
  const PlaneView reference = context.Input(Video::kReference, plane);
  const HvsTermsArgs args = {.reference = reference.data,
                             .distorted = context.Input(Video::kDistorted, plane).data,
                             .tables = plan.AddTable("sensitivity and masking", std::span(&HvsTablesOf(plane), 1)),
                             .terms = terms,
                             .picture_stride = reference.picture_stride,
                             .pair_terms = pair_terms,
                             .row_stride = reference.row_stride,
                             .blocks = blocks.blocks,
                             .blocks_across = blocks.across,
                             .inverse = inverse_of(context.videos)};
  return plan.AddGroups(kTuning, "psnr_hvs_terms", {blocks.groups, 1, context.pairs()}, args, "none");
}

}  // namespace

Result<Plan> MakePsnrHvsPlan(const Setup&, const PlanContext& context) {
  const HvsPlane luma = LayOut(context.format, 0), chroma = LayOut(context.format, 1);
  const int64_t pair_terms = luma.terms() + 2 * int64_t{chroma.terms()};
  Plan plan(context, context.pairs(), 0, kHvsPlanes);
  const BufferRef terms = plan.AddScratch("terms of blocks", sizeof(float) * pair_terms * context.pairs());
  uint64_t offset = 0;
  for (int plane = 0; plane < kHvsPlanes; ++plane) {
    const HvsPlane& blocks = plane == 0 ? luma : chroma;
    ACU_RETURN_IF_ERROR(AddTerms(plan, context, blocks, plane, {terms.buffer, offset}, pair_terms));
    offset += sizeof(float) * blocks.terms();
  }
  const HvsSumArgs args = {.terms = terms,
                           .words = plan.Words(),
                           .pair_terms = pair_terms,
                           .luma_terms = luma.terms(),
                           .chroma_terms = chroma.terms(),
                           .luma_blocks = luma.blocks,
                           .chroma_blocks = chroma.blocks};
  ACU_RETURN_IF_ERROR(plan.AddGroups(kTuning, "psnr_hvs_sum", {kHvsPlanes, 1, context.pairs()}, args, "none"));
  return plan;
}

}  // namespace acutance
