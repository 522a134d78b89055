#include <algorithm>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/hdr/hdr.h"
#include "metric/hdr/hdr_plan.h"

namespace acutance {
namespace {

const std::vector<OptionSpec> kPuSsimOptions = PuOptions();

const OutputSpec kPuSsimOutputs[] = {{.name = "pu_ssim", .rank = 62}};

/// A row of the stage is a strip.
class PuSsimExtractor : public Extractor {
 public:
  PuSsimExtractor(const HdrSettings& settings, const PictureFormat& format)
      : Extractor({.stages = {{CeilDiv(format.height, kHdrStrip)}}, .words = CeilDiv(format.height, kHdrStrip)}),
        width_(format.width),
        pixels_(int64_t{format.width} * format.height),
        weights_(settings) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<PuSsimBuffers>(width_); }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    PuSsimStrips(HdrPairOf(frame), weights_, band, results.words, static_cast<PuSsimBuffers&>(*workspaces.thread));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    outputs.values[0] = 1 - HdrTotal(totals.words, 0, 1) / static_cast<double>(pixels_);
    return {};
  }

 private:
  const int width_;
  const int64_t pixels_;
  const HdrWeights weights_;
};

constexpr TuningEntry kPuSsimTuning[] = {{"pu_luminance", "", "64x4"}, {"pu_ssim", "", "128x1"}};

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

/// The planes of a video's pictures, one after the other.
struct PuPlanes {
  int row;
  int64_t picture;
};

Status AddLuminance(Plan& plan, const HdrSettings& settings, const PlanContext& context, Video video,
                    const PuPlanes& planes, BufferRef to) {
  const HdrLightView light(settings, context, video);
  const HdrWeights weights(settings);
  const PuLuminanceArgs args = {.red = light.planes[0].data,
                                .green = light.planes[1].data,
                                .blue = light.planes[2].data,
                                .to = to,
                                .picture = light.planes[0].picture_stride,
                                .to_picture = planes.picture,
                                .row = light.planes[0].row_stride,
                                .to_row = planes.row,
                                .width = context.format.width,
                                .height = context.format.height,
                                .of_red = weights.red,
                                .of_green = weights.green,
                                .of_blue = weights.blue};
  const int pictures = context.frames * context.copies(video);
  return plan.AddWork(kPuSsimTuning, "pu_luminance", {args.width, args.height, pictures}, args, "none");
}

Result<Plan> MakePuSsimPlan(const HdrSettings& settings, const PlanContext& context) {
  const HdrPlanSize size(context);
  const int height = context.format.height, row = CeilDiv(size.width, kRowMultiple) * kRowMultiple;
  const PuPlanes planes = {row, int64_t{row} * height};
  Plan plan(context, context.pairs(), 0, size.strips);
  const size_t picture_bytes = sizeof(float) * planes.picture;
  const BufferRef reference = plan.AddScratch("reference by PU21", picture_bytes * context.frames);
  const BufferRef distorted = plan.AddScratch("distorted by PU21", picture_bytes * context.pairs());
  ACU_RETURN_IF_ERROR(AddLuminance(plan, settings, context, Video::kReference, planes, reference));
  ACU_RETURN_IF_ERROR(AddLuminance(plan, settings, context, Video::kDistorted, planes, distorted));
  const BufferRef columns = AddHdrColumns(plan, context, 1);
  const PuSsimArgs args = {.reference = reference,
                           .distorted = distorted,
                           .columns = columns,
                           .picture = planes.picture,
                           .row = row,
                           .width = size.width,
                           .height = height,
                           .inverse = inverse_of(context.videos)};
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kPuSsimTuning, "pu_ssim", context));
  const int columns_of_group = static_cast<int>(kernel->group_x) - 2 * PU_BLUR_RADIUS;
  const Grid grid = {CeilDiv(size.width, columns_of_group), size.strips, context.pairs()};
  ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, "nearest 5"));
  ACU_RETURN_IF_ERROR(AddHdrSums(plan, context, {.columns = columns}));
  return plan;
}

Result<HdrSettings> ReadPuSsimSettings(const OptionValues& options) { return ReadPuSettings("pu_ssim", options); }

Result<std::unique_ptr<Extractor>> MakePuSsim(const HdrSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("pu_ssim", settings.rgb, format));
  return std::make_unique<PuSsimExtractor>(settings, format);
}

}  // namespace

const Metric kPuSsimMetric = {
    .name = "pu_ssim",
    .summary =
        "structural similarity of a display's luminance as people see it, by PU21, for HDR and SDR; 1: identical",
    .options = kPuSsimOptions,
    .outputs = kPuSsimOutputs,
    .prepare = PrepareBy<ReadPuSsimSettings>,
    .inputs = OfSettings<HdrInputs>,
    .reads_all_chroma = true,
    .reads_floats = true,
    .must_be_declared = "transfer",
    .for_hdr = [](const HdrFacts&) { return HdrDefaults(); },
    .make = OfSettings<MakePuSsim>,
    .make_plan = OfSettings<MakePuSsimPlan>,
    .stays_on_cpu = OfSettings<HdrStaysOnCpu>,
};

}  // namespace acutance
