#include "metric/float_vif/float_vif.h"

#include <algorithm>
#include <string>
#include <utility>

#include "exec/plan.h"
#include "metric/blocks/per_scale.h"

namespace acutance {
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
class FloatVifExtractor : public Extractor {
 public:
  FloatVifExtractor(FloatVifLayout layout, const FloatVifSettings& settings)
      : Extractor({.stages = layout.rows().Stages(), .words = layout.rows().count()}),
        layout_(std::move(layout)),
        settings_(settings) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<FloatPyramid>(layout_.smaller_sizes());
  }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<FloatVifBuffers>(layout_); }

  void RunBand(const FrameView& frame, int scale, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    auto& images = static_cast<FloatPyramid&>(*workspaces.frame);
    FloatVifBand(layout_, scale, band, {frame.plane(0), frame.plane(1)}, images,
                 static_cast<FloatVifBuffers&>(*workspaces.thread), layout_.rows().Of(results.words, scale));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double num = 0, den = 0;
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
      const bool skipped = scale == 0 && layout_.skip_scale0;
      const float_vif::FloatVifTerms sums = skipped ? float_vif::FloatVifTerms{0, -1} : SumRows(totals.words, scale);
      const double scale_num = sums.num, scale_den = sums.den;
      outputs.values[kScaleScore + scale] = skipped ? 0.0 : std::max(scale_num / scale_den, settings_.least[scale]);
      if (!settings_.debug) continue;
      outputs.values[kDebugScale + 2 * scale] = scale_num;
      outputs.values[kDebugScale + 2 * scale + 1] = scale_den;
      num += skipped ? 0.0 : scale_num;
      den += skipped ? 0.0 : scale_den;
    }
    if (!settings_.debug) return {};
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

  const FloatVifLayout layout_;
  const FloatVifSettings settings_;
};

Result<std::unique_ptr<Extractor>> Make(const FloatVifSettings& settings, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(FloatVifLayout layout, MakeFloatVifLayout(settings, format));
  return std::make_unique<FloatVifExtractor>(std::move(layout), settings);
}

}  // namespace

const Metric kFloatVifMetric = {
    .name = "float_vif",
    .summary = "visual information fidelity at four scales, in floats",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadFloatVifSettings>,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeFloatVifPlan>,
};

}  // namespace acutance
