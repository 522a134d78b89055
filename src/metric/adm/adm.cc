#include "metric/adm/adm.h"

#include <cmath>

#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/adm/adm_scale.h"
#include "metric/blocks/per_scale.h"

namespace acutance {
namespace {

constexpr OptionSpec kOptions[] = {
    {.name = "debug", .help = "also write numerators and denominators", .default_value = false},
    {.name = "adm_csf_scale",
     .alias = "scf",
     .help = "multiplies the h and v contrast sensitivity (csf mode 1)",
     .default_value = 1.0,
     .min = 0,
     .max = 50,
     .in_key = true},
    {.name = "adm_csf_diag_scale",
     .alias = "scfd",
     .help = "multiplies the d contrast sensitivity (csf mode 1)",
     .default_value = 1.0,
     .min = 0,
     .max = 50,
     .in_key = true},
    {.name = "adm_dlm_weight",
     .alias = "dlmw",
     .help = "weight of adm2 in adm3; the rest is aim's",
     .default_value = 0.5,
     .min = 0,
     .max = 1,
     .in_key = true},
    {.name = "adm_enhn_gain_limit",
     .alias = "egl",
     .help = "largest contrast gain that counts as enhancement",
     .default_value = 100.0,
     .min = 1,
     .max = 100,
     .in_key = true},
    {.name = "adm_norm_view_dist",
     .alias = "nvd",
     .help = "viewing distance in display heights",
     .default_value = 3.0,
     .min = 0.75,
     .max = 24,
     .in_key = true},
    {.name = "adm_ref_display_height",
     .alias = "rdh",
     .help = "display height in pixels",
     .default_value = 1080,
     .min = 1,
     .max = 4320,
     .in_key = true},
    {.name = "adm_csf_mode",
     .alias = "csf",
     .help = "contrast sensitivity: 0 Watson97, 1 Barten, 2 blend of both, 3 blend by mean absolute error",
     .default_value = 0,
     .min = 0,
     .max = 3,
     .in_key = true},
    {.name = "adm_noise_weight",
     .alias = "nw",
     .help = "weight of the noise term",
     .default_value = 0.03125,
     .min = 0,
     .max = 1500,
     .in_key = true},
    {.name = "adm_skip_aim", .help = "leave out the additive impairments: aim is 0", .default_value = false},
    {.name = "adm_skip_scale0", .alias = "ssz", .help = "leave out scale 0", .default_value = false, .in_key = true},
    {.name = "adm_min_val",
     .alias = "min",
     .help = "smallest adm3",
     .default_value = 0.0,
     .min = 0,
     .max = 1,
     .in_key = true},
};

enum Output {
  kAdm2,
  kAimScore,
  kAdm3,
  kScaleScore,
  kDebugAdm = kScaleScore + kAdmScales,
  kDebugNum,
  kDebugDen,
  kDebugScale
};  // then num and den of each scale

bool IsDebug(const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); }

/// adm3 = w adm2 + (1 - w)(1 - aim).
constexpr DamagePart kAdded = {
    .kind = Damage::kAddedDetail,
    .output = "VMAF_integer_feature_aim_score",
    .weight = [](const OptionValues& options) { return 1 - options.Double("adm_dlm_weight"); }};
constexpr DamageSpec kDamage = {.kind = Damage::kDetail, .ideal = 1};
constexpr auto kOutputs = JoinOutputs(
    std::to_array<OutputSpec>({
        {.name = "VMAF_integer_feature_adm2_score", .alias = "integer_adm2", .rank = 45, .damage = kDamage},
        {.name = "VMAF_integer_feature_aim_score", .alias = "integer_aim", .better = ScoreDirection::kLower},
        {.name = "VMAF_integer_feature_adm3_score",
         .alias = "integer_adm3",
         .damage = {.kind = Damage::kDetail, .ideal = 1, .part = kAdded}},
    }),
    PerScale<kAdmScales, "integer_adm_scale#">({.damage = kDamage}),
    std::to_array<OutputSpec>({
        {.name = "integer_adm", .enabled = IsDebug, .damage = kDamage},
        {.name = "integer_adm_num", .enabled = IsDebug, .better = ScoreDirection::kNeither},
        {.name = "integer_adm_den", .enabled = IsDebug, .better = ScoreDirection::kNeither},
    }),
    PerScale<kAdmScales, "integer_adm_num_scale#", "integer_adm_den_scale#">(
        {.enabled = IsDebug, .better = ScoreDirection::kNeither}));

/// The Minkowski sum's root, with libvmaf's float exponent.
float CubeRoot(float x) { return Powf(x, 1.0f / 3.0f); }

/// Sums of rows -> the floats of docs/spec/core.md 2.8 and 2.9.
class ScaleScores {
 public:
  ScaleScores(const AdmSetup& setup, int scale, std::span<const int64_t> sums)
      : s_(setup.scales[scale]), factor_(setup.settings.csf.factor[scale]), scale_(scale), sums_(sums) {}

