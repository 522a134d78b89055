#include "metric/cambi/cambi_frame.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "exec/plan.h"

namespace acutance {
namespace {

const OptionSpec kOptions[] = {
    {"cambi_max_val", "cmxv", "upper limit of all values", 1000.0, 0, 1000, true},
    {"enc_width", "encw", "width of the encode: the pictures are reduced to it; 0: theirs", 0, 180, 7680, true},
    {"enc_height", "ench", "height of the encode, likewise", 0, 150, 7680, true},
    {"enc_bitdepth", "encbd", "bit depth of the encode; below 10 dither is filtered; 0: that of the pictures", 0, 6, 16,
     true},
    {"src_width", "srcw", "width at which full_ref scores the reference; 0: its own", 0, 320, 7680, true},
    {"src_height", "srch", "height, likewise", 0, 200, 4320, true},
    {"window_size", "ws", "side of the window in which values are compared, in pixels of a 3840x2160 picture", 65, 15,
     127, true},
    {"topk", "", "share of the pixels, those with most banding, whose mean is the score", 0.6, 0.0001, 1, true},
    {"cambi_topk", "ctpk", "the same; topk comes first", 0.6, 0.0001, 1, true},
    {"tvi_threshold", "tvit", "relative step of luminance from which it is visible", 0.019, 0.0001, 1, true},
    {"cambi_vis_lum_threshold", "vlt", "luminance in cd/m^2 below which banding does not count", 0.0, 0, 300, true},
    {"max_log_contrast", "mlc", "log2 of the largest step between bands, in 10-bit codes", 2, 0, 5, true},
    {"heatmaps_path", "", "folder for a file of heatmaps for each scale", "", 0, 0, false},
    {"full_ref", "", "also score the reference, as cambi_source, and the difference, as cambi_full_reference", false, 0,
     1, false},
    {"eotf", "", "display: bt1886 or pq", "bt1886", 0, 0, true},
    {"cambi_eotf", "ceot", "the same; it comes before eotf", "bt1886", 0, 0, true},
    {"cambi_high_res_speedup", "hrs",
     "1080, 1440 or 2160: pictures of at least 1920x1080, 2560x1440 or 3840x2160 are scored at half their size", 0, 0,
     2160, true},
};

bool HasSource(const OptionValues& options, const PictureFormat&) { return options.Bool("full_ref"); }

enum Output { kDistortedScore, kSourceScore, kFullReference, kOutputCount };

const OutputSpec kOutputs[kOutputCount] = {
    {.name = "Cambi_feature_cambi_score",
     .alias = "cambi",
     .better = ScoreDirection::kLower,
     // 5: Netflix, "CAMBI, a banding artifact detector", 2021.
     .damage = {.kind = Damage::kBanding, .ideal = 0, .annoying_from = 5}},
    {.name = "cambi_source", .enabled = HasSource, .plain_key = true, .better = ScoreDirection::kLower},
    {.name = "cambi_full_reference", .enabled = HasSource, .plain_key = true, .better = ScoreDirection::kLower},
};

std::vector<InputSpec> Inputs(const CambiOptions& options) {
  std::vector<InputSpec> inputs = {{.video = Video::kDistorted}};
  if (options.full_reference) inputs.push_back({.video = Video::kReference});
  return inputs;
}

constexpr int kWordsPerScale = 2;  // whole and fraction of a CambiSum

/// A stage: from the picture to words, from these to half the size, a scale's contrasts (and from it to the next
/// scale), or the sums of all scales.
enum class Step { kPrepare, kHalve, kContrast, kPool };

struct CambiStage {
  Step step;
  int pass;
  int scale = 0;
};

std::vector<CambiStage> Stages(const CambiSettings& settings) {
  std::vector<CambiStage> stages;
  for (int pass = 0; pass < std::ssize(settings.passes); ++pass) {
    stages.push_back({Step::kPrepare, pass});
    if (settings.half_size) stages.push_back({Step::kHalve, pass});
    for (int scale = 0; scale < kCambiScales; ++scale) stages.push_back({Step::kContrast, pass, scale});
    stages.push_back({Step::kPool, pass});
  }
  return stages;
}

std::vector<StageSpec> StageSpecs(const CambiSettings& settings) {
  std::vector<StageSpec> specs;
  for (const CambiStage& stage : Stages(settings)) {
    const CambiPass& pass = settings.passes[stage.pass];
    if (stage.step == Step::kPool) specs.push_back({.rows = 1, .splittable = false});
    else if (stage.step == Step::kPrepare) specs.push_back({pass.height});
    else specs.push_back({CambiScaleSize(settings, pass, stage.scale).height});
  }
  return specs;
}

CambiResampling MakeResampling(const CambiSettings& settings, const CambiPass& pass) {
  const PictureFormat& format = settings.format;
  if (format.width == pass.width && format.height == pass.height) return {};
  return {CambiNearest(format.width, pass.width), CambiNearest(format.height, pass.height)};
}

/// The rows of `height` that correspond to rows `band` of `of`.
RowBand Share(RowBand band, int of, int height) {
  return {static_cast<int>(int64_t{band.begin} * height / of), static_cast<int>(int64_t{band.end} * height / of)};
}

/// A heatmap for each scale of the distorted picture.
std::vector<ArtifactSpec> Heatmaps(const CambiSettings& settings) {
  constexpr std::string_view kNames[kCambiScales] = {"cambi_heatmap_scale_0", "cambi_heatmap_scale_1",
                                                     "cambi_heatmap_scale_2", "cambi_heatmap_scale_3",
                                                     "cambi_heatmap_scale_4"};
  std::vector<ArtifactSpec> heatmaps;
  for (int scale = 0; scale < kCambiScales; ++scale) {
    const PictureSize size = CambiScaleSize(settings, settings.passes[0], scale);
    heatmaps.push_back({kNames[scale], {size.width, size.height, 16, PixelFormat::k400}});
  }
  return heatmaps;
}

class CambiExtractor : public Extractor, public RawDumpOption {
 public:
  explicit CambiExtractor(CambiSettings settings)
      : Extractor({.stages = StageSpecs(settings),
                   .sums = 1,
                   .words = static_cast<int>(settings.passes.size()) * kCambiPassWords,
                   .artifacts = Heatmaps(settings)}),
        settings_(std::move(settings)),
        comparisons_(settings_),
        stages_(Stages(settings_)) {
    for (const CambiPass& pass : settings_.passes) resamplings_.push_back(MakeResampling(settings_, pass));
  }

