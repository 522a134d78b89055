#include "metric/float_moment/float_moment.h"

#include <cmath>

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/blocks/reference_of.h"
#include "metric/float_moment/float_moment_args.h"

namespace acutance {
namespace {

// Output v is the first moment of video v and output 2 + v its second; the sums stand likewise.
const OutputSpec kOutputs[] = {
    {.name = "float_moment_ref1st", .better = ScoreDirection::kNeither},
    {.name = "float_moment_dis1st", .better = ScoreDirection::kNeither},
    {.name = "float_moment_ref2nd", .better = ScoreDirection::kNeither},
    {.name = "float_moment_dis2nd", .better = ScoreDirection::kNeither},
};

/// A stage for each video.
class FloatMomentExtractor : public Extractor {
 public:
  explicit FloatMomentExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}, {format.height}}, .sums = 4}), format_(format) {}

  void RunBand(const FrameView& frame, int video, RowBand band, const Workspaces&,
               const BandResults& results) const override {
    const MomentSums sums = SumMoments(frame.plane(video), format_.bit_depth, band);
    results.sums[video] += sums.first;
    results.sums[2 + video] += sums.second;
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const double pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    for (int i = 0; i < 4; ++i) {
      const int power = i < 2 ? 1 : 2;
      outputs.values[i] = std::ldexp(static_cast<double>(totals.sums[i]), -power * (format_.bit_depth - 8)) / pixels;
    }
    return {};
  }

 private:
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const Setup&, const PictureFormat& format) {
  return std::make_unique<FloatMomentExtractor>(format);
}

constexpr TuningEntry kTuning[] = {{"float_moment_sums", "", "64x4r8"}};

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_moment_sums", context));
  Plan plan(context, context.pairs(), 4);
  PartialSums sums(4);
  const Grid grid = {CeilDiv(context.format.width, kernel->group_x),
                     CeilDiv(context.format.height, kernel->group_y * kernel->rows), context.pairs()};
  int32_t first[4];
  for (int i = 0; i < 4; ++i) first[i] = sums.Reserve(i, grid);
  const BufferRef partials = sums.AddBuffer(plan);
  for (const Video video : {Video::kReference, Video::kDistorted}) {
    const PlaneView samples = context.Input(video);
    const int v = static_cast<int>(video);
    const FloatMomentArgs args = {.samples = samples.data,
                                  .partials = partials,
                                  .picture_stride = samples.picture_stride,
                                  .row_stride = samples.row_stride,
                                  .width = samples.width,
                                  .height = samples.height,
                                  .inverse = inverse_of(video == Video::kReference ? context.videos : 1),
                                  .partials_per_frame = sums.per_frame(),
                                  .first_partial = first[v],
                                  .square_partial = first[2 + v],
                                  .padding = 0};
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, "none"));
  }
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials));
  return plan;
}

}  // namespace

const Metric kFloatMomentMetric = {
    .name = "float_moment",
    .summary = "mean and mean square of luma of both videos",
    .options = {},
    .outputs = kOutputs,
    .make = Make,
    .make_plan = MakePlan,
};

}  // namespace acutance