  float Masked(AdmSum kind, double noise_weight) const {
    return AddBands(noise_weight, [&](int band) { return MaskedBand(kind, band); });
  }

  float Denominator(double noise_weight) const {
    return AddBands(noise_weight, [&](int band) { return DenominatorBand(band); });
  }

  float MaskedBand(AdmSum kind, int band) const {
    constexpr int kBits0[kAdmBands] = {52, 52, 57};
    constexpr int kBits[kAdmScales] = {0, 45, 39, 36};
    const int bits = scale_ == 0 ? kBits0[band] : kBits[scale_];
    const double sum = static_cast<double>(Sum(kind, band));
    return static_cast<float>(std::ldexp(sum, s_.cube_shift[band] + s_.row_shift - bits));
  }

  float DenominatorBand(int band) const {
    constexpr int kBits[kAdmScales] = {18, 32, 27, 23};
    const double sum = static_cast<double>(static_cast<uint64_t>(Sum(kAdmDen, band)));
    const double scaled = std::ldexp(sum, s_.den_cube_shift + s_.den_row_shift - kBits[scale_]);
    return static_cast<float>(scaled * Pow(static_cast<double>(factor_[band]), 3.0));
  }

 private:
  int64_t Sum(AdmSum kind, int band) const { return sums_[AdmSumIndex(scale_, kind, band)]; }

  template <class BandSum>
  float AddBands(double noise_weight, BandSum band_sum) const {
    const double area = static_cast<double>(static_cast<int64_t>(s_.columns.size()) * s_.rows.size());
    const float noise = CubeRoot(static_cast<float>(area * noise_weight));
    float bands[kAdmBands];
    for (int band = 0; band < kAdmBands; ++band) bands[band] = CubeRoot(band_sum(band)) + noise;
    return (bands[0] + bands[1]) + bands[2];
  }

  const AdmScale& s_;
  const std::array<float, kAdmBands>& factor_;
  const int scale_;
  const std::span<const int64_t> sums_;
};

class AdmExtractor : public Extractor, public BlockSums {
 public:
  AdmExtractor(const AdmSettings& settings, const PictureFormat& format)
      : AdmExtractor(AdmSetup(settings, format),
                     1e-10 * (static_cast<double>(format.width) * format.height) / (1920.0 * 1080.0)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return MakeAdmFrameWorkspace(setup_); }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return MakeAdmThreadWorkspace(setup_); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  void RunBands(std::span<const FrameView> frames, int stage, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    RunAdmBands(setup_, frames, stage, band, workspaces, results);
  }

  void AddBlocks(const FrameView& frame, const BlockGrid& grid, std::span<int64_t> sums) const override {
    const auto whole = MakeFrameWorkspace(), thread = MakeThreadWorkspace();
    const Workspaces workspaces{whole.get(), thread.get()};
    const BandResults results{.sums = sums};
    for (int scale = 0; scale < kAdmScales; ++scale)
      RunAdmBands(setup_, {&frame, 1}, scale, {0, setup_.scales[scale].height}, {&workspaces, 1}, {&results, 1}, &grid);
  }