  /// libvmaf's name, which leaves out that the pictures are halved first.
  std::string FileOf(int scale) const override {
    if (settings_.heatmaps_path.empty()) return "";
    CambiSettings whole = settings_;
    whole.half_size = false;
    const PictureSize size = CambiScaleSize(whole, whole.passes[0], scale);
    return fmt::format("{}/{}_{}x{}_16b.gray", settings_.heatmaps_path, spec().artifacts[scale].name, size.width,
                       size.height);
  }

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return std::make_unique<CambiFrame>(settings_); }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return std::make_unique<CambiThread>(settings_, comparisons_);
  }

  void RunBand(const FrameView& frame, int index, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    const CambiStage& stage = stages_[index];
    const CambiPass& pass = settings_.passes[stage.pass];
    CambiThread& thread = static_cast<CambiThread&>(*workspaces.thread);
    CambiPassFrame& images = static_cast<CambiFrame&>(*workspaces.frame).passes[stage.pass];
    if (stage.step == Step::kPrepare) {
      const Plane& plane = frame.plane(pass.input);
      results.sums[0] += CambiInvalidSamples(plane, settings_.format.bit_depth, Share(band, pass.height, plane.height));
      CambiPrepare(settings_, pass, resamplings_[stage.pass], plane, band, thread, images.images[0]);
    } else if (stage.step == Step::kHalve) {
      CambiHalve(images.images[0], band, thread, images.scale(0));
    } else if (stage.step == Step::kContrast) {
      const bool draws = stage.pass == 0 && !results.artifacts.empty();
      RunScale(stage.scale, pass, band, thread, images, draws ? &results.artifacts[stage.scale] : nullptr);
    } else {
      Pool(stage.pass, thread, images, results.words);
    }
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    if (totals.sums[0] > 0)
      return Error(StatusCode::kBadData, "cambi: {} samples of frame {} are above {}, the largest of {} bit",
                   totals.sums[0], totals.frame, (1 << settings_.format.bit_depth) - 1, settings_.format.bit_depth);
    const double score = Score(0, totals.words);
    outputs.values[kDistortedScore] = std::min(score, settings_.max_value);
    if (settings_.passes.size() == 1) return {};
    const double source = Score(1, totals.words);
    outputs.values[kSourceScore] = std::min(source, settings_.max_value);
    outputs.values[kFullReference] = std::min(std::max(0.0, score - source), settings_.max_value);
    return {};
  }

