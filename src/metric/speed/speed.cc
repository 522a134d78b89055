// speed_chroma and speed_temporal: how far the entropies of the chroma planes differ, and those of the changes from
// frame to frame (docs/spec/siblings.md 2).
#include "metric/speed/speed.h"

#include <algorithm>
#include <utility>

#include "exec/plan.h"
#include "metric/speed/speed_cpu.h"

namespace acutance {
namespace {

/// The options that both metrics have, and one metric's own.
std::vector<OptionSpec> WithSpeedOptions(std::vector<OptionSpec> own) {
  std::vector<OptionSpec> options = {
      {"speed_kernelscale", "ks", "factor on the size of the filters", 1.0, 0.1, 4, true},
      {"speed_prescale", "ps", "factor on the size of the pictures, before all else", 1.0, 0.1, 4, true},
      {"speed_prescale_method", "psm", "how they are resized: nearest, bilinear, bicubic or lanczos4",
       std::string("nearest"), 0, 0, true},
      {"speed_sigma_nn", "snn", "variance of the noise that hides differences", 0.29, 0.1, 2, true},
      {"speed_nn_floor", "nnf", "blocks whose entropies both lie below that of noise, raised by this, do not count",
       0.0, 0, 1, true},
  };
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

/// The small pictures of a frame, before they are sharpened.
struct SpeedSamples : Workspace {
  SpeedSamples(const SpeedLayout& layout, int pictures)
      : stride(layout.samples()), values(static_cast<size_t>(pictures) * stride) {}

  std::span<float> of(int picture) { return {values.data() + picture * stride, stride}; }

  const size_t stride;
  AlignedArray<float> values;
};

bool IsReference(int picture) { return picture % 2 == 0; }

/// Pairs of pictures, the reference's before the distorted video's, in two stages: rows of the small pictures, one
/// picture after another; then pictures.
class SpeedExtractor : public Extractor {
 public:
  SpeedExtractor(const SpeedSettings& settings, SpeedLayout layout, int pairs)
      : Extractor({.stages = {{2 * pairs * layout.rows}, {2 * pairs}}, .words = 2 * pairs * SpeedWords(layout)}),
        settings_(settings),
        layout_(std::move(layout)),
        pictures_(2 * pairs) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<SpeedSamples>(layout_, pictures_);
  }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<SpeedScratch>(layout_); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  /// The reference's pictures are done once.
  void RunBands(std::span<const FrameView> frames, int stage, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    const int rows = stage == 0 ? layout_.rows : 1;  // of a picture
    for (size_t i = 0; i < frames.size(); ++i) {
      const std::vector<SpeedSource> sources = Sources(frames[i]);
      if (sources.empty()) return;
      for (int p = band.begin / rows; p * rows < band.end; ++p) {
        const RowBand own = {std::max(band.begin - p * rows, 0), std::min(band.end - p * rows, rows)};
        if (i == 0 || !IsReference(p)) RunPicture(sources[p], p, stage, own, workspaces[i], results[i].words);
        else if (stage == 1)
          std::ranges::copy(PartialsOf(p, results[0].words), PartialsOf(p, results[i].words).begin());
      }
    }
  }

 protected:
  /// The score of a pair; weight_mode: option speed_weight_var_mode.
  SpeedScore Score(std::span<const int64_t> words, int pair, int weight_mode) const {
    const size_t count = SpeedWords(layout_);
    const auto both = words.subspan(2 * pair * count, 2 * count);
    return ScoreSpeed(settings_, weight_mode, both.first(count), both.last(count));
  }

 private:
  /// Empty where there is nothing to compare yet.
  virtual std::vector<SpeedSource> Sources(const FrameView& frame) const = 0;

  void RunPicture(const SpeedSource& source, int picture, int stage, RowBand rows, const Workspaces& workspaces,
                  std::span<int64_t> words) const {
    const std::span<float> samples = static_cast<SpeedSamples&>(*workspaces.frame).of(picture);
    auto& scratch = static_cast<SpeedScratch&>(*workspaces.thread);
    if (stage == 0) SampleSpeed(layout_, source, rows, scratch, samples.data());
    else AnalyseSpeed(layout_, settings_.sigma_nn, samples, scratch, PartialsOf(picture, words));
  }

  std::span<int64_t> PartialsOf(int picture, std::span<int64_t> words) const {
    const size_t count = SpeedWords(layout_);
    return words.subspan(picture * count, count);
  }

  const SpeedSettings settings_;
  const SpeedLayout layout_;
  const int pictures_;
};

// --- speed_chroma

const std::vector<OptionSpec> kChromaOptions = WithSpeedOptions({
    {"speed_max_val", "mxv", "upper limit of the scores", 1000.0, 0, 1000, true},
    {"speed_weight_var_mode", "wvm", "which variances weigh the entropies: 0 (each its own) to 6", 0, 0, 6, true},
});

enum ChromaOutput { kU, kV, kUV, kChromaOutputs };

constexpr OutputSpec ChromaScore(std::string_view name, std::string_view alias) {
  return {.name = name, .alias = alias, .better = ScoreDirection::kLower, .damage = {Damage::kColor}};
}

const OutputSpec kChromaOutputSpecs[kChromaOutputs] = {
    ChromaScore("Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u"),
    ChromaScore("Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v"),
    ChromaScore("Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv"),
};

struct ChromaSettings {
  SpeedSettings common;
  int weight_mode;
  double max_value;
};

Result<ChromaSettings> ReadChromaSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const SpeedSettings common, ReadSpeedSettings(options));
  return ChromaSettings{common, options.Int("speed_weight_var_mode"), options.Double("speed_max_val")};
}

