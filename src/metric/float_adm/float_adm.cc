#include "metric/float_adm/float_adm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "math/exact_tables.h"
#include "metric/blocks/contrast_sensitivity.h"
#include "metric/blocks/per_scale.h"
#include "metric/blocks/scale_images.h"
#include "metric/blocks/words.h"
#include "metric/float_adm/float_adm_args.h"

namespace acutance {
namespace {

// --- Options, sizes and filters.

enum CsfMode { kWatson = 0, kBartenModel = 1, kNative = 2 };  // all others: Watson's

float NativeFactor(int scale, float pixels_per_degree, bool is_diagonal) {
  const float frequency = static_cast<float>(pixels_per_degree / std::ldexp(1.0, scale + 1));
  const float f = is_diagonal ? static_cast<float>(frequency / 0.7) : frequency;
  return static_cast<float>((0.31 + 0.69 * f) * Exp(-0.29 * f));
}

float Factor(const OptionValues& options, int scale, bool is_diagonal) {
  const double given = options.Double((is_diagonal ? "adm_f2s" : "adm_f1s") + std::to_string(scale));
  if (given >= 0) return static_cast<float>(given);
  const float r = PixelsPerDegree(options.Double("adm_norm_view_dist"), options.Int("adm_ref_display_height"));
  switch (options.Int("adm_csf_mode")) {
    case kBartenModel:
      return Barten(scale, r, options.Double(is_diagonal ? "adm_csf_diag_scale" : "adm_csf_scale"));
    case kNative:
      return NativeFactor(scale, r, is_diagonal);
    default:
      return Watson97(scale, r, is_diagonal);
  }
}

FloatAdmRange ScoredRange(int n) {
  const int margin = std::max((n - 5) / 10, 0);
  return {margin, n - margin};
}

}  // namespace

FloatAdmSettings ReadFloatAdmSettings(const OptionValues& options) {
  FloatAdmSettings settings = {.factors = {},
                               .gain_limit = options.Double("adm_enhn_gain_limit"),
                               .p_norm = static_cast<float>(options.Double("adm_p_norm")),
                               .masks = options.Int("adm_bypass_cm") == 0,
                               .scale0 = !options.Bool("adm_skip_scale0"),
                               .noise_weight = options.Double("adm_noise_weight"),
                               .dlm_weight = options.Double("adm_dlm_weight"),
                               .min_val = options.Double("adm_min_val"),
                               .no_aim_scale = options.Int("adm_skip_aim_scale"),
                               .harmonic = options.Bool("adm_adm3_apply_hm"),
                               .debug = options.Bool("debug")};
  for (int scale = 0; scale < kFloatAdmScales; ++scale) {
    const float hv = Factor(options, scale, false);
    settings.factors[scale] = {hv, hv, Factor(options, scale, true)};
  }
  return settings;
}

FloatAdmLayout MakeFloatAdmLayout(const FloatAdmSettings& settings, const PictureFormat& format) {
  FloatAdmLayout layout = {.settings = settings, .bit_depth = format.bit_depth, .scales = {}};
  int width = format.width, height = format.height;
  for (int scale = 0; scale < kFloatAdmScales; ++scale) {
    const int band_width = (width + 1) / 2, band_height = (height + 1) / 2;
    layout.scales[scale] = {.width = width,
                            .height = height,
                            .band_width = band_width,
                            .band_height = band_height,
                            .columns = ScoredRange(band_width),
                            .rows = ScoredRange(band_height),
                            .factor = settings.factors[scale],
                            .scored = scale > 0 || settings.scale0};
    width = band_width;
    height = band_height;
  }
  return layout;
}

ScaleRows FloatAdmLayout::rows() const {
  ScaleRows rows = {.heights = {}, .per_row = kFloatAdmSums};
  for (const FloatAdmScale& scale : scales) rows.heights.push_back(scale.band_height);
  return rows;
}

std::vector<PictureSize> FloatAdmLayout::smaller_sizes() const {
  std::vector<PictureSize> sizes;
  for (int scale = 1; scale < kFloatAdmScales; ++scale) sizes.push_back({scales[scale].width, scales[scale].height});
  return sizes;
}

FloatAdmBuffers::FloatAdmBuffers(const FloatAdmLayout& layout)
    : samples(2 * kSampleRows, layout.scales[0].width),
      columns(8, layout.scales[0].band_width + 1),
      ring(kRing * kRingRows, layout.scales[0].band_width) {}

namespace {

const OptionSpec kOptions[] = {
    {"debug", "", "also write numerators and denominators", false, 0, 1, false},
    {"adm_enhn_gain_limit", "egl", "largest contrast gain that counts as enhancement", 100.0, 1, 100, true},
    {"adm_norm_view_dist", "nvd", "viewing distance in display heights", 3.0, 0.75, 24, true},
    {"adm_noise_weight", "nw", "weight of the noise term", 0.03125, 0, 1500, true},
    {"adm_csf_scale", "scf", "multiplies the h and v contrast sensitivity (csf mode 1)", 1.0, 0, 50, true},
    {"adm_csf_diag_scale", "scfd", "multiplies the d contrast sensitivity (csf mode 1)", 1.0, 0, 50, true},
    {"adm_ref_display_height", "rdf", "display height in pixels", 1080, 1, 4320, true},
    {"adm_csf_mode", "csf", "contrast sensitivity: 0 Watson97, 1 Barten, 2 by frequency alone, 3 to 9 as 0", 0, 0, 9,
     true},
    {"adm_bypass_cm", "bcm", "1: no contrast masking", 0, 0, 1, true},
    {"adm_adm3_apply_hm", "aah", "adm3 is the harmonic mean of adm2 and aim", false, 0, 1, true},
    {"adm_p_norm", "apn", "exponent of the sums", 3.0, 1, 20, true},
    {"adm_dlm_weight", "dlmw", "weight of adm2 in adm3; the rest is aim's", 0.5, 0, 1, true},
    {"adm_min_val", "min", "smallest adm3", 0.0, 0, 1, true},
    {"adm_f1s0", "f1s0", "h and v contrast sensitivity of scale 0; below 0: by csf mode", -1.0, -1, 10, true},
    {"adm_f1s1", "f1s1", "the same of scale 1", -1.0, -1, 10, true},
    {"adm_f1s2", "f1s2", "the same of scale 2", -1.0, -1, 10, true},
    {"adm_f1s3", "f1s3", "the same of scale 3", -1.0, -1, 10, true},
    {"adm_f2s0", "f2s0", "d contrast sensitivity of scale 0; below 0: by csf mode", -1.0, -1, 10, true},
    {"adm_f2s1", "f2s1", "the same of scale 1", -1.0, -1, 10, true},
    {"adm_f2s2", "f2s2", "the same of scale 2", -1.0, -1, 10, true},
    {"adm_f2s3", "f2s3", "the same of scale 3", -1.0, -1, 10, true},
    {"adm_skip_aim_scale", "sasc", "a scale that aim leaves out; -1, the default, is none", -1, 0, 3, true},
    {"adm_skip_scale0", "ssz", "leave out scale 0", false, 0, 1, true},
};

enum Output {
  kAdm2,
  kAimScore,
  kAdm3,
  kScaleScore,
  kDebugAdm = kScaleScore + kFloatAdmScales,
  kDebugNum,
  kDebugDen,
  kDebugScale
};

bool IsDebug(const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); }

/// adm3 = w adm2 + (1 - w)(1 - aim).
constexpr DamagePart kAdded = {
    .kind = Damage::kAddedDetail, .output = "VMAF_feature_aim_score", .weight = [](const OptionValues& options) {
      return 1 - options.Double("adm_dlm_weight");
    }};
constexpr DamageSpec kDamage = {.kind = Damage::kDetail, .ideal = 1};
constexpr auto kOutputs =
    JoinOutputs(std::to_array<OutputSpec>({
                    {.name = "VMAF_feature_adm2_score", .alias = "adm2", .rank = 45, .damage = kDamage},
                    {.name = "VMAF_feature_aim_score", .alias = "aim", .better = ScoreDirection::kLower},
                    {.name = "VMAF_feature_adm3_score",
                     .alias = "adm3",
                     .damage = {.kind = Damage::kDetail, .ideal = 1, .part = kAdded}},
                    {.name = "VMAF_feature_adm_scale0_score", .alias = "adm_scale0", .damage = kDamage},
                    {.name = "VMAF_feature_adm_scale1_score", .alias = "adm_scale1", .damage = kDamage},
                    {.name = "VMAF_feature_adm_scale2_score", .alias = "adm_scale2", .damage = kDamage},
                    {.name = "VMAF_feature_adm_scale3_score", .alias = "adm_scale3", .damage = kDamage},
                    {.name = "adm", .enabled = IsDebug, .plain_key = true, .damage = kDamage},
                    {.name = "adm_num", .enabled = IsDebug, .better = ScoreDirection::kNeither},
                    {.name = "adm_den", .enabled = IsDebug, .better = ScoreDirection::kNeither},
                }),
                PerScale<kFloatAdmScales, "adm_num_scale#", "adm_den_scale#">(
                    {.enabled = IsDebug, .better = ScoreDirection::kNeither}));

struct Totals {
  double num = 0, den = 0, aim = 0, aim_den = 0;
};

class FloatAdmExtractor : public FloatScalesExtractor<FloatAdmLayout, FloatAdmBuffers, FloatAdmBand> {
 public:
  FloatAdmExtractor(const FloatAdmSettings& settings, const PictureFormat& format)
      : FloatScalesExtractor(MakeFloatAdmLayout(settings, format)) {}

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    Totals sum;
    for (int scale = 0; scale < kFloatAdmScales; ++scale) {
      const bool scored = layout_.scales[scale].scored;
      const double num = scored ? Score(totals.words, scale, kFloatAdmNum, layout_.settings.noise_weight) : 0.0f;
      const double den = scored ? Score(totals.words, scale, kFloatAdmDen, layout_.settings.noise_weight) : 1e-10f;
      sum.num += num;
      sum.den += den;
      if (scale != layout_.settings.no_aim_scale) {
        sum.aim += scored ? Score(totals.words, scale, kFloatAdmAim, 0) : 0.0f;
        sum.aim_den += den;
      }
      outputs.values[kScaleScore + scale] = num / den;
      if (!layout_.settings.debug) continue;
      outputs.values[kDebugScale + 2 * scale] = num;
      outputs.values[kDebugScale + 2 * scale + 1] = den;
    }
    WriteScores(sum, outputs.values);
    return {};
  }

