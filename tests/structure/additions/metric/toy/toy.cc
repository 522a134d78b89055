#include "metric/toy/toy.h"

#include "base/int_math.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/words.h"
#include "metric/plan_context.h"
#include "metric/toy/toy_half_args.h"
#include "metric/toy/toy_rows_args.h"

namespace acutance {
namespace {

namespace toy {
#include "metric/toy/toy_math.kernel.h"
}  // namespace toy

constexpr int kWordsPerRow = 2;
constexpr OutputSpec kOutputs[] = {{.name = "toy",
                                    .better = ScoreDirection::kLower,
                                    .rank = 70,
                                    .damage = {.kind = Damage::kDetail, .ideal = 0, .annoying_from = 100},
                                    .unit = "steps"}};
constexpr TuningEntry kTuning[] = {{"toy_half", "", "64x4"}, {"toy_rows", "", "64x1"}};

PictureFormat HalfFormat(const PictureFormat& source) {
  return {source.width / 2, source.height / 2, kFloatDepth, PixelFormat::k400};
}

class HalfInput : public DerivedInput {
 public:
  std::string key() const override { return "half float"; }
  unsigned planes() const override { return kLuma; }
  PictureFormat Format(const PictureFormat& source) const override { return HalfFormat(source); }

  void Compute(const Picture& source, const MutablePicture& derived) const override {
    if (source.format.bit_depth == 8) Halve<uint8_t>(source.planes[0], derived);
    else Halve<uint16_t>(source.planes[0], derived);
  }

  Status AddLaunches(Plan& plan, const PlanContext& context, Video video) const override {
    const PlaneView from = context.AllPictures(video, 0), to = context.AllPictures(video, 0, key());
    const ToyHalfArgs args = {.from = from.data,
                              .to = to.data,
                              .from_picture = from.picture_stride,
                              .to_picture = to.picture_stride,
                              .from_row = from.row_stride,
                              .to_row = to.row_stride,
                              .width = to.width,
                              .height = to.height};
    return plan.AddWork(kTuning, "toy_half", {to.width, to.height, context.pictures(video)}, args, "none");
  }

 private:
  template <class Sample>
  static void Halve(const Plane& from, const MutablePicture& to) {
    for (int y = 0; y < to.format.height; ++y) {
      const Sample *upper = from.Row<Sample>(2 * y), *lower = from.Row<Sample>(2 * y + 1);
      float* row = to.Row<float>(0, y);
      for (int x = 0; x < to.format.width; ++x)
        row[x] = toy::mean_of_four(upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1]);
    }
  }
};

std::vector<InputSpec> Inputs(const Setup&) {
  const auto half = std::make_shared<HalfInput>();
  return {{Video::kReference, kLuma, 1, half}, {Video::kDistorted, kLuma, 1, half}};
}

class ToyExtractor : public Extractor {
 public:
  explicit ToyExtractor(const PictureFormat& half)
      : Extractor({.stages = {{half.height}}, .words = kWordsPerRow * half.height, .artifacts = {{"toy_error", half}}}),
        half_(half) {}

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces&,
               const BandResults& results) const override {
    for (int y = band.begin; y < band.end; ++y) {
      float own = 0, change = 0;
      for (int x = 0; x < half_.width; ++x) {
        const float e = Error(frame, 0, x, y);
        own += toy::absolute(e);
        if (frame.at(0, 1)) change += toy::absolute(e - Error(frame, 1, x, y));
        if (!results.artifacts.empty()) results.artifacts[0].Row<float>(0, y)[x] = toy::absolute(e);
      }
      results.words[kWordsPerRow * y] = WordFromFloat(own);
      results.words[kWordsPerRow * y + 1] = WordFromFloat(change);
    }
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double own = 0, change = 0;
    for (int y = 0; y < half_.height; ++y) {
      own += FloatFromWord(totals.words[kWordsPerRow * y]);
      change += FloatFromWord(totals.words[kWordsPerRow * y + 1]);
    }
    const double pixels = static_cast<double>(half_.width) * half_.height;
    outputs.values[0] = own / pixels + (totals.history > 0 ? change / pixels : 0.0);
    return {};
  }

 private:
  static float Error(const FrameView& frame, int back, int x, int y) {
    return frame.plane(1, 0, back).Row<float>(y)[x] - frame.plane(0, 0, back).Row<float>(y)[x];
  }

  const PictureFormat half_;
};

Result<std::unique_ptr<Extractor>> Make(const Setup&, const PictureFormat& format) {
  return std::make_unique<ToyExtractor>(HalfFormat(format));
}

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  const std::string half = HalfInput().key();
  const PictureFormat format = HalfFormat(context.format);
  const PlaneView reference = context.Input(Video::kReference, 0, 0, half);
  Plan plan(context, context.pairs(), 0, kWordsPerRow * format.height);
  const PlaneView error = plan.AddArtifact("toy_error", format);
  const ToyRowsArgs args = {.reference = reference.data,
                            .distorted = context.Input(Video::kDistorted, 0, 0, half).data,
                            .earlier_reference = context.Input(Video::kReference, 0, 1, half).data,
                            .earlier_distorted = context.Input(Video::kDistorted, 0, 1, half).data,
                            .words = plan.Words(),
                            .error = error.data,
                            .picture_stride = reference.picture_stride,
                            .error_stride = error.picture_stride,
                            .row_stride = reference.row_stride,
                            .error_row = error.row_stride,
                            .width = format.width,
                            .height = format.height,
                            .inverse = inverse_of(context.videos),
                            .padding = 0};
  ACU_RETURN_IF_ERROR(plan.AddWork(kTuning, "toy_rows", {format.height, 1, context.pairs()}, args, "none"));
  return plan;
}

}  // namespace

const Metric kToyMetric = {
    .name = "toy",
    .summary = "mean absolute error of halved luma, and how it changes",
    .outputs = kOutputs,
    .map = {.source = MapSource::kFirstArtifact},
    .inputs = Inputs,
    .smallest = {2, 2},
    .make = Make,
    .make_plan = MakePlan,
};

}  // namespace acutance
