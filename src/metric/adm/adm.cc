#include "metric/adm/adm.h"

#include <array>
#include <cmath>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/adm/adm_math.h"
#include "metric/adm/adm_scale.h"
#include "metric/adm/adm_scale_args.h"
#include "metric/adm/adm_sum_args.h"
#include "metric/blocks/per_scale.h"
#include "metric/blocks/scale_images.h"
#include "metric/joined_options.h"

namespace acutance {
namespace {

constexpr OptionSpec kOptions[] = {
    {"debug", "", "also write numerators and denominators", false, 0, 0, false},
    {"adm_csf_scale", "scf", "multiplies the h and v contrast sensitivity (csf mode 1)", 1.0, 0, 50, true},
    {"adm_csf_diag_scale", "scfd", "multiplies the d contrast sensitivity (csf mode 1)", 1.0, 0, 50, true},
    {"adm_dlm_weight", "dlmw", "weight of adm2 in adm3; the rest is aim's", 0.5, 0, 1, true},
    {"adm_enhn_gain_limit", "egl", "largest contrast gain that counts as enhancement", 100.0, 1, 100, true},
    {"adm_norm_view_dist", "nvd", "viewing distance in display heights", 3.0, 0.75, 24, true},
    {"adm_ref_display_height", "rdh", "display height in pixels", 1080, 1, 4320, true},
    {"adm_csf_mode", "csf",
     "contrast sensitivity: 0 Watson97, 1 Barten, 2 blend of both, 3 blend by mean absolute error", 0, 0, 3, true},
    {"adm_noise_weight", "nw", "weight of the noise term", 0.03125, 0, 1500, true},
    {"adm_skip_aim", "", "leave out the additive impairments: aim is 0", false, 0, 0, false},
    {"adm_skip_scale0", "ssz", "leave out scale 0", false, 0, 0, true},
    {"adm_min_val", "min", "smallest adm3", 0.0, 0, 1, true},
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

class AdmExtractor : public Extractor, public BlockSums, public JoinedOptions {
 public:
  AdmExtractor(const AdmSettings& settings, const PictureFormat& format)
      : Extractor({.stages = StagesOf(AdmSetup(settings, format).scales, &AdmScale::height), .sums = kAdmSumCount}),
        setup_(settings, format),
        zero_limit_(1e-10 * (static_cast<double>(format.width) * format.height) / (1920.0 * 1080.0)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return MakeAdmFrameWorkspace(setup_); }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return MakeAdmThreadWorkspace(setup_); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  void RunBands(std::span<const FrameView> frames, int stage, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    RunJoined({}, frames, stage, band, workspaces, results);
  }

  /// Bands and what of them the reference restores before a gain limit are the same with all options.
  bool CanJoin(const Extractor& other) const override {
    return settings_.scale0 == static_cast<const AdmExtractor&>(other).settings_.scale0;
  }

  void RunJoined(std::span<const Extractor* const> joined, std::span<const FrameView> frames, int stage, RowBand band,
                 std::span<const Workspaces> workspaces, std::span<const BandResults> results) const override {
    std::vector<const AdmSetup*> setups = {&setup_};
    for (const Extractor* other : joined) setups.push_back(&static_cast<const AdmExtractor*>(other)->setup_);
    RunAdmBands(setups, frames, stage, band, workspaces, results);
  }

  void AddBlocks(const FrameView& frame, const BlockGrid& grid, std::span<int64_t> sums) const override {
    const auto whole = MakeFrameWorkspace(), thread = MakeThreadWorkspace();
    const Workspaces workspaces{whole.get(), thread.get()};
    const BandResults results{.sums = sums};
    const AdmSetup* const setup = &setup_;
    for (int scale = 0; scale < kAdmScales; ++scale)
      RunAdmBands({&setup, 1}, {&frame, 1}, scale, {0, setup_.scales[scale].height}, {&workspaces, 1}, {&results, 1},
                  &grid);
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

// --- On devices.

static_assert(kAdmBands == ADM_BANDS && kAdmSumKinds * kAdmBands == ADM_TILE_SUMS);

constexpr const char* kScaleKernels[kAdmScales] = {"adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3"};
constexpr int kRowMultiple = 32;  // samples of band a

constexpr TuningEntry kTuning[] = {
    {"adm_scale0", "", "16x16r4"},
    {"adm_scale1", "", "16x16r4"},
    {"adm_scale2", "", "16x16r4"},
    {"adm_scale3", "", "16x8r4"},
    {"adm_sum", "", "256x1"},
    {"adm_scale0", "nvidia", "32x8r2", WorkloadClass::kSmall},
    {"adm_scale1", "sm_", "32x8r2", WorkloadClass::kSmall},
    {"adm_scale2", "sm_", "32x8r2", WorkloadClass::kSmall},
    {"adm_scale3", "sm_", "32x8r2", WorkloadClass::kSmall},
};

/// How a scale is divided among workgroups.
struct Tiles {
  Tiles(const AdmScale& s, const KernelImage& kernel)
      : columns(kernel.group_x * kernel.rows - 2 * ADM_MARGIN_COLUMNS),
        rows(kernel.group_y - 2 * ADM_MARGIN_ROWS),
        scored((s.columns.end - 1) / columns - s.columns.begin / columns + 1) {}
  int columns, rows;
  int scored;  // columns of tiles that have scored columns
};

class PlanMaker {
 public:
  PlanMaker(const AdmSetup& setup, const PlanContext& context)
      : setup_(setup), context_(context), plan_(context, context.pairs(), kAdmSumCount) {}

  Result<Plan> Make() {
    for (int scale = 0; scale < kAdmScales; ++scale) {
      ACU_ASSIGN_OR_RETURN(kernels_[scale], ChooseVariant(kTuning, kScaleKernels[scale], context_));
      Reserve(scale);
    }
    row_sums_ = plan_.AddScratch("row sums", sizeof(uint64_t) * row_sums_per_frame_ * context_.pairs());
    ScaleImages input = InputImages(context_);
    for (int scale = 0; scale < kAdmScales; ++scale) {
      const ScaleImages low = scale + 1 < kAdmScales ? AddLow(scale) : input;  // the last one writes none
      ACU_RETURN_IF_ERROR(AddScale(scale, input, low));
      input = low;
    }
    ACU_RETURN_IF_ERROR(AddSums());
    return std::move(plan_);
  }

 private:
  /// Row sums of scale `scale`, and what becomes of them.
  void Reserve(int scale) {
    const AdmScale& s = setup_.scales[scale];
    first_[scale] = row_sums_per_frame_;
    if (!s.scored) return;
    const int parts = Tiles(s, *kernels_[scale]).scored;
    for (int k = 0; k < ADM_TILE_SUMS; ++k) {
      const AdmSum kind = static_cast<AdmSum>(k / kAdmBands);
      if (kind == kAdmAim && !setup_.settings.aim) continue;
      const int shift = kind == kAdmDen ? s.den_row_shift : s.row_shift;
      const int first = first_[scale] + k * parts * s.rows.size();
      ranges_[AdmSumIndex(scale, kind, k % kAdmBands)] = {first, s.rows.size(), parts, shift};
    }
    row_sums_per_frame_ += ADM_TILE_SUMS * parts * s.rows.size();
  }

  /// Band a of a scale: for each frame the reference's, then the distorted one.
  ScaleImages AddLow(int scale) {
    const AdmScale& s = setup_.scales[scale];
    const size_t sample_bytes = scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
    const int row = CeilDiv(s.width, kRowMultiple) * kRowMultiple;
    const int64_t picture = static_cast<int64_t>(row) * s.height;
    const BufferRef buffer =
        plan_.AddScratch(fmt::format("band a of scale {}", scale), 2 * picture * context_.pairs() * sample_bytes);
    return {buffer, {buffer.buffer, picture * sample_bytes}, 2 * picture, row};
  }

  Status AddScale(int scale, const ScaleImages& input, const ScaleImages& low) {
    const AdmScale& s = setup_.scales[scale];
    const adm::AdmGainBits gain = adm::MakeAdmGainBits(setup_.settings.gain_limit);
    const AdmRange none = {0, 0};
    const AdmRange rows = s.scored ? s.rows : none;
    const AdmScaleArgs args = {.reference = input.reference,
                               .distorted = input.distorted,
                               .low = low.reference,
                               .row_sums = BufferRef{row_sums_.buffer, first_[scale] * sizeof(uint64_t)},
                               .picture_stride = input.picture_stride / 2,
                               .row_stride = input.row_stride / 2,
                               .inverse = inverse_of(input.videos),
                               .in_width = s.in_width,
                               .in_height = s.in_height,
                               .low_picture_stride = static_cast<int32_t>(low.picture_stride / 2),
                               .low_row_stride = low.row_stride,
                               .first_column = s.columns.begin,
                               .end_column = s.columns.end,
                               .first_row = rows.begin,
                               .end_row = rows.end,
                               .factor = s.factor[0],
                               .diagonal_factor = s.factor[2],
                               .cube_shift = s.cube_shift[0],
                               .den_cube_shift = s.den_cube_shift,
                               .aim = setup_.settings.aim,
                               .integer_gain = gain.integer,
                               .gain_high = gain.high,
                               .gain_low = gain.low,
                               .gain_shift = gain.shift,
                               .bit_depth = context_.format.bit_depth,
                               .row_sums_per_frame = row_sums_per_frame_,
                               .padding = 0};
    const Tiles tiles(s, *kernels_[scale]);
    const Grid grid = {CeilDiv(s.width, tiles.columns), CeilDiv(s.height, tiles.rows), context_.pairs()};
    return plan_.AddLaunch(*kernels_[scale], grid, args, "-1 reads 1, n reads n - 1");
  }

  Status AddSums() {
    const AdmSumArgs args = {.row_sums = row_sums_,
                             .ranges = plan_.AddTable("rows of the sums", ranges_),
                             .sums = plan_.Sums(),
                             .row_sums_per_frame = row_sums_per_frame_,
                             .sum_count = kAdmSumCount};
    return plan_.AddGroups(kTuning, "adm_sum", {kAdmSumCount, 1, context_.pairs()}, args, "none");
  }

  /// The numbers that adm_sum.kernel.h reads.
  struct Range {
    int32_t first, rows, parts, shift;
  };

  const AdmSetup setup_;
  const PlanContext& context_;
  Plan plan_;
  std::array<const KernelImage*, kAdmScales> kernels_{};
  BufferRef row_sums_;
  std::array<int, kAdmScales> first_{};  // of the scale's row sums in a frame's
  std::array<Range, kAdmSumCount> ranges_{};
  int32_t row_sums_per_frame_ = 0;
};

Result<Plan> MakePlan(const AdmSettings& settings, const PlanContext& context) {
  return PlanMaker(AdmSetup(settings, context.format), context).Make();
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
    .make = MakeBy<AdmExtractor, AdmSettings>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
