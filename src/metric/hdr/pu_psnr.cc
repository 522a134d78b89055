#include <algorithm>
#include <limits>
#include <utility>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/hdr/hdr.h"
#include "metric/hdr/hdr_plan.h"

namespace acutance {
namespace {

const std::vector<OptionSpec> kPuPsnrOptions = PuOptions();

constexpr std::string_view kClipNames[] = {"pu_apsnr_y", "pu_apsnr_rgb"};
const OutputSpec kPuPsnrOutputs[] = {{.name = "pu_psnr_y", .rank = 60, .unit = "dB"},
                                     {.name = "pu_psnr_rgb", .unit = "dB"}};

/// Of squared differences that add up to `sum` over `count` values.
double Decibels(double sum, int64_t count) {
  constexpr double kPeakSquared = 65536;  // PU21's value for 100 cd/m2 is about 256
  if (sum == 0) return std::numeric_limits<double>::infinity();
  return 10 * Log10(kPeakSquared / (sum / static_cast<double>(count)));
}

/// Sums of frames: luminance; red, green and blue together.
struct Squares {
  double luminance = 0, colors = 0;
};

/// The clip's value is that of the mean square of all frames: infinite only where all are identical.
class PuPsnrSequence : public Sequence {
 public:
  PuPsnrSequence(int64_t pixels, std::string key_suffix) : pixels_(pixels), key_suffix_(std::move(key_suffix)) {}

  void Push(int64_t, const FrameOutputs& outputs, ScoreSink&) override {
    ++frames_;
    sum_.luminance += DoubleFromWord(outputs.kept[0]);
    sum_.colors += DoubleFromWord(outputs.kept[1]);
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ == 0) return;
    const auto set = [&](int output, double value) {
      sink.SetAggregate(std::string(kClipNames[output]) + key_suffix_, value);
    };
    set(0, Decibels(sum_.luminance, frames_ * pixels_));
    set(1, Decibels(sum_.colors, 3 * frames_ * pixels_));
  }

 private:
  const int64_t pixels_;
  const std::string key_suffix_;
  int64_t frames_ = 0;
  Squares sum_;
};

/// A row of the stage is a strip.
class PuPsnrExtractor : public Extractor {
 public:
  PuPsnrExtractor(const HdrSettings& settings, const PictureFormat& format)
      : Extractor({.stages = {{CeilDiv(format.height, kHdrStrip)}},
                   .words = kPuPsnrWords * CeilDiv(format.height, kHdrStrip),
                   .kept = 2}),
        width_(format.width),
        pixels_(int64_t{format.width} * format.height),
        weights_(settings),
        key_suffix_(settings.key_suffix) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return std::make_unique<HdrBuffers>(kPuPsnrWords, width_);
  }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    PuPsnrStrips(HdrPairOf(frame), weights_, band, results.words, static_cast<HdrBuffers&>(*workspaces.thread));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const auto sum = [&](int word) { return HdrTotal(totals.words, word, kPuPsnrWords); };
    const Squares squares = {sum(0), (sum(1) + sum(2)) + sum(3)};
    outputs.values[0] = Decibels(squares.luminance, pixels_);
    outputs.values[1] = Decibels(squares.colors, 3 * pixels_);
    outputs.kept[0] = WordFromDouble(squares.luminance);
    outputs.kept[1] = WordFromDouble(squares.colors);
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override {
    return std::make_unique<PuPsnrSequence>(pixels_, key_suffix_);
  }

 private:
  const int width_;
  const int64_t pixels_;
  const HdrWeights weights_;
  const std::string key_suffix_;
};

constexpr TuningEntry kPuPsnrTuning[] = {{"pu_psnr", "", "64x1"}};

Result<Plan> MakePuPsnrPlan(const HdrSettings& settings, const PlanContext& context) {
  const HdrPlanSize size(context);
  Plan plan(context, context.pairs(), 0, kPuPsnrWords * size.strips);
  const BufferRef columns = AddHdrColumns(plan, context, kPuPsnrWords);
  ACU_RETURN_IF_ERROR(plan.AddWork(kPuPsnrTuning, "pu_psnr", {size.width, size.strips, context.pairs()},
                                   MakeHdrStripsArgs(settings, context, columns), "none"));
  ACU_RETURN_IF_ERROR(AddHdrSums(plan, context, {.columns = columns, .sums = kPuPsnrWords}));
  return plan;
}

Result<HdrSettings> ReadPuPsnrSettings(const OptionValues& options) { return ReadPuSettings("pu_psnr", options); }

Result<std::unique_ptr<Extractor>> MakePuPsnr(const HdrSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("pu_psnr", settings.rgb, format));
  return std::make_unique<PuPsnrExtractor>(settings, format);
}

}  // namespace

const Metric kPuPsnrMetric = {
    .name = "pu_psnr",
    .summary = "peak signal-to-noise ratio of a display's light as people see it, by PU21, for HDR and SDR, in dB",
    .options = kPuPsnrOptions,
    .outputs = kPuPsnrOutputs,
    .prepare = PrepareBy<ReadPuPsnrSettings>,
    .inputs = OfSettings<HdrInputs>,
    .reads_all_chroma = true,
    .reads_floats = true,
    .must_be_declared = "transfer",
    .for_hdr = [](const HdrFacts&) { return HdrDefaults(); },
    .make = OfSettings<MakePuPsnr>,
    .make_plan = OfSettings<MakePuPsnrPlan>,
    .stays_on_cpu = OfSettings<HdrStaysOnCpu>,
};

}  // namespace acutance
