#include "metric/vif/vif.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/block_sums.h"
#include "metric/blocks/float_pyramid.h"
#include "metric/blocks/partial_sums.h"
#include "metric/blocks/per_scale.h"
#include "metric/blocks/scale_images.h"
#include "metric/vif/vif_args.h"
#include "metric/vif/vif_math.h"

namespace acutance {

const std::array<uint16_t, 32768>& VifLogTable() {
  static const auto table = [] {
    std::array<uint16_t, 32768> t;
    constexpr double kFloatRounding = 0x1p-10;  // libvmaf rounds log2 to float first: up where exact is 2^-10 short
    for (int i = 0; i < 32768; ++i)
      t[i] = static_cast<uint16_t>(std::floor(2048 * Log2(32768.0 + i) + 0.5 + kFloatRounding));
    return t;
  }();
  return table;
}

namespace {

const OptionSpec kOptions[] = {
    {"debug", "", "also write numerators, denominators and their ratio", false, 0, 0, false},
    {"vif_enhn_gain_limit", "egl", "largest contrast gain that counts; 1 gives no credit for enhancement", 100.0, 1,
     100, true},
    {"vif_skip_scale0", "ssclz", "leave out scale 0, whose score is then 0", false, 0, 0, true},
};

enum Output { kScaleScore, kDebugVif = kScaleScore + kVifScales, kDebugNum, kDebugDen, kDebugScale };

bool IsDebug(const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); }

constexpr DamageSpec kDamage = {.kind = Damage::kTexture, .ideal = 1};
constexpr auto kOutputs = JoinOutputs(
    std::to_array<OutputSpec>({
        {.name = "VMAF_integer_feature_vif_scale0_score", .alias = "integer_vif_scale0", .rank = 50, .damage = kDamage},
        {.name = "VMAF_integer_feature_vif_scale1_score", .alias = "integer_vif_scale1", .damage = kDamage},
        {.name = "VMAF_integer_feature_vif_scale2_score", .alias = "integer_vif_scale2", .damage = kDamage},
        {.name = "VMAF_integer_feature_vif_scale3_score", .alias = "integer_vif_scale3", .damage = kDamage},
        {.name = "integer_vif", .enabled = IsDebug, .damage = kDamage},
        {.name = "integer_vif_num", .enabled = IsDebug, .better = ScoreDirection::kNeither},
        {.name = "integer_vif_den", .enabled = IsDebug, .better = ScoreDirection::kNeither},
    }),
    PerScale<kVifScales, "integer_vif_num_scale#", "integer_vif_den_scale#">(
        {.enabled = IsDebug, .better = ScoreDirection::kNeither}));

VifSettings ReadSettings(const OptionValues& options) {
  return {.gain_limit = options.Double("vif_enhn_gain_limit"),
          .skip_scale0 = options.Bool("vif_skip_scale0"),
          .debug = options.Bool("debug")};
}

using Pyramid = PyramidOf<int16_t>;  // of scales 1 to 3

/// Numerator and denominator of a scale: one rounding to float each (docs/spec/core.md 1.6).
struct Ratio {
  float num;
  float den;
};

/// Out of line because g++ 12 at -O3 pairs num and den in a vector and loses the rounding (double -> float -> double).
[[gnu::noinline]] float RoundToFloat(double x) { return static_cast<float>(x); }

Ratio ScaleRatio(std::span<const int64_t> sums) {
  const auto sum = [&](VifSum which) { return static_cast<double>(sums[which]); };
  const double flat = sum(kVifFlatCount) - sum(kVifFlatNum) / 16384.0 / 65025.0;
  return {RoundToFloat(sum(kVifNumLog) / 2048.0 + flat), RoundToFloat(sum(kVifDenLog) / 2048.0 + sum(kVifFlatCount))};
}

class VifExtractor : public Extractor, public BlockSums {
 public:
  VifExtractor(const VifSettings& settings, const PictureFormat& format)
      : Extractor({.stages = {{format.height}, {format.height >> 1}, {format.height >> 2}, {format.height >> 3}},
                   .sums = kVifScales * kVifSumsPerScale}),
        settings_(settings),
        format_(format) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return std::make_unique<Pyramid>(SmallerSizes()); }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<VifBuffers>(); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  void RunBands(std::span<const FrameView> frames, int stage, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    std::vector<VifJob> jobs;
    std::vector<VifSums> sums;
    for (size_t i = 0; i < frames.size(); ++i) {
      jobs.push_back(MakeJob(frames[i], stage, PyramidOf(workspaces[0]), PyramidOf(workspaces[i])));
      sums.push_back(results[i].sums.subspan(stage * kVifSumsPerScale).first<kVifSumsPerScale>());
    }
    RunVifBands(jobs, band, static_cast<VifBuffers&>(*workspaces[0].thread), sums);
  }

