#include "metric/ciede/ciede.h"

#include <algorithm>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/words.h"
#include "metric/ciede/ciede_args.h"
#include "metric/ciede/ciede_rows_args.h"

namespace acutance {
namespace {

const OutputSpec kOutputs[] = {{.name = "ciede2000", .rank = 55, .unit = "dB"}};

/// The score is 45 - 20 log10 of it.
double MeanDifference(double score) { return Pow(10.0, (45 - score) / 20); }

/// A partial result is the running sum of a row's pixels; Finish adds the rows from the first to the last.
class CiedeExtractor : public Extractor {
 public:
  explicit CiedeExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}}, .words = format.height}),
        format_(format),
        chroma_(MakeCiedeChroma(format)) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return std::make_unique<CiedeBuffers>(format_.width);
  }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    const CiedePicture reference = {frame.at(0)->planes}, distorted = {frame.at(1)->planes};
    auto& buffers = static_cast<CiedeBuffers&>(*workspaces.thread);
    for (int y = band.begin; y < band.end; ++y)
      results.words[y] = WordFromDouble(CiedeRow(reference, distorted, format_.bit_depth, chroma_, y, buffers));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double sum = 0;
    for (const int64_t row : totals.words) sum += DoubleFromWord(row);
    const double pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    outputs.values[0] = 45 - 20 * Log10(sum / pixels);
    return {};
  }

 private:
  const PictureFormat format_;
  const CiedeChroma chroma_;
};

Result<std::unique_ptr<Extractor>> Make(const Setup&, const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument, "ciede needs chroma planes, pictures in 400 have none");
  if (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0)
    return Error(StatusCode::kInvalidArgument, "ciede: a {}x{} picture in {} has no chroma samples", format.width,
                 format.height, PixelFormatName(format.pixel_format));
  return std::make_unique<CiedeExtractor>(format);
}

// --- On devices: the differences of pixels, then their sums along the rows.

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {{"ciede_pixels", "", "64x4"}, {"ciede_rows", "", "32x8r2"}};

int KindOf(PixelFormat format) {
  switch (format) {
    case PixelFormat::k420:
      return CIEDE_420;
    case PixelFormat::k422:
      return CIEDE_422;
    default:
      return CIEDE_444;
  }
}

CiedePixelsArgs ArgsOf(const PlanContext& context) {
  const PlaneView luma = context.Input(Video::kReference), cb = context.Input(Video::kReference, 1);
  const int unit = 1 << (context.format.bit_depth - 8);
  return {.reference = luma.data,
          .reference_cb = cb.data,
          .reference_cr = context.Input(Video::kReference, 2).data,
          .distorted = context.Input(Video::kDistorted).data,
          .distorted_cb = context.Input(Video::kDistorted, 1).data,
          .distorted_cr = context.Input(Video::kDistorted, 2).data,
          .luma_picture = luma.picture_stride,
          .chroma_picture = cb.picture_stride,
          .luma_row = luma.row_stride,
          .chroma_row = cb.row_stride,
          .width = luma.width,
          .height = luma.height,
          .chroma_width = cb.width,
          .chroma_height = cb.height,
          .chroma_stride = MakeCiedeChroma(context.format).stride,
          .chroma_kind = KindOf(context.format.pixel_format),
          .unit = unit,
          .inverse = inverse_of(context.videos),
          .difference_row = CeilDiv(luma.width, kRowMultiple) * kRowMultiple};
}

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* rows, ChooseVariant(kTuning, "ciede_rows", context));
  CiedePixelsArgs args = ArgsOf(context);
  Plan plan(context, context.pairs(), 0, args.height);
  const ciede::CiedeSteps steps = ciede::steps_of(args.unit);
  const int64_t picture = int64_t{args.difference_row} * args.height;
  const BufferRef differences = plan.AddScratch("colour differences", sizeof(float) * picture * context.pairs());
  args.steps = plan.AddTable("steps of samples", std::span(&steps, 1));
  args.differences = differences;
  ACU_RETURN_IF_ERROR(plan.AddWork(kTuning, "ciede_pixels", {args.width, args.height, context.pairs()}, args, "none"));
  const CiedeRowsArgs row_args = {.differences = differences,
                                  .words = plan.Words(),
                                  .width = args.width,
                                  .height = args.height,
                                  .difference_row = args.difference_row};
  ACU_RETURN_IF_ERROR(
      plan.AddLaunch(*rows, {1, CeilDiv(args.height, rows->group_x), context.pairs()}, row_args, "none"));
  return plan;
}

}  // namespace

CiedeChroma MakeCiedeChroma(const PictureFormat& format) {
  const int width = format.PlaneWidth(1);
  return {format.pixel_format, width, format.PlaneHeight(1), (width + 31) / 32 * 32};
}

CiedeBuffers::CiedeBuffers(int width)
    : luma_cb(4 * (width + kPadding)),
      cr(2 * (width + kPadding)),
      missing_differences(width + kPadding),
      missing_known(width),
      waiting(width),
      differences(width + kPadding),
      known(kKnown) {
  for (auto* planes : {&samples, &missing})
    for (auto& video : *planes)
      for (auto& plane : video) plane.resize(width + kPadding);
}

const Metric kCiedeMetric = {
    .name = "ciede",
    .summary = "mean colour difference by CIEDE2000, in dB: 45 - 20 log10 of it",
    .outputs = kOutputs,
    .map = {.source = MapSource::kPartScores, .loss = MeanDifference},
    .inputs =
        [](const Setup&) {
          return std::vector<InputSpec>{{Video::kReference, kAllPlanes}, {Video::kDistorted, kAllPlanes}};
        },
    .make = Make,
    .make_plan = MakePlan,
};

}  // namespace acutance
