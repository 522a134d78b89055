#include "metric/psnr/psnr_plan.h"

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/psnr/psnr_args.h"

namespace acutance {
namespace {

constexpr int kPlanes = 3;
constexpr int kWordBytes = 4;

constexpr TuningEntry kTuning[] = {
    {"psnr_sse", WorkloadClass::kSmall, "", "64x4r4", 16},
    {"psnr_sse", WorkloadClass::kMedium, "", "64x4r4", 4},
    {"psnr_sse", WorkloadClass::kLarge, "", "128x2r8", 2},
    {"psnr_sse", WorkloadClass::kSmall, "sm_90", "32x8r4", 64},
    {"psnr_sse", WorkloadClass::kMedium, "sm_90", "32x8r4", 16},
    {"psnr_sse", WorkloadClass::kLarge, "sm_90", "128x2r8", 4},
    {"psnr_sse", WorkloadClass::kSmall, "nvidia", "32x8r4", 64},
    {"psnr_sse", WorkloadClass::kMedium, "nvidia", "256x1r4", 16},
    {"psnr_sse", WorkloadClass::kLarge, "nvidia", "128x2r8", 4},
};

struct PlaneLaunch {
  Grid grid;
  int32_t first_partial;
};

Grid GridOf(const PlaneLayout& layout, int samples_per_word, const KernelImage& kernel, int batch) {
  return {CeilDiv(CeilDiv(layout.width, samples_per_word), kernel.group_x),
          CeilDiv(layout.height, kernel.group_y * kernel.rows), batch};
}

PsnrSseArgs MakeArgs(const Plan& plan, const PlanContext& context, int plane) {
  const int sample_bytes = context.format.BytesPerSample();
  const int samples_per_word = kWordBytes / sample_bytes;
  const PlanInput reference = static_cast<PlanInput>(plane), distorted = static_cast<PlanInput>(plane + kPlanes);
  const PlaneLayout& layout = context.layout(reference);
  const int64_t history = layout.history * layout.picture_stride * sample_bytes;
  return {.reference = BufferRef{static_cast<int>(reference), static_cast<uint64_t>(history)},
          .distorted = plan.Input(distorted),
          .partials = 0,
          .picture_words = layout.picture_stride / samples_per_word,
          .row_words = layout.row_stride / samples_per_word,
          .width = layout.width,
          .height = layout.height,
          .partials_per_frame = 0,
          .first_partial = 0};
}

}  // namespace

Result<Plan> MakePsnrPlan(const OptionValues& options, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "psnr_sse", context));
  const int planes = options.Bool("enable_chroma") ? context.format.PlaneCount() : 1;
  const int samples_per_word = kWordBytes / context.format.BytesPerSample();
  Plan plan(kPlanes);
  plan.PreferBatch(kernel.batch);
  PartialSums sums(kPlanes);
  std::vector<PlaneLaunch> launches;
  for (int p = 0; p < planes; ++p) {
    const Grid grid = GridOf(context.inputs[p], samples_per_word, *kernel.image, context.batch);
    launches.push_back({grid, sums.Reserve(p, grid)});
  }
  const BufferRef partials = sums.AddBuffer(plan, context.batch);
  for (int p = 0; p < planes; ++p) {
    PsnrSseArgs args = MakeArgs(plan, context, p);
    args.partials = partials;
    args.partials_per_frame = sums.per_frame();
    args.first_partial = launches[p].first_partial;
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel.image, launches[p].grid, args, "none"));
  }
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials, context.batch));
  return plan;
}

}  // namespace acutance
