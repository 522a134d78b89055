#include "metric/vif/vif.h"

#include <array>
#include <cmath>
#include <vector>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/block_sums.h"
#include "metric/blocks/per_scale.h"
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
    {.name = "debug", .help = "also write numerators, denominators and their ratio", .default_value = false},
    {.name = "vif_enhn_gain_limit",
     .alias = "egl",
     .help = "largest contrast gain that counts; 1 gives no credit for enhancement",
     .default_value = 100.0,
     .min = 1,
     .max = 100,
     .in_key = true},
    {.name = "vif_skip_scale0",
     .alias = "ssclz",
     .help = "leave out scale 0, whose score is then 0",
     .default_value = false,
     .in_key = true},
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

/// The images of scales 1 to 3 of one frame, reference and distorted.
class Pyramid : public Workspace {
 public:
  explicit Pyramid(const PictureFormat& format) {
    for (int scale = 1; scale < kVifScales; ++scale)
      for (auto& samples : samples_[scale])
        samples.resize(static_cast<size_t>(Stride(format, scale)) * (format.height >> scale));
  }

  static ptrdiff_t Stride(const PictureFormat& format, int scale) { return VifPaddedWidth(format.width >> scale); }

  int16_t* Samples(int scale, int image) { return samples_[scale][image].data(); }

 private:
  std::array<std::array<std::vector<int16_t>, 2>, kVifScales> samples_;
};

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
      : Extractor({.stages = Stages(format), .sums = kVifScales * kVifSumsPerScale}),
        settings_(settings),
        format_(format) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return std::make_unique<Pyramid>(format_); }
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
    Pyramid pyramid(format_);
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
  static std::vector<StageSpec> Stages(const PictureFormat& format) {
    std::vector<StageSpec> stages;
    stages.reserve(kVifScales);
    for (int scale = 0; scale < kVifScales; ++scale) stages.push_back({format.height >> scale});
    return stages;
  }

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
      job.images[i] = stage == 0 ? InputImage(frame.plane(i)) : HalvedImage(pyramid, stage, i);
      if (stage + 1 < kVifScales) job.next[i] = pyramid.Samples(stage + 1, i);
    }
    job.next_stride = Pyramid::Stride(format_, stage + 1);
    return job;
  }

  VifImage InputImage(const Plane& luma) const {
    const VifSample sample = format_.bit_depth == 8 ? VifSample::k8 : VifSample::k16;
    return {luma.data, luma.stride, format_.width, format_.height, sample};
  }

  VifImage HalvedImage(Pyramid& pyramid, int scale, int image) const {
    const auto* data = reinterpret_cast<const std::byte*>(pyramid.Samples(scale, image));
    const auto stride = static_cast<ptrdiff_t>(Pyramid::Stride(format_, scale) * sizeof(int16_t));
    return {data, stride, format_.width >> scale, format_.height >> scale, VifSample::kCentred};
  }

  const VifSettings settings_;
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const VifSettings& settings, const PictureFormat& format) {
  return std::make_unique<VifExtractor>(settings, format);
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
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeVifPlan>,
};

}  // namespace acutance
