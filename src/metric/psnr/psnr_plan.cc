#include "metric/psnr/psnr_plan.h"

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/psnr/psnr_args.h"

namespace acutance {
namespace {

constexpr int kPlanes = 3;
constexpr int kWordBytes = 4;

constexpr TuningEntry kTuning[] = {
    {"psnr_sse", "", "64x4r4"},
    {"psnr_sse", "", "128x2r8", WorkloadClass::kLarge},
    {"psnr_sse", "sm_", "32x8r4"},
    {"psnr_sse", "sm_", "128x2r8", WorkloadClass::kLarge},
    {"psnr_sse", "nvidia", "32x8r4"},
    {"psnr_sse", "nvidia", "256x1r4", WorkloadClass::kMedium},
    {"psnr_sse", "nvidia", "128x2r8", WorkloadClass::kLarge},
};

struct PlaneLaunch {
  Grid grid;
  int32_t first_partial;
};

Grid GridOf(const PlanContext& context, int plane, int samples_per_word, const KernelImage& kernel) {
  const int width = context.format.PlaneWidth(plane), height = context.format.PlaneHeight(plane);
  return {CeilDiv(CeilDiv(width, samples_per_word), kernel.group_x), CeilDiv(height, kernel.group_y * kernel.rows),
          context.pairs()};
}

PsnrSseArgs MakeArgs(const PlanContext& context, int plane) {
  const int samples_per_word = kWordBytes / context.format.BytesPerSample();
  const PlaneView reference = context.Input(Video::kReference, plane);
  return {.reference = reference.data,
          .distorted = context.Input(Video::kDistorted, plane).data,
          .partials = 0,
          .picture_words = reference.picture_stride / samples_per_word,
          .row_words = reference.row_stride / samples_per_word,
          .width = reference.width,
          .height = reference.height,
          .videos = context.videos,
          .partials_per_frame = 0,
          .first_partial = 0};
}

}  // namespace

Result<Plan> MakePsnrPlan(const OptionValues& options, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "psnr_sse", context));
  const int planes = options.Bool("enable_chroma") ? context.format.PlaneCount() : 1;
  const int samples_per_word = kWordBytes / context.format.BytesPerSample();
  Plan plan(context, context.pairs(), kPlanes);
  PartialSums sums(kPlanes);
  std::vector<PlaneLaunch> launches;
  for (int p = 0; p < planes; ++p) {
    const Grid grid = GridOf(context, p, samples_per_word, *kernel);
    launches.push_back({grid, sums.Reserve(p, grid)});
  }
  const BufferRef partials = sums.AddBuffer(plan);
  for (int p = 0; p < planes; ++p) {
    PsnrSseArgs args = MakeArgs(context, p);
    args.partials = partials;
    args.partials_per_frame = sums.per_frame();
    args.first_partial = launches[p].first_partial;
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, launches[p].grid, args, "none"));
  }
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials));
  return plan;
}

}  // namespace acutance
