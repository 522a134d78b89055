#include "metric/butteraugli/butteraugli.h"

#include <algorithm>

#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"

namespace acutance {
namespace {

const std::vector<OptionSpec> kOptions = WithLinearRgbOptions({
    {"intensity_target", "nits", "the light of white, in nits; Vship's default is 203", 80.0, 1, 10000, true},
    {"qnorm", "q", "the exponent of butteraugli_qnorm", 2, 1, 64, true},
});

const OutputSpec kOutputs[] = {{.name = "butteraugli_max", .better = ScoreDirection::kLower},
                               {.name = "butteraugli_3norm", .better = ScoreDirection::kLower, .rank = 85},
                               {.name = "butteraugli_p3", .better = ScoreDirection::kLower},
                               {.name = "butteraugli_qnorm", .better = ScoreDirection::kLower}};

ArtifactSpec MapOf(const PictureFormat& format) {
  return {kButteraugliMap, {format.width, format.height, kFloatDepth, PixelFormat::k400}};
}

class Extended {
 public:
  /// Extends a picture by its nearest pixels. Pictures that are large enough stay where they are.
  FloatColors Of(const Picture& picture) {
    const FloatColors colors = FloatColorsOf(picture);
    const PictureSize size = ButteraugliSize(picture.format), offset = ButteraugliOffset(picture.format);
    if (size.width == colors.width && size.height == colors.height) return colors;
    FloatColors extended = {.width = size.width, .height = size.height};
    for (int p = 0; p < 3; ++p) {
      planes_[p].resize(static_cast<size_t>(size.width) * size.height);
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
          planes_[p][static_cast<size_t>(y) * size.width + x] = colors.Row(
              p,
              std::clamp(y - offset.height, 0, colors.height - 1))[std::clamp(x - offset.width, 0, colors.width - 1)];
      extended.planes[p] = planes_[p].data();
      extended.strides[p] = size.width;
    }
    return extended;
  }

 private:
  std::array<std::vector<float>, 3> planes_;
};

/// The map at half the size.
struct HalfMap : Workspace, ButteraugliRows {
  explicit HalfMap(const PictureFormat& format)
      : width((format.width + 1) / 2),
        samples(HasButteraugliHalf(format) ? static_cast<size_t>(width) * ((format.height + 1) / 2) : 0) {}
  void Take(int y, const float* row) override {
    std::copy_n(row, width, samples.begin() + static_cast<size_t>(y) * width);
  }

  int width;
  std::vector<float> samples;
};

/// Adds up the whole map, row by row.
class MapSums : public ButteraugliRows {
 public:
  MapSums(const PictureFormat& format, int q)
      : format_(format), offset_(ButteraugliOffset(format)), row_(format.width), sums_(format.width, q) {}

  void Begin(const HalfMap& half, const BandResults& results) {
    half_ = &half;
    results_ = &results;
  }

  void Take(int extended_y, const float* row) override {
    const int y = extended_y - offset_.height;
    if (y < 0 || y >= format_.height) return;
    if (y % kButteraugliStrip == 0) {
      sums_.largest = 0;
      for (auto& column : sums_.columns) std::ranges::fill(column, 0.0);
    }
    const float* half =
        HasButteraugliHalf(format_) ? half_->samples.data() + static_cast<size_t>(y / 2) * half_->width : nullptr;
    AddButteraugliRow(row + offset_.width, half, format_.width, row_.data(), sums_);
    if (!results_->artifacts.empty()) std::ranges::copy(row_, results_->artifacts[0].Row<float>(0, y));
    if ((y + 1) % kButteraugliStrip == 0 || y + 1 == format_.height) Fold(y / kButteraugliStrip);
  }

 private:
  void Fold(int strip) {
    const std::span<int64_t> words = results_->words.subspan(size_t{kButteraugliWords} * strip, kButteraugliWords);
    words[kButteraugliMax] = WordFromDouble(sums_.largest);
    for (int i = 0; i < 4; ++i) {
      words[kButteraugliSum3 + i] = WordFromDouble(FoldBy32(sums_.columns[i]));
      sums_.columns[i].resize(format_.width);
    }
  }

  const PictureFormat format_;
  const PictureSize offset_;
  const HalfMap* half_ = nullptr;
  const BandResults* results_ = nullptr;
  std::vector<float> row_;
  ButteraugliSums sums_;
};

/// Buffers of a thread.
struct ButteraugliThread : Workspace {
  explicit ButteraugliThread(const PictureFormat& format)
      : sweep(MakeButteraugliSweep(ButteraugliSize(format).width)) {}

