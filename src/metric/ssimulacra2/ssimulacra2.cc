#include "metric/ssimulacra2/ssimulacra2.h"

#include <algorithm>

#include "exec/plan.h"

namespace acutance {
namespace {

const std::vector<OptionSpec> kOptions = WithLinearRgbOptions({});

const OutputSpec kOutputs[] = {{.name = "ssimulacra2", .rank = 90}};

/// The smaller scales of both pictures.
struct Pyramid : Workspace {
  struct Level {
    int width, height;
    std::array<std::array<std::vector<float>, 3>, 2> planes;  // by video
  };

  Pyramid(int width, int height) {
    const int scales = Ssimulacra2Scales(width, height);
    for (int s = 1; s < scales; ++s) {
      Level& level = levels.emplace_back();
      level.width = width = (width + 1) / 2;
      level.height = height = (height + 1) / 2;
      for (auto& video : level.planes)
        for (auto& plane : video) plane.resize(static_cast<size_t>(width) * height);
    }
  }

  FloatColors Colors(int video, int scale) const {
    const Level& level = levels[scale - 1];
    FloatColors colors = {.width = level.width, .height = level.height};
    for (int p = 0; p < 3; ++p) {
      colors.planes[p] = level.planes[video][p].data();
      colors.strides[p] = level.width;
    }
    return colors;
  }

  std::vector<Level> levels;
};

/// First each plane is halved again and again, then each scale is scored.
class Ssimulacra2Extractor : public Extractor {
 public:
  explicit Ssimulacra2Extractor(const PictureFormat& format)
      : Extractor({.stages = {{kHalvedPlanes}, {Ssimulacra2Scales(format.width, format.height)}},
                   .words = kSsimulacra2Words * Ssimulacra2Scales(format.width, format.height)}),
        format_(format),
        scales_(Ssimulacra2Scales(format.width, format.height)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<Pyramid>(format_.width, format_.height);
  }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  /// What depends on the reference is made once; its smaller scales lie in the first video's workspace.
  void RunBands(std::span<const FrameView> frames, int stage, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    for (int i = band.begin; i < band.end; ++i) {
      if (stage == 1) {
        Score(frames, i, workspaces, results);
        continue;
      }
      const int video = i / 3;
      for (size_t f = 0; f < (video == 0 ? 1 : frames.size()); ++f)
        Halve(FloatColorsOf(*frames[f].at(video)), video, i % 3, static_cast<Pyramid&>(*workspaces[f].frame));
    }
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    outputs.values[0] = Ssimulacra2Score(format_.width, format_.height, totals.words);
    return {};
  }

 private:
  static constexpr int kHalvedPlanes = 6;  // three of each video

  static void Halve(FloatColors from, int video, int plane, Pyramid& pyramid) {
    for (int s = 1; s <= std::ssize(pyramid.levels); ++s) {
      Pyramid::Level& level = pyramid.levels[s - 1];
      HalveSsimulacra2(from, plane, level.width, level.height, level.planes[video][plane].data());
      from = pyramid.Colors(video, s);
    }
  }

  void Score(std::span<const FrameView> frames, int scale, std::span<const Workspaces> workspaces,
             std::span<const BandResults> results) const {
    const auto colors = [&](size_t f, int video) {
      return scale == 0 ? FloatColorsOf(*frames[f].at(video))
                        : static_cast<const Pyramid&>(*workspaces[f].frame).Colors(video, scale);
    };
    std::vector<FloatColors> distorted;
    std::vector<std::span<int64_t>> words;
    for (size_t f = 0; f < frames.size(); ++f) {
      distorted.push_back(colors(f, 1));
      words.push_back(results[f].words.subspan(size_t{kSsimulacra2Words} * scale, kSsimulacra2Words));
    }
    Ssimulacra2Scale(colors(0, 0), distorted, scale, scales_, words);
  }

  const PictureFormat format_;
  const int scales_;
};

Result<LinearRgbSettings> ReadSettings(const OptionValues& options) { return ReadLinearRgb("ssimulacra2", options); }

Result<std::unique_ptr<Extractor>> Make(const LinearRgbSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("ssimulacra2", settings, format));
  return std::make_unique<Ssimulacra2Extractor>(format);
}

}  // namespace

const Metric kSsimulacra2Metric = {
    .name = "ssimulacra2",
    .summary = "visible loss in still pictures, by structure, ringing and blur at six scales; 100: identical",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<LinearRgbInputs>,
    .smallest = {kSsimulacra2MinSide, kSsimulacra2MinSide},
    .reads_all_chroma = true,
    .reads_floats = true,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeSsimulacra2Plan>,
};

}  // namespace acutance