 private:
  /// Roots of the bands' sums, each with the noise's. Rows are added in float, from the first to
  /// the last.
  float Score(std::span<const int64_t> words, int scale, FloatAdmSum kind, double noise_weight) const {
    const FloatAdmScale& s = layout_.scales[scale];
    const std::span<const int64_t> rows = layout_.rows().Of(words, scale);
    const float exponent = 1.0f / layout_.settings.p_norm;
    const double area = static_cast<double>(static_cast<int64_t>(s.columns.size()) * s.rows.size());
    const float noise = Powf(static_cast<float>(area * noise_weight), exponent);
    float bands[kFloatAdmBands];
    for (int b = 0; b < kFloatAdmBands; ++b) {
      float sum = 0;
      for (int y = s.rows.begin; y < s.rows.end; ++y)
        sum += FloatFromWord(rows[y * kFloatAdmSums + kind * kFloatAdmBands + b]);
      bands[b] = Powf(sum, exponent) + noise;
    }
    return (bands[0] + bands[1]) + bands[2];
  }

  void WriteScores(const Totals& sum, std::span<double> values) const {
    const double area = static_cast<double>(layout_.scales[0].width) * layout_.scales[0].height;
    const auto or_zero = [&](double x) { return x < 1e-10 * area / (1920.0 * 1080.0) ? 0.0 : x; };
    const double num = or_zero(sum.num), den = or_zero(sum.den);
    const double adm2 = den == 0 ? 1.0 : num / den;
    const double aim = sum.aim_den == 0 ? 0.0 : std::min(sum.aim / sum.aim_den, 1.0);
    const double weight = layout_.settings.dlm_weight;
    const double adm3 =
        layout_.settings.harmonic ? 2 * adm2 * aim / (adm2 + aim) : adm2 * weight + (1 - aim) * (1 - weight);
    values[kAdm2] = adm2;
    values[kAimScore] = aim;
    values[kAdm3] = adm3 > layout_.settings.min_val ? adm3 : layout_.settings.min_val;  // NaN becomes min_val
    if (!layout_.settings.debug) return;
    values[kDebugAdm] = adm2;
    values[kDebugNum] = num;
    values[kDebugDen] = den;
  }
};