  std::unique_ptr<ButteraugliSweep> sweep;
  Extended reference;
  std::vector<Extended> distorted;
  std::vector<std::unique_ptr<MapSums>> sums;
};

/// The map at half the size, in strips; then strips of the whole map.
class ButteraugliExtractor : public Extractor {
 public:
  ButteraugliExtractor(const PictureFormat& format, float nits, int q)
      : Extractor({.stages = {{HasButteraugliHalf(format) ? StripsOf((format.height + 1) / 2) : 0},
                              {StripsOf(format.height)}},
                   .words = kButteraugliWords * StripsOf(format.height),
                   .artifacts = {MapOf(format)}}),
        format_(format),
        nits_(nits),
        q_(q) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return std::make_unique<HalfMap>(format_); }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return std::make_unique<ButteraugliThread>(format_);
  }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  /// What depends on the reference is made once.
  void RunBands(std::span<const FrameView> frames, int stage, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    if (band.begin >= band.end) return;
    auto& thread = static_cast<ButteraugliThread&>(*workspaces[0].thread);
    std::vector<FloatColors> distorted;
    std::vector<ButteraugliRows*> to;
    while (thread.sums.size() < frames.size()) thread.sums.push_back(std::make_unique<MapSums>(format_, q_));
    thread.distorted.resize(std::max(thread.distorted.size(), frames.size()));
    for (size_t i = 0; i < frames.size(); ++i) {
      auto& half = static_cast<HalfMap&>(*workspaces[i].frame);
      distorted.push_back(thread.distorted[i].Of(*frames[i].at(1)));
      thread.sums[i]->Begin(half, results[i]);
      to.push_back(stage == 0 ? static_cast<ButteraugliRows*>(&half) : thread.sums[i].get());
    }
    thread.sweep->Run(thread.reference.Of(*frames[0].at(0)), distorted, stage == 0, nits_, RowsOf(stage, band), to);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double largest = 0, sums[4] = {};
    for (size_t strip = 0; strip < totals.words.size(); strip += kButteraugliWords) {
      largest = std::max(largest, DoubleFromWord(totals.words[strip + kButteraugliMax]));
      for (int i = 0; i < 4; ++i) sums[i] += DoubleFromWord(totals.words[strip + kButteraugliSum3 + i]);
    }
    const double share = 1.0 / static_cast<double>(int64_t{format_.width} * format_.height);
    for (double& sum : sums) sum *= share;
    outputs.values[0] = largest;
    outputs.values[1] = (Root(sums[0], 3) + Root(sums[1], 6) + Root(sums[2], 12)) / 3.0;
    outputs.values[2] = Root(sums[0], 3);
    outputs.values[3] = Root(sums[3], q_);
    return {};
  }

 private:
  static int StripsOf(int height) { return (height + kButteraugliStrip - 1) / kButteraugliStrip; }
  static double Root(double value, int n) { return n == 1 || value == 0 ? value : Pow(value, 1.0 / n); }

  /// The rows of the map of the extended picture.
  RowBand RowsOf(int stage, RowBand strips) const {
    const int height = stage == 0 ? (format_.height + 1) / 2 : format_.height,
              offset = ButteraugliOffset(format_).height;
    return {offset + strips.begin * kButteraugliStrip, offset + std::min(height, strips.end * kButteraugliStrip)};
  }

  const PictureFormat format_;
  const float nits_;
  const int q_;
};

Result<ButteraugliSettings> ReadSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const LinearRgbSettings light, ReadLinearRgb("butteraugli", options));
  return ButteraugliSettings{light, static_cast<float>(options.Double("intensity_target")), options.Int("qnorm")};
}

Result<std::unique_ptr<Extractor>> Make(const ButteraugliSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("butteraugli", settings.light, format));
  return std::make_unique<ButteraugliExtractor>(format, settings.nits, settings.q);
}

std::vector<InputSpec> Inputs(const ButteraugliSettings& settings) { return LinearRgbInputs(settings.light); }

}  // namespace

const Metric kButteraugliMetric = {
    .name = "butteraugli",
    .summary = "visibility of differences between still pictures: the largest, and p-norms; 0: identical",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kFirstArtifact},
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .reads_all_chroma = true,
    .reads_floats = true,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeButteraugliPlan>,
};

}  // namespace acutance