  /// Cube roots are of sums over the picture, so that a block's loss is its share of what the root lacks.
  std::vector<LossMap> Losses(const BlockGrid& grid, std::span<const int64_t> sums) const override {
    std::vector<LossMap> maps = {{"adm2", std::vector<double>(grid.count()), Damage::kDetail}};
    if (settings_.aim) maps.push_back({"aim", std::vector<double>(grid.count()), Damage::kAddedDetail});
    const std::vector<int64_t> total = AddUp(grid, sums);
    double den = 0;
    for (int scale = 0; scale < kAdmScales; ++scale)
      den +=
          setup_.scales[scale].scored ? ScaleScores(setup_, scale, total).Denominator(settings_.noise_weight) : 1e-10f;
    for (int scale = 0; scale < kAdmScales; ++scale) {
      if (!setup_.scales[scale].scored) continue;
      const ScaleScores whole(setup_, scale, total);
      for (int band = 0; band < kAdmBands; ++band)
        for (LossMap& map : maps) {
          const bool is_aim = map.feature == "aim";
          const auto cubes = [&](const ScaleScores& scores) {
            if (is_aim) return static_cast<double>(scores.MaskedBand(kAdmAim, band));
            return static_cast<double>(scores.DenominatorBand(band)) - scores.MaskedBand(kAdmNum, band);
          };
          const double lost = is_aim ? CubeRoot(whole.MaskedBand(kAdmAim, band))
                                     : static_cast<double>(CubeRoot(whole.DenominatorBand(band))) -
                                           CubeRoot(whole.MaskedBand(kAdmNum, band));
          const double all = cubes(whole);
          if (all == 0) continue;
          for (int block = 0; block < grid.count(); ++block) {
            const ScaleScores scores(setup_, scale, sums.subspan(size_t{kAdmSumCount} * block, kAdmSumCount));
            map.losses[block] += cubes(scores) / all * lost / den;
          }
        }
    }
    return maps;
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const std::span<double> values = outputs.values;
    double num = 0, den = 0, aim = 0;
    for (int scale = 0; scale < kAdmScales; ++scale) {
      const ScaleScores scores(setup_, scale, totals.sums);
      const bool scored = setup_.scales[scale].scored;
      const double scale_num = scored ? scores.Masked(kAdmNum, settings_.noise_weight) : 0.0;
      const double scale_den = scored ? scores.Denominator(settings_.noise_weight) : 1e-10f;
      const double scale_aim = scored && settings_.aim ? scores.Masked(kAdmAim, 0.0) : 0.0;
      num += scale_num;
      den += scale_den;
      aim += scale_aim;
      values[kScaleScore + scale] = scale_num / scale_den;
      if (!settings_.debug) continue;
      values[kDebugScale + 2 * scale] = scale_num;
      values[kDebugScale + 2 * scale + 1] = scale_den;
    }
    FinishFrame(num < zero_limit_ ? 0.0 : num, den < zero_limit_ ? 0.0 : den, aim, values);
    return {};
  }

 private:
  AdmExtractor(const AdmSetup& setup, double zero_limit)
      : Extractor({.stages = Stages(setup), .sums = kAdmSumCount}), setup_(setup), zero_limit_(zero_limit) {}

  static std::vector<StageSpec> Stages(const AdmSetup& setup) {
    std::vector<StageSpec> stages;
    for (const AdmScale& scale : setup.scales) stages.push_back({scale.height});
    return stages;
  }

  void FinishFrame(double num, double den, double aim, std::span<double> values) const {
    // Without detail in the reference, none can be lost. libvmaf leaves aim uninitialised here.
    const double adm2 = den == 0 ? 1.0 : num / den;
    const double aim_score = den == 0 ? 0.0 : aim / den;
    const double adm3 = adm2 * settings_.dlm_weight + (1 - aim_score) * (1 - settings_.dlm_weight);
    values[kAdm2] = adm2;
    values[kAimScore] = aim_score;
    values[kAdm3] = adm3 > settings_.min_val ? adm3 : settings_.min_val;  // NaN becomes min_val
    if (!settings_.debug) return;
    values[kDebugAdm] = adm2;
    values[kDebugNum] = num;
    values[kDebugDen] = den;
  }

  const AdmSetup setup_;
  const AdmSettings& settings_ = setup_.settings;
  const double zero_limit_;  // a sum below it is taken for 0
};

Result<std::unique_ptr<Extractor>> Make(const AdmSettings& settings, const PictureFormat& format) {
  return std::make_unique<AdmExtractor>(settings, format);
}

}  // namespace

const Metric kAdmMetric = {
    .name = "adm",
    .summary = "detail loss (adm2), additive impairments (aim) and their blend (adm3) on four wavelet scales",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kBlockSums},
    .prepare = PrepareBy<ReadAdmSettings>,
    .smallest = {kAdmMinDimension, kAdmMinDimension},
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeAdmPlan>,
};

}  // namespace acutance
