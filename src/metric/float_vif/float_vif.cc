#include "metric/float_vif/float_vif.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/gaussian_taps.h"
#include "metric/blocks/per_scale.h"
#include "metric/blocks/scale_images.h"
#include "metric/blocks/words.h"
#include "metric/float_vif/float_vif_args.h"
#include "metric/float_vif/float_vif_samples_args.h"

namespace acutance {
namespace {

// --- Options, sizes and filters.

std::vector<float> TapsOf(int scale, float kernel_scale) {
  const int count = OddTapCount(static_cast<float>((1 << (4 - scale)) + 1) * kernel_scale);
  return GaussianTaps(count, static_cast<float>(count) / 5.0f);
}

/// A filter that reaches r samples is mirrored once in an image of more than r.
Status CheckSize(const FloatVifLayout& layout) {
  for (int scale = 0; scale < kFloatVifScales; ++scale) {
    const int least = std::min(layout.width(scale), layout.height(scale));
    if (least <= layout.radius(scale))
      return Error(StatusCode::kInvalidArgument,
                   "float_vif needs more than {} rows and columns at scale {}; {}x{} pictures have {}x{} there",
                   layout.radius(scale), scale, layout.width(0), layout.height(0), layout.width(scale),
                   layout.height(scale));
  }
  return {};
}

}  // namespace

Result<FloatVifSettings> ReadFloatVifSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const float kernel_scale,
                       CheckKernelScale("vif_kernelscale", options.Double("vif_kernelscale")));
  ACU_ASSIGN_OR_RETURN(const ResizingMethod method,
                       FindResizingMethod("vif_prescale_method", options.String("vif_prescale_method")));
  const double noise = options.Double("vif_sigma_nsq");
  return FloatVifSettings{.kernel_scale = kernel_scale,
                          .prescale = options.Double("vif_prescale"),
                          .prescale_method = method,
                          .skip_scale0 = options.Bool("vif_skip_scale0"),
                          .pixel = {.noise = noise,
                                    .flat_factor = static_cast<float>(noise * noise / (255.0 * 255.0)),
                                    .gain_limit = static_cast<float>(options.Double("vif_enhn_gain_limit"))},
                          .least = {-std::numeric_limits<double>::infinity(), options.Double("vif_scale1_min_val"),
                                    options.Double("vif_scale2_min_val"), options.Double("vif_scale3_min_val")},
                          .debug = options.Bool("debug")};
}

Result<FloatVifLayout> MakeFloatVifLayout(const FloatVifSettings& settings, const PictureFormat& format) {
  const double prescale = settings.prescale;
  const int width = static_cast<int>(format.width * prescale + 0.5);
  const int height = static_cast<int>(format.height * prescale + 0.5);
  if (width < 1 || height < 1)
    return Error(StatusCode::kInvalidArgument, "float_vif: vif_prescale {:g} leaves nothing of {}x{}", prescale,
                 format.width, format.height);
  FloatVifLayout layout = {.settings = settings,
                           .resizing = Resizing(settings.prescale_method, format.width, format.height, width, height),
                           .bit_depth = format.bit_depth,
                           .taps = {}};
  for (int scale = 0; scale < kFloatVifScales; ++scale) layout.taps[scale] = TapsOf(scale, settings.kernel_scale);
  ACU_RETURN_IF_ERROR(CheckSize(layout));
  return layout;
}

ScaleRows FloatVifLayout::rows() const { return {{height(0), height(1), height(2), height(3)}}; }

std::vector<PictureSize> FloatVifLayout::smaller_sizes() const {
  return {{width(1), height(1)}, {width(2), height(2)}, {width(3), height(3)}};
}

FloatVifBuffers::FloatVifBuffers(const FloatVifLayout& layout)
    : samples(2 * (2 * layout.widest_reach() + kMaxLanes), layout.width(0)),
      columns(kMaxLanes / 2, layout.width(0) + 2 * (layout.widest_reach() + kMaxLanes)),
      halves(2, layout.width(0) / 2 + layout.widest_reach() + 2),
      moments(5, (kPiece + 2 * layout.widest_reach() + 2 * kMaxLanes) * kMaxLanes) {}

int64_t FloatVifWord(float num, float den) {
  return static_cast<int64_t>(static_cast<uint64_t>(WordFromFloat(num)) | static_cast<uint64_t>(WordFromFloat(den))
                                                                              << 32);
}

float_vif::FloatVifTerms FloatVifTermsFrom(int64_t word) {
  return {FloatFromWord(word), FloatFromWord(static_cast<int64_t>(static_cast<uint64_t>(word) >> 32))};
}

