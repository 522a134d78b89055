#include "metric/xpsnr/xpsnr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/reference_of.h"
#include "metric/xpsnr/xpsnr_args.h"

namespace acutance {
namespace {

constexpr int kPlanes = 3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const OptionSpec kOptions[] = {
    {"fps", "",
     "frames a second, of which the whole ones count: from 32 on changes are those of three pictures; 0: the video's, "
     "or 25",
     0.0, 0, 1000, false},
    {"temporal", "", "also weigh by how the reference changes over time", true, 0, 1, true},
};

enum Kept { kKeptError, kKeptChroma = kKeptError + kPlanes, kKept };

int64_t LumaSamples(const PictureFormat& format) { return int64_t{format.width} * format.height; }

/// Counts the last column and row of chroma of odd pictures, as FFmpeg does, where both pictures have them.
void CountAll(Plane& reference, Plane& distorted) {
  if (reference.more_columns != distorted.more_columns || reference.more_rows != distorted.more_rows) return;
  reference = reference.Whole();
  distorted = distorted.Whole();
}

template <int plane>
bool IsThere(const OptionValues&, const PictureFormat& format) {
  return plane < format.PlaneCount();
}

const OutputSpec kOutputs[kPlanes] = {
    {.name = "xpsnr_y", .rank = 65, .clip = "xpsnr_average_y", .unit = "dB"},
    {.name = "xpsnr_u", .enabled = IsThere<1>, .clip = "xpsnr_average_u", .unit = "dB"},
    {.name = "xpsnr_v", .enabled = IsThere<2>, .clip = "xpsnr_average_v", .unit = "dB"},
};

/// Adds up the whole clip (docs/spec/beyond.md 2.6).
class XpsnrSequence : public Sequence {
 public:
  XpsnrSequence(const PictureFormat& format, std::string key_suffix)
      : format_(format), key_suffix_(std::move(key_suffix)) {}

  void Push(int64_t, const FrameOutputs& outputs, ScoreSink&) override {
    ++frames_;
    chroma_ = outputs.kept[kKeptChroma];
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      roots_[p] += std::sqrt(static_cast<double>(outputs.kept[p]));
      decibels_[p] += outputs.values[p];
    }
  }

  void Flush(ScoreSink& sink) override {
    constexpr const char* kNames[kPlanes] = {"xpsnr_average_y", "xpsnr_average_u", "xpsnr_average_v"};
    double mean[kPlanes], least = kInfinity;
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      mean[p] = XpsnrDecibels(format_.bit_depth, p == 0 ? LumaSamples(format_) : chroma_, roots_[p], frames_,
                              decibels_[p] / static_cast<double>(frames_));
      least = std::min(least, mean[p]);
      sink.SetAggregate(kNames[p] + key_suffix_, mean[p]);
    }
    sink.SetAggregate("xpsnr_minimum" + key_suffix_, least);
    if (format_.PlaneCount() == kPlanes)
      sink.SetAggregate("xpsnr_weighted" + key_suffix_, Weighted(mean[0], mean[1], mean[2]));
  }

 private:
  /// Luma counts four times.
  static double Weighted(double y, double u, double v) {
    const auto error = [](double decibels) { return decibels == kInfinity ? 0.0 : Pow(10.0, -decibels / 10.0); };
    const double mean = (4.0 * error(y) + error(u) + error(v)) / 6.0;
    return mean > 0 ? -10.0 * Log10(mean) : kInfinity;
  }

  const PictureFormat format_;
  const std::string key_suffix_;  // of outputs
  int64_t frames_ = 0;
  int64_t chroma_ = 0;  // samples of a plane of it
  std::array<double, kPlanes> roots_ = {}, decibels_ = {};
};