 private:
  /// The scale's contrasts, and the rows of the next one that begin in the band.
  void RunScale(int scale, const CambiPass& pass, RowBand band, CambiThread& thread, CambiPassFrame& images,
                const MutablePicture* heatmap) const {
    CambiContrastRows(comparisons_, images.scale(scale), pass, band, thread, images.contrasts[scale], heatmap);
    if (scale + 1 == kCambiScales) return;
    CambiHalve(images.scale(scale), {(band.begin + 1) / 2, (band.end + 1) / 2}, thread, images.scale(scale + 1));
  }

  void Pool(int index, CambiThread& thread, CambiPassFrame& images, std::span<int64_t> words) const {
    for (int scale = 0; scale < kCambiScales; ++scale) {
      const CambiImage& image = images.scale(scale);
      const int64_t count = CambiTopCount(settings_.top_share, {image.width, image.height});
      const CambiSum sum = CambiSumOfLargest(images.contrasts[scale], count, thread);
      words[index * kCambiPassWords + scale * kWordsPerScale] = sum.whole;
      words[index * kCambiPassWords + scale * kWordsPerScale + 1] = sum.fraction;
    }
  }

  /// docs/spec/siblings.md 1.6. Both parts of a sum are exact doubles, so that it is rounded once.
  double Score(int index, std::span<const int64_t> words) const {
    const CambiPass& pass = settings_.passes[index];
    double score = 0;
    for (int scale = 0; scale < kCambiScales; ++scale) {
      const int64_t* sum = &words[index * kCambiPassWords + scale * kWordsPerScale];
      const double total = static_cast<double>(sum[0]) + std::ldexp(static_cast<double>(sum[1]), -kCambiFractionBits);
      const int64_t count = CambiTopCount(settings_.top_share, CambiScaleSize(settings_, pass, scale));
      score += (16 >> scale) * (total / static_cast<double>(count));
    }
    return score / (pass.window * pass.window);
  }

  const CambiSettings settings_;
  const CambiComparisons comparisons_;
  const std::vector<CambiStage> stages_;
  std::vector<CambiResampling> resamplings_;  // [pass]
};

Result<std::unique_ptr<Extractor>> Make(const CambiOptions& options, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(CambiSettings settings, MakeCambiSettings(options, format));
  return std::make_unique<CambiExtractor>(std::move(settings));
}

}  // namespace

const Metric kCambiMetric = {
    .name = "cambi",
    .summary = "banding: visible steps in smooth areas of the distorted picture",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kFirstArtifact},
    // Steps of up to 8 of 256, beyond the 4 that models count.
    .detects = {.kind = Damage::kBanding, .option = "max_log_contrast", .value = "5"},
    .prepare = PrepareBy<ReadCambiOptions>,
    .inputs = OfSettings<Inputs>,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeCambiPlan>,
};

}  // namespace acutance