namespace {

const OptionSpec kOptions[] = {
    {"debug", "", "also write numerators, denominators and their ratio", false, 0, 1, false},
    {"vif_enhn_gain_limit", "egl", "largest contrast gain that counts; 1 gives no credit for enhancement", 100.0, 1,
     100, true},
    {"vif_kernelscale", "ks", "factor on the size of the filters", 1.0, 0.1, 4, true},
    {"vif_prescale", "ps", "factor on the size of the pictures, before all else", 1.0, 0.1, 4, true},
    {"vif_scale1_min_val", "s1miv", "smallest score of scale 1", 0.0, 0, 1, true},
    {"vif_scale2_min_val", "s2miv", "smallest score of scale 2", 0.0, 0, 1, true},
    {"vif_scale3_min_val", "s3miv", "smallest score of scale 3", 0.0, 0, 1, true},
    {"vif_prescale_method", "pm", "how they are resized: nearest, bilinear, bicubic or lanczos4",
     std::string("nearest"), 0, 0, true},
    {"vif_sigma_nsq", "snsq", "variance of the noise of the visual system", 2.0, 0, 5, true},
    {"vif_skip_scale0", "ssclz", "leave out scale 0, whose score is then 0", false, 0, 1, true},
};

enum Output { kScaleScore, kDebugVif = kScaleScore + kFloatVifScales, kDebugNum, kDebugDen, kDebugScale };

bool IsDebug(const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); }

constexpr DamageSpec kDamage = {.kind = Damage::kTexture, .ideal = 1};
constexpr auto kOutputs =
    JoinOutputs(std::to_array<OutputSpec>({
                    {.name = "VMAF_feature_vif_scale0_score", .alias = "vif_scale0", .rank = 50, .damage = kDamage},
                    {.name = "VMAF_feature_vif_scale1_score", .alias = "vif_scale1", .damage = kDamage},
                    {.name = "VMAF_feature_vif_scale2_score", .alias = "vif_scale2", .damage = kDamage},
                    {.name = "VMAF_feature_vif_scale3_score", .alias = "vif_scale3", .damage = kDamage},
                    {.name = "vif", .enabled = IsDebug, .damage = kDamage},
                    {.name = "vif_num", .enabled = IsDebug, .better = ScoreDirection::kNeither},
                    {.name = "vif_den", .enabled = IsDebug, .better = ScoreDirection::kNeither},
                }),
                PerScale<kFloatVifScales, "vif_num_scale#", "vif_den_scale#">(
                    {.enabled = IsDebug, .better = ScoreDirection::kNeither}));

/// A stage that reads the pictures, then one for each scale, with a word for each row.
class FloatVifExtractor : public FloatScalesExtractor<FloatVifLayout, FloatVifBuffers, FloatVifBand> {
 public:
  using FloatScalesExtractor::FloatScalesExtractor;

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double num = 0, den = 0;
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
      const bool skipped = scale == 0 && layout_.settings.skip_scale0;
      const float_vif::FloatVifTerms sums = skipped ? float_vif::FloatVifTerms{0, -1} : SumRows(totals.words, scale);
      const double scale_num = sums.num, scale_den = sums.den;
      outputs.values[kScaleScore + scale] =
          skipped ? 0.0 : std::max(scale_num / scale_den, layout_.settings.least[scale]);
      if (!layout_.settings.debug) continue;
      outputs.values[kDebugScale + 2 * scale] = scale_num;
      outputs.values[kDebugScale + 2 * scale + 1] = scale_den;
      num += skipped ? 0.0 : scale_num;
      den += skipped ? 0.0 : scale_den;
    }
    if (!layout_.settings.debug) return {};
    outputs.values[kDebugNum] = num;
    outputs.values[kDebugDen] = den;
    outputs.values[kDebugVif] = den == 0 ? 1.0 : num / den;
    return {};
  }

 private:
  /// Adds rows in float, from the first to the last.
  float_vif::FloatVifTerms SumRows(std::span<const int64_t> words, int scale) const {
    float_vif::FloatVifTerms sum = {0, 0};
    for (const int64_t word : layout_.rows().Of(words, scale)) {
      const float_vif::FloatVifTerms row = FloatVifTermsFrom(word);
      sum.num += row.num;
      sum.den += row.den;
    }
    return sum;
  }
};

Result<std::unique_ptr<Extractor>> Make(const FloatVifSettings& settings, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(FloatVifLayout layout, MakeFloatVifLayout(settings, format));
  return std::make_unique<FloatVifExtractor>(std::move(layout));
}

// --- On devices.

constexpr std::array<size_t, kFloatVifScales> kUsualTaps = {17, 9, 5, 3};
constexpr std::array<const char*, kFloatVifScales> kKernels = {"float_vif_scale0", "float_vif_scale1",
                                                               "float_vif_scale2", "float_vif_scale3"};

constexpr TuningEntry kTuning[] = {
    {"float_vif_scale0", "", "128x1r8"}, {"float_vif_scale1", "", "128x1r8"}, {"float_vif_scale2", "", "128x1r8"},
    {"float_vif_scale3", "", "128x1r8"}, {"float_vif_any", "", "128x1r4"},    {"float_vif_samples", "", "64x4"},
};

