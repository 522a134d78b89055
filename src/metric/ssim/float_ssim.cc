// Stages: the shrunk planes, unless the factor is 1; then the rows of windows.
#include <algorithm>

#include "exec/plan.h"
#include "metric/ssim/ssim.h"

namespace acutance {
namespace {

const OptionSpec kOptions[] = {
    {"enable_lcs", "", "also write the means of luminance, contrast and structure", false, 0, 1, false},
    {"enable_db", "", "write the score in dB: -10 log10 of 1 - score", false, 0, 1, false},
    {"clip_db", "", "limit the dB to what half a squared error of one sample in the picture would give", false, 0, 1,
     false},
    {"scale", "", "shrink pictures by this factor; 0: by their shorter side / 256, rounded", 0, 0, 10, false},
};

bool LcsEnabled(const OptionValues& options, const PictureFormat&) { return options.Bool("enable_lcs"); }

// In the order of SsimSum.
const OutputSpec kOutputs[kSsimSums] = {
    {.name = "float_ssim", .rank = 70, .unit_with = SsimUnit},
    {.name = "float_ssim_l", .enabled = LcsEnabled},
    {.name = "float_ssim_c", .enabled = LcsEnabled},
    {.name = "float_ssim_s", .enabled = LcsEnabled},
};

struct Settings {
  SsimSettings common;
  int scale;  // 0: by the picture's size
};

Settings ReadSettings(const OptionValues& options) { return {ReadSsimSettings(options), options.Int("scale")}; }

int ShrinkFactor(const Settings& settings, const PictureFormat& format) {
  if (settings.scale > 0) return settings.scale;
  const float side = static_cast<float>(std::min(format.width, format.height)) / 256.0f;
  return std::max(1, static_cast<int>(side + 0.5f));
}

struct Geometry {
  int factor;
  int width, height;  // shrunk

  bool HasWindows() const { return width > kSsimLoss && height > kSsimLoss; }
  int Rows() const { return HasWindows() ? height - kSsimLoss : 0; }
};

Geometry MakeGeometry(const Settings& settings, const PictureFormat& format) {
  const int factor = ShrinkFactor(settings, format);
  if (factor == 1) return {1, format.width, format.height};
  return {factor, ShrunkLength(format.width, factor), ShrunkLength(format.height, factor)};
}

std::vector<StageSpec> Stages(const Geometry& geometry) {
  if (!geometry.HasWindows()) return {};
  if (geometry.factor == 1) return {{geometry.Rows()}};
  return {{geometry.height}, {geometry.Rows()}};
}

struct ShrunkPlanes : Workspace {
  explicit ShrunkPlanes(const Geometry& geometry)
      : planes{{geometry.width, geometry.height}, {geometry.width, geometry.height}} {}

  PaddedPlane planes[2];
};

class FloatSsimExtractor : public Extractor {
 public:
  FloatSsimExtractor(const Settings& settings, const PictureFormat& format)
      : FloatSsimExtractor(settings.common, format, MakeGeometry(settings, format)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    if (geometry_.factor == 1 || !geometry_.HasWindows()) return nullptr;
    return std::make_unique<ShrunkPlanes>(geometry_);
  }

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return MakeSsimRows(format_.width); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    SsimPlanes planes = {frame.plane(0), frame.plane(1), format_.bit_depth};
    if (geometry_.factor > 1) {
      auto& shrunk = static_cast<ShrunkPlanes&>(*workspaces.frame).planes;
      if (stage == 0) {
        for (int i = 0; i < 2; ++i)
          ShrinkRows(frame.plane(i), format_.bit_depth, geometry_.factor, band, *workspaces.thread, shrunk[i]);
        return;
      }
      planes = {shrunk[0].view(), shrunk[1].view(), kFloatDepth};
    }
    SumSsimRows(planes, band, true, *workspaces.thread, results.words.data());
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const SsimMeans means = MeansOfSsimRows(totals.words, geometry_.width, geometry_.height);
    outputs.values[kSsimProduct] = decibels_.Convert(static_cast<double>(means.mean[kSsimProduct]));
    if (!lcs_) return {};
    for (int s = kSsimLuminance; s < kSsimSums; ++s) outputs.values[s] = static_cast<double>(means.mean[s]);
    return {};
  }

 private:
  FloatSsimExtractor(const SsimSettings& settings, const PictureFormat& format, const Geometry& geometry)
      : Extractor({.stages = Stages(geometry), .words = kSsimSums * geometry.Rows()}),
        geometry_(geometry),
        format_(format),
        decibels_(settings, format),
        lcs_(settings.lcs) {}

  const Geometry geometry_;
  const PictureFormat format_;
  const SsimDecibels decibels_;
  const bool lcs_;
};

Result<std::unique_ptr<Extractor>> Make(const Settings& settings, const PictureFormat& format) {
  return std::make_unique<FloatSsimExtractor>(settings, format);
}

Result<Plan> MakePlan(const Settings& settings, const PlanContext& context) {
  const Geometry geometry = MakeGeometry(settings, context.format);
  SsimDevicePlan work = {.factor = geometry.factor, .scales = {}, .words = kSsimSums * geometry.Rows()};
  if (geometry.HasWindows()) work.scales.push_back({geometry.width, geometry.height, 0, true});
  return MakeSsimPlan(work, context);
}

}  // namespace

const Metric kFloatSsimMetric = {
    .name = "float_ssim",
    .summary = "structural similarity of luma",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kPartScores, .margin = kSsimLoss / 2, .loss = [](double score) { return 1 - score; }},
    .prepare = PrepareBy<ReadSettings>,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