// --- On devices.

constexpr TuningEntry kTuning[] = {
    {"float_adm_scale0", "", "64x4"},
    {"float_adm_scale", "", "64x4"},
    {"float_adm_scale0_power", "", "64x4"},
    {"float_adm_scale_power", "", "64x4"},
};

Result<const KernelImage*> Choose(const FloatAdmLayout& layout, int scale, const PlanContext& context) {
  const bool power = layout.settings.p_norm != 3;
  if (scale == 0) return ChooseVariant(kTuning, power ? "float_adm_scale0_power" : "float_adm_scale0", context);
  return ChooseVariant(kTuning, power ? "float_adm_scale_power" : "float_adm_scale", context);
}

Result<Plan> MakePlan(const FloatAdmSettings& settings, const PlanContext& context) {
  const FloatAdmLayout layout = MakeFloatAdmLayout(settings, context.format);
  const ScaleRows rows = layout.rows();
  Plan plan(context, context.pairs(), 0, rows.count());
  const BufferRef table = plan.AddTable("exact functions", std::span(kExactTable, EXACT_TABLE_WORDS));
  ScaleImages images = InputImages(context);
  for (int scale = 0; scale < kFloatAdmScales; ++scale) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, Choose(layout, scale, context));
    const FloatAdmScale& s = layout.scales[scale];
    const bool has_next = scale + 1 < kFloatAdmScales;
    const ScaleImages next =
        has_next ? AddScaleImages<float>(plan, context, scale + 1, s.band_width, s.band_height) : images;
    const FloatAdmArgs args = {.reference = images.reference,
                               .distorted = images.distorted,
                               .next_reference = next.reference,
                               .next_distorted = next.distorted,
                               .words = plan.Words(),
                               .table = table,
                               .plane = images.Plane(s.width, s.height),
                               .next_stride = next.picture_stride,
                               .gain_limit = layout.settings.gain_limit,
                               .next_row = next.row_stride,
                               .pair_rows = rows.rows(),
                               .first_row = rows.RowsBefore(scale),
                               .column_margin = s.columns.begin,
                               .row_margin = s.scored ? s.rows.begin : s.band_height,
                               .flags = (has_next ? 1 : 0) | (layout.settings.masks ? 2 : 0),
                               .side_factor = s.factor[0] * FLOAT_ADM_SCALE,
                               .diagonal_factor = s.factor[2] * FLOAT_ADM_SCALE,
                               .p_norm = layout.settings.p_norm,
                               .sample_scale = 1.0f / static_cast<float>(1 << (layout.bit_depth - 8))};
    const Grid grid = {1, CeilDiv(s.band_height, kernel->group_y), context.pairs()};
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, "mirror at the first edge, repeat at the last"));
    images = next;
  }
  return plan;
}

}  // namespace

const Metric kFloatAdmMetric = {
    .name = "float_adm",
    .summary =
        "detail loss (adm2), additive impairments (aim) and their blend (adm3) on four wavelet scales, in floats",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadFloatAdmSettings>,
    .smallest = {kFloatAdmMinSide, kFloatAdmMinSide},
    .make = MakeBy<FloatAdmExtractor, FloatAdmSettings>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