/// The kernels for the usual filters have them as constants.
bool IsUsual(const FloatVifLayout& layout) {
  bool usual = layout.resizing.is_copy();
  for (int scale = 0; scale < kFloatVifScales; ++scale) usual &= layout.taps[scale].size() == kUsualTaps[scale];
  return usual;
}

float SampleScale(const FloatVifLayout& layout) { return 1.0f / static_cast<float>(1 << (layout.bit_depth - 8)); }

ScaleImages AddImages(Plan& plan, const FloatVifLayout& layout, const PlanContext& context, int scale) {
  return AddScaleImages<float>(plan, context, scale, layout.width(scale), layout.height(scale));
}

/// Makes scale 0 as floats.
Status AddSamples(Plan& plan, const FloatVifLayout& layout, const PlanContext& context, const ScaleImages& from,
                  const ScaleImages& to) {
  const Resizing& resizing = layout.resizing;
  const FloatVifSamplesArgs args = {.reference = from.reference,
                                    .distorted = from.distorted,
                                    .made_reference = to.reference,
                                    .made_distorted = to.distorted,
                                    .across_index = plan.AddTable("samples along a row", resizing.across().index),
                                    .across_weight = plan.AddTable("their weights", resizing.across().weight),
                                    .down_index = plan.AddTable("samples down a column", resizing.down().index),
                                    .down_weight = plan.AddTable("their weights", resizing.down().weight),
                                    .picture_stride = from.picture_stride,
                                    .made_stride = to.picture_stride,
                                    .row_stride = from.row_stride,
                                    .made_row = to.row_stride,
                                    .width = resizing.width(),
                                    .height = resizing.height(),
                                    .taps = resizing.is_copy() ? 0 : resizing.across().taps,
                                    .is_divided = resizing.is_divided(),
                                    .inverse = inverse_of(from.videos),
                                    .sample_scale = SampleScale(layout)};
  return plan.AddWork(kTuning, "float_vif_samples", {args.width, args.height, context.pairs()}, args, "mirror");
}

/// The taps of a scale, then those of the next one.
std::vector<float> TapsFrom(const FloatVifLayout& layout, int scale) {
  std::vector<float> taps = layout.taps[scale];
  if (scale + 1 < kFloatVifScales)
    taps.insert(taps.end(), layout.taps[scale + 1].begin(), layout.taps[scale + 1].end());
  return taps;
}

Result<Plan> MakePlan(const FloatVifSettings& settings, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const FloatVifLayout layout, MakeFloatVifLayout(settings, context.format));
  const bool usual = IsUsual(layout);
  const ScaleRows rows = layout.rows();
  Plan plan(context, context.pairs(), 0, rows.count());
  ScaleImages images = InputImages(context);
  if (!usual) {
    const ScaleImages made = AddImages(plan, layout, context, 0);
    ACU_RETURN_IF_ERROR(AddSamples(plan, layout, context, images, made));
    images = made;
  }
  for (int scale = 0; scale < kFloatVifScales; ++scale) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel,
                         ChooseVariant(kTuning, usual ? kKernels[scale] : "float_vif_any", context));
    const bool has_next = scale + 1 < kFloatVifScales;
    const ScaleImages next = has_next ? AddImages(plan, layout, context, scale + 1) : images;
    const FloatVifArgs args = {.reference = images.reference,
                               .distorted = images.distorted,
                               .next_reference = next.reference,
                               .next_distorted = next.distorted,
                               .words = plan.Words(),
                               .taps = plan.AddTable("taps", TapsFrom(layout, scale)),
                               .plane = images.Plane(layout.width(scale), layout.height(scale)),
                               .next_stride = next.picture_stride,
                               .noise = layout.settings.pixel.noise,
                               .next_row = next.row_stride,
                               .pair_rows = rows.rows(),
                               .first_row = rows.RowsBefore(scale),
                               .radius = layout.radius(scale),
                               .next_radius = has_next ? layout.radius(scale + 1) : 0,
                               .statistics = scale > 0 || !layout.settings.skip_scale0,
                               .flat_below = LeastFloatNotBelow(layout.settings.pixel.noise),
                               .flat_factor = layout.settings.pixel.flat_factor,
                               .gain_limit = layout.settings.pixel.gain_limit,
                               .sample_scale = SampleScale(layout)};
    const Grid grid = {1, CeilDiv(args.plane.height, kernel->rows), context.pairs()};
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, fmt::format("mirror {}", args.radius)));
    images = next;
  }
  return plan;
}

}  // namespace

const Metric kFloatVifMetric = {
    .name = "float_vif",
    .summary = "visual information fidelity at four scales, in floats",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadFloatVifSettings>,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