float Combine(const SpeedScore& u, const SpeedScore& v) {
  if (u.is_singular != v.is_singular) return u.is_singular ? v.value : u.value;
  return (u.value + v.value) / 2;
}

class SpeedChromaExtractor : public SpeedExtractor {
 public:
  SpeedChromaExtractor(const ChromaSettings& settings, SpeedLayout layout)
      : SpeedExtractor(settings.common, std::move(layout), /*pairs=*/2),
        weight_mode_(settings.weight_mode),
        max_value_(settings.max_value) {}

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const SpeedScore u = Score(totals.words, 0, weight_mode_), v = Score(totals.words, 1, weight_mode_);
    outputs.values[kU] = Limit(u.value);
    outputs.values[kV] = Limit(v.value);
    outputs.values[kUV] = Limit(Combine(u, v));
    return {};
  }

 private:
  std::vector<SpeedSource> Sources(const FrameView& frame) const override {
    return {{&frame.plane(0, 1)}, {&frame.plane(1, 1)}, {&frame.plane(0, 2)}, {&frame.plane(1, 2)}};
  }

  double Limit(double value) const { return value < max_value_ ? value : max_value_; }

  const int weight_mode_;
  const double max_value_;
};

Result<SpeedLayout> LayoutOf(const ChromaSettings& settings, const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument, "speed_chroma needs chroma planes, pictures in 400 have none");
  return MakeSpeedLayout("speed_chroma", settings.common, format.PlaneWidth(1), format.PlaneHeight(1),
                         format.bit_depth);
}

std::vector<SpeedDeviceSource> DeviceSources(const ChromaSettings&) {
  return {{Video::kReference, 1}, {Video::kDistorted, 1}, {Video::kReference, 2}, {Video::kDistorted, 2}};
}

std::vector<InputSpec> ChromaInputs(const Setup&) {
  constexpr unsigned kChroma = kAllPlanes & ~kLuma;
  return {{.video = Video::kReference, .planes = kChroma}, {.video = Video::kDistorted, .planes = kChroma}};
}

// --- speed_temporal