  void AddBlocks(const FrameView& frame, const BlockGrid& grid, std::span<int64_t> sums) const override {
    Pyramid pyramid(SmallerSizes());
    const auto buffers = std::make_unique<VifBuffers>();
    for (int scale = 0; scale < kVifScales; ++scale) {
      const VifJob job = MakeJob(frame, scale, pyramid, pyramid);
      const int size = grid.size >> scale;
      for (int row = 0; row < CeilDiv(format_.height >> scale, size); ++row) {
        const int count = CeilDiv(format_.width >> scale, size);
        std::vector<VifSums> columns;
        columns.reserve(static_cast<size_t>(count));
        for (int column = 0; column < count; ++column)
          columns.push_back(sums.subspan(SumsBefore(grid, row, column, scale)).first<kVifSumsPerScale>());
        RunVifColumns(job, {row * size, std::min((row + 1) * size, format_.height >> scale)}, size, *buffers, columns);
      }
    }
  }

  std::vector<LossMap> Losses(const BlockGrid& grid, std::span<const int64_t> sums) const override {
    const std::vector<int64_t> total = AddUp(grid, sums);
    std::vector<LossMap> maps;
    for (int scale = settings_.skip_scale0 ? 1 : 0; scale < kVifScales; ++scale) {
      const double den = ScaleRatio(std::span(total).subspan(scale * kVifSumsPerScale)).den;
      LossMap map{fmt::format("vif_scale{}", scale), {}, kDamage.kind};
      for (int block = 0; block < grid.count(); ++block) {
        const Ratio ratio = ScaleRatio(sums.subspan(SumsBefore(grid, 0, block, scale)));
        map.losses.push_back((static_cast<double>(ratio.den) - ratio.num) / den);
      }
      maps.push_back(std::move(map));
    }
    return maps;
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const std::span<double> values = outputs.values;
    double total_num = 0, total_den = 0;
    for (int scale = 0; scale < kVifScales; ++scale) {
      const bool skipped = scale == 0 && settings_.skip_scale0;
      const Ratio ratio = skipped ? Ratio{0, -1} : ScaleRatio(totals.sums.subspan(scale * kVifSumsPerScale));
      values[kScaleScore + scale] = skipped ? 0.0 : static_cast<double>(ratio.num / ratio.den);
      if (settings_.debug) {
        values[kDebugScale + 2 * scale] = ratio.num;
        values[kDebugScale + 2 * scale + 1] = ratio.den;
      }
      if (skipped) continue;
      total_num += ratio.num;
      total_den += ratio.den;
    }
    if (!settings_.debug) return {};
    values[kDebugNum] = total_num;
    values[kDebugDen] = total_den;
    values[kDebugVif] = total_den == 0 ? 1.0 : total_num / total_den;
    return {};
  }

 private:
  /// Where a block's sums of a scale begin.
  static size_t SumsBefore(const BlockGrid& grid, int row, int column, int scale) {
    return (size_t{1} * row * grid.columns + column) * kVifScales * kVifSumsPerScale + scale * kVifSumsPerScale;
  }

  static Pyramid& PyramidOf(const Workspaces& workspaces) { return static_cast<Pyramid&>(*workspaces.frame); }

  VifJob MakeJob(const FrameView& frame, int stage, Pyramid& reference, Pyramid& distorted) const {
    VifJob job;
    job.scale = stage;
    job.bit_depth = stage == 0 ? format_.bit_depth : 16;
    job.statistics = stage > 0 || !settings_.skip_scale0;
    job.gain_limit = settings_.gain_limit;
    for (int i = 0; i < 2; ++i) {
      Pyramid& pyramid = i == 0 ? reference : distorted;
      if (stage > 0) job.images[i] = {pyramid.At(stage)[i].view(), VifSample::kCentred};
      else job.images[i] = {frame.plane(i), format_.bit_depth == 8 ? VifSample::k8 : VifSample::k16};
      if (stage + 1 < kVifScales) job.next[i] = pyramid.At(stage + 1)[i].Row(0);
    }
    if (stage + 1 < kVifScales) job.next_stride = reference.At(stage + 1)[0].stride();
    return job;
  }

