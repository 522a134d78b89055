#include "metric/float_moment/float_moment.h"

#include <cmath>

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

constexpr TuningEntry kTuning[] = {{"float_moment_sums", "", "64x4r8"}};

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_moment_sums", context));
  Plan plan(context, context.pairs(), 4);
  PartialSums sums(4);
  const Grid grid = GridFor(*kernel, {context.format.width, context.format.height, context.pairs()});
  int32_t first[4];
  for (int i = 0; i < 4; ++i) first[i] = sums.Reserve(i, grid);
  std::vector<PartialSumLaunch<FloatMomentArgs>> launches;
  for (const Video video : {Video::kReference, Video::kDistorted}) {
    const PlaneView samples = context.Input(video);
    const int v = static_cast<int>(video);
    launches.push_back({kernel,
                        grid,
                        {.samples = samples.data,
                         .partials = 0,
                         .plane = PlaneArgsOf(samples, video == Video::kReference ? context.videos : 1),
                         .partials_per_frame = 0,
                         .first_partial = first[v],
                         .square_partial = first[2 + v],
                         .padding = 0}});
  }
  ACU_RETURN_IF_ERROR(AddPartialSums(plan, sums, std::move(launches)));
  return plan;
}

}  // namespace

const Metric kFloatMomentMetric = {
    .name = "float_moment",
    .summary = "mean and mean square of luma of both videos",
    .options = {},
    .outputs = kOutputs,
    .make = MakeBy<FloatMomentExtractor>,
    .make_plan = MakePlan,
};

}  // namespace acutance