const std::vector<OptionSpec> kTemporalOptions = WithSpeedOptions({
    {"speed_max_val", "mxv", "shows in the key alone, as in libvmaf", 1000.0, 0, 1000, true},
    {"speed_use_ref_diff", "urd", "compare the distorted frame before with this frame of the reference", false, 0, 1,
     true},
});

const OutputSpec kTemporalOutputs[] = {
    {.name = "Speed_temporal_feature_speed_temporal_score",
     .alias = "speed_temporal",
     .better = ScoreDirection::kLower},
};

struct TemporalSettings {
  SpeedSettings common;
  bool use_reference;
};

Result<TemporalSettings> ReadTemporalSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const SpeedSettings common, ReadSpeedSettings(options));
  return TemporalSettings{common, options.Bool("speed_use_ref_diff")};
}

class SpeedTemporalExtractor : public SpeedExtractor {
 public:
  SpeedTemporalExtractor(const TemporalSettings& settings, SpeedLayout layout)
      : SpeedExtractor(settings.common, std::move(layout), /*pairs=*/1), use_reference_(settings.use_reference) {}

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    outputs.values[0] = totals.history == 0 ? 0.0 : Score(totals.words, 0, /*weight_mode=*/0).value;
    return {};
  }

 private:
  std::vector<SpeedSource> Sources(const FrameView& frame) const override {
    if (!frame.at(0, 1)) return {};
    const Plane& less = frame.plane(use_reference_ ? 0 : 1);
    return {{&frame.plane(0, 0, 1), &frame.plane(0)}, {&frame.plane(1, 0, 1), &less}};
  }

  const bool use_reference_;
};

Result<SpeedLayout> LayoutOf(const TemporalSettings& settings, const PictureFormat& format) {
  return MakeSpeedLayout("speed_temporal", settings.common, format.width, format.height, format.bit_depth);
}

std::vector<SpeedDeviceSource> DeviceSources(const TemporalSettings& settings) {
  const Video less = settings.use_reference ? Video::kReference : Video::kDistorted;
  return {{.video = Video::kReference, .back = 1, .less = Video::kReference},
          {.video = Video::kDistorted, .back = 1, .less = less}};
}

std::vector<InputSpec> TemporalInputs(const Setup&) {
  return {{.video = Video::kReference, .history = 1}, {.video = Video::kDistorted, .history = 1}};
}

// --- Both

template <class MadeExtractor, class Settings>
Result<std::unique_ptr<Extractor>> Make(const Settings& settings, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(SpeedLayout layout, LayoutOf(settings, format));
  return std::make_unique<MadeExtractor>(settings, std::move(layout));
}

template <class Settings>
Result<Plan> MakePlan(const Settings& settings, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const SpeedLayout layout, LayoutOf(settings, context.format));
  return MakeSpeedPlan(settings.common, layout, context, DeviceSources(settings));
}

}  // namespace

const Metric kSpeedChromaMetric = {
    .name = "speed_chroma",
    .summary = "difference of the weighted entropies of small chroma pictures (SpEED)",
    .options = kChromaOptions,
    .outputs = kChromaOutputSpecs,
    .prepare = PrepareBy<ReadChromaSettings>,
    .inputs = ChromaInputs,
    .make = OfSettings<Make<SpeedChromaExtractor, ChromaSettings>>,
    .make_plan = OfSettings<MakePlan<ChromaSettings>>,
};

const Metric kSpeedTemporalMetric = {
    .name = "speed_temporal",
    .summary = "difference of the weighted entropies of small frame differences (SpEED)",
    .options = kTemporalOptions,
    .outputs = kTemporalOutputs,
    .prepare = PrepareBy<ReadTemporalSettings>,
    .inputs = TemporalInputs,
    .every_frame = true,
    .make = OfSettings<Make<SpeedTemporalExtractor, TemporalSettings>>,
    .make_plan = OfSettings<MakePlan<TemporalSettings>>,
};

}  // namespace acutance