/// A row of the stage is a row of blocks.
class XpsnrExtractor : public Extractor {
 public:
  XpsnrExtractor(const XpsnrSettings& settings, const XpsnrGrid& grid)
      : Extractor({.stages = {{grid.rows}}, .words = XPSNR_WORDS * grid.blocks(), .kept = kKept}),
        order_(settings.order),
        grid_(grid),
        key_suffix_(settings.key_suffix) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<XpsnrBuffers>(grid_); }

  void RunBand(const FrameView& view, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    XpsnrFrame frame = {.reference = view.at(0)->planes, .distorted = view.at(1)->planes, .order = order_};
    const Picture* before = order_ == XpsnrOrder::kNone ? nullptr : view.at(0, 1);
    const Picture* before_that = order_ == XpsnrOrder::kSecond ? view.at(0, 2) : nullptr;
    for (int p = 1; p < kPlanes; ++p) CountAll(frame.reference[p], frame.distorted[p]);
    if (before) frame.before = &before->planes[0];
    if (before_that) frame.before_that = &before_that->planes[0];
    const size_t words = size_t{XPSNR_WORDS} * grid_.columns;
    for (int row = band.begin; row < band.end; ++row)
      XpsnrBlockRow(grid_, frame, row, results.words.subspan(words * row, words),
                    static_cast<XpsnrBuffers&>(*workspaces.thread));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const std::array<int64_t, kPlanes> errors = XpsnrErrors(grid_, totals.words);
    std::ranges::copy(errors, outputs.kept.begin());
    int64_t chroma = 0;
    for (int i = 0; i < grid_.blocks(); ++i) chroma += totals.words[size_t{XPSNR_WORDS} * i + XPSNR_CHROMA];
    outputs.kept[kKeptChroma] = chroma;
    for (int p = 0; p < grid_.format.PlaneCount(); ++p)
      outputs.values[p] = XpsnrDecibels(grid_.format.bit_depth, p == 0 ? LumaSamples(grid_.format) : chroma,
                                        std::sqrt(static_cast<double>(errors[p])), 1, kInfinity);
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override {
    return std::make_unique<XpsnrSequence>(grid_.format, key_suffix_);
  }

 private:
  const XpsnrOrder order_;
  const XpsnrGrid grid_;
  const std::string key_suffix_;
};

Result<std::unique_ptr<Extractor>> Make(const XpsnrSettings& settings, const PictureFormat& format) {
  if (format.PlaneCount() > 1 && (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0))
    return Error(StatusCode::kInvalidArgument, "xpsnr: a {}x{} picture in {} has no chroma samples", format.width,
                 format.height, PixelFormatName(format.pixel_format));
  return std::make_unique<XpsnrExtractor>(settings, XpsnrGrid(format));
}

std::vector<InputSpec> Inputs(const XpsnrSettings& settings) {
  return {{.video = Video::kReference, .planes = kAllPlanes, .history = static_cast<int>(settings.order)},
          {.video = Video::kDistorted, .planes = kAllPlanes}};
}

XpsnrOrder OrderOf(const OptionValues& options) {
  constexpr int kSecondFrom = 32;
  if (!options.Bool("temporal")) return XpsnrOrder::kNone;
  return std::floor(options.Double("fps")) >= kSecondFrom ? XpsnrOrder::kSecond : XpsnrOrder::kFirst;
}

XpsnrSettings ReadSettings(const OptionValues& options) { return {OrderOf(options), options.KeySuffix()}; }

// --- On devices: the sums of blocks, which Finish weighs.

constexpr TuningEntry kTuning[] = {{"xpsnr_luma", "", "32x8"}, {"xpsnr_chroma", "", "32x8"}};

int StepOf(const XpsnrGrid& grid) {
  if (!grid.is_weighted) return 0;
  return grid.is_big ? 2 : 1;
}

Result<Plan> MakePlan(const XpsnrSettings& settings, const PlanContext& context) {
  const XpsnrGrid grid(context.format);
  const int32_t pair_words = XPSNR_WORDS * grid.blocks(), order = static_cast<int>(settings.order);
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
                                         .word = p == 1 ? XPSNR_ERROR_U : XPSNR_ERROR_V,
                                         .counts_size = p == 1,
                                         .inverse = inverse};
    ACU_RETURN_IF_ERROR(plan.AddGroups(kTuning, "xpsnr_chroma", launch, chroma_args, "none"));
  }
  return plan;
}

}  // namespace

XpsnrBuffers::XpsnrBuffers(const XpsnrGrid& grid)
    : pairs(3 * (static_cast<size_t>(grid.format.width) / 2 + kPadding)),
      zeros((static_cast<size_t>(grid.format.width) + kPadding) * sizeof(uint16_t)) {}

const Metric kXpsnrMetric = {
    .name = "xpsnr",
    .summary = "peak signal-to-noise ratio of each plane, weighted by how visible errors are in the reference, in dB",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .every_frame = true,
    .reads_all_chroma = true,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