  std::array<PictureSize, kVifScales - 1> SmallerSizes() const {
    const auto [width, height] = std::pair(format_.width, format_.height);
    return {{{width >> 1, height >> 1}, {width >> 2, height >> 2}, {width >> 3, height >> 3}}};
  }

  const VifSettings settings_;
  const PictureFormat format_;
};

// --- On devices.

constexpr int kMantissaBits = 52;
constexpr uint64_t MantissaOf(double x) {
  constexpr uint64_t kLeading = uint64_t{1} << kMantissaBits;
  return (std::bit_cast<uint64_t>(x) & (kLeading - 1)) | kLeading;
}
constexpr int ExponentOf(double x) {
  return static_cast<int>(std::bit_cast<uint64_t>(x) >> kMantissaBits) - 1023 - kMantissaBits;
}

constexpr TuningEntry kTuning[] = {
    {"vif_scale0", "", "128x1r8"},
    {"vif_scale1", "", "128x1r8"},
    {"vif_scale2", "", "128x1r8"},
    {"vif_scale3", "", "128x1r8"},
    {"vif_scale0", "sm_", "64x1r8", WorkloadClass::kSmall},
    {"vif_scale0", "nvidia", "256x1r4"},
    {"vif_scale1", "nvidia", "256x1r4", WorkloadClass::kMedium},
    {"vif_scale1", "nvidia", "256x1r4", WorkloadClass::kLarge},
};

constexpr std::string_view kKernels[kVifScales] = {"vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"};

VifGainLimit MakeGainLimit(double limit) {
  const double square = limit * limit;
  return {.mantissa = MantissaOf(limit),
          .square_mantissa = MantissaOf(square),
          .exponent = ExponentOf(limit),
          .square_exponent = ExponentOf(square)};
}

std::array<uint32_t, 2 * vif::kLogParts> LogTable() {
  std::array<uint32_t, 2 * vif::kLogParts> table;
  for (int i = 0; i < vif::kLogParts; ++i) {
    table[i] = kVifLogFit[i].start;
    table[vif::kLogParts + i] = kVifLogFit[i].slope << 8 | kVifLogFit[i].bend;
  }
  return table;
}

Result<Plan> MakePlan(const VifSettings& settings, const PlanContext& context) {
  Plan plan(context, context.pairs(), kVifScales * kVifSumsPerScale);
  PartialSums sums(kVifScales * kVifSumsPerScale);
  const BufferRef log_table = plan.AddTable("parts of the logarithm", LogTable());
  std::vector<PartialSumLaunch<VifArgs>> launches;
  ScaleImages images = InputImages(context);
  for (int scale = 0; scale < kVifScales; ++scale) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, kKernels[scale], context));
    const int width = context.format.width >> scale, height = context.format.height >> scale;
    const int radius = kVifFilters[scale].radius;
    const Grid grid = {CeilDiv(width, kernel->group_x - 2 * radius), CeilDiv(height, kernel->rows), context.pairs()};
    int32_t first_partials[kVifSumsPerScale];
    for (int sum = 0; sum < kVifSumsPerScale; ++sum)
      first_partials[sum] = sums.Reserve(scale * kVifSumsPerScale + sum, grid);
    const ScaleImages next =
        scale + 1 < kVifScales ? AddScaleImages<uint16_t>(plan, context, scale + 1, width / 2, height / 2) : images;
    const VifArgs args = {.reference = images.reference,
                          .distorted = images.distorted,
                          .next_reference = next.reference,
                          .next_distorted = next.distorted,
                          .log_table = log_table,
                          .partials = 0,
                          .plane = images.Plane(width, height),
                          .bit_depth = scale == 0 ? context.format.bit_depth : 16,
                          .statistics = scale == 0 && settings.skip_scale0 ? 0 : 1,
                          .partials_per_frame = 0,
                          .first_partial = first_partials[0],
                          .next_row_stride = next.row_stride,
                          .padding = 0,
                          .limit = MakeGainLimit(settings.gain_limit)};
    launches.push_back({kernel, grid, args, fmt::format("mirror {}", radius)});
    images = next;
  }
  ACU_RETURN_IF_ERROR(AddPartialSums(plan, sums, std::move(launches)));
  return plan;
}

}  // namespace

const Metric kVifMetric = {
    .name = "vif",
    .summary = "visual information fidelity at four scales: the share of the reference's information that is left",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kBlockSums},
    .prepare = PrepareBy<ReadSettings>,
    .smallest = {kVifMinSize, kVifMinSize},
    .make = MakeBy<VifExtractor, VifSettings>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
