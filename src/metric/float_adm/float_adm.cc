#include "metric/float_adm/float_adm.h"

#include <algorithm>

#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/per_scale.h"
#include "metric/blocks/words.h"

namespace acutance {
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

class FloatAdmExtractor : public Extractor {
 public:
  FloatAdmExtractor(const FloatAdmLayout& layout, const FloatAdmSettings& settings)
      : Extractor({.stages = layout.rows().Stages(), .words = layout.rows().count()}),
        layout_(layout),
        settings_(settings) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<FloatPyramid>(layout_.smaller_sizes());
  }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<FloatAdmBuffers>(layout_); }

  void RunBand(const FrameView& frame, int scale, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    auto& images = static_cast<FloatPyramid&>(*workspaces.frame);
    FloatAdmBand(layout_, scale, band, {frame.plane(0), frame.plane(1)}, images,
                 static_cast<FloatAdmBuffers&>(*workspaces.thread), layout_.rows().Of(results.words, scale));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    Totals sum;
    for (int scale = 0; scale < kFloatAdmScales; ++scale) {
      const bool scored = layout_.scales[scale].scored;
      const double num = scored ? Score(totals.words, scale, kFloatAdmNum, settings_.noise_weight) : 0.0f;
      const double den = scored ? Score(totals.words, scale, kFloatAdmDen, settings_.noise_weight) : 1e-10f;
      sum.num += num;
      sum.den += den;
      if (scale != settings_.no_aim_scale) {
        sum.aim += scored ? Score(totals.words, scale, kFloatAdmAim, 0) : 0.0f;
        sum.aim_den += den;
      }
      outputs.values[kScaleScore + scale] = num / den;
      if (!settings_.debug) continue;
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
    const float exponent = 1.0f / layout_.p_norm;
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
    const double weight = settings_.dlm_weight;
    const double adm3 = settings_.harmonic ? 2 * adm2 * aim / (adm2 + aim) : adm2 * weight + (1 - aim) * (1 - weight);
    values[kAdm2] = adm2;
    values[kAimScore] = aim;
    values[kAdm3] = adm3 > settings_.min_val ? adm3 : settings_.min_val;  // NaN becomes min_val
    if (!settings_.debug) return;
    values[kDebugAdm] = adm2;
    values[kDebugNum] = num;
    values[kDebugDen] = den;
  }

  const FloatAdmLayout layout_;
  const FloatAdmSettings settings_;
};

Result<std::unique_ptr<Extractor>> Make(const FloatAdmSettings& settings, const PictureFormat& format) {
  return std::make_unique<FloatAdmExtractor>(MakeFloatAdmLayout(settings, format), settings);
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
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeFloatAdmPlan>,
};

}  // namespace acutance
