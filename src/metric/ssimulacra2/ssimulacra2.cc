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

/// First the largest scale is scored, which leaves light at half the size; then each plane is halved again and again,
/// and each smaller scale is scored.
class Ssimulacra2Extractor : public Extractor {
 public:
  Ssimulacra2Extractor(const LinearRgbSettings& settings, const PictureFormat& format)
      : Extractor({.stages = {{1}, {kHalvedPlanes}, {Ssimulacra2Scales(format.width, format.height) - 1}},
                   .words = kSsimulacra2Words * Ssimulacra2Scales(format.width, format.height)}),
        conversion_(settings, format),
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
      if (stage == 0) Start(frames, workspaces, results);
      if (stage == 1)
        for (size_t f = 0; f < (i < 3 ? 1 : frames.size()); ++f) Halve(i / 3, i % 3, PyramidOf(workspaces[f]));
      if (stage == 2) Score(i + 1, workspaces, results);
    }
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    outputs.values[0] = Ssimulacra2Score(format_.width, format_.height, totals.words);
    return {};
  }

 private:
  static constexpr int kHalvedPlanes = 6;  // three of each video

  static Pyramid& PyramidOf(const Workspaces& workspaces) { return static_cast<Pyramid&>(*workspaces.frame); }

  static std::vector<std::span<int64_t>> WordsOf(std::span<const BandResults> results, int scale) {
    std::vector<std::span<int64_t>> words;
    for (const BandResults& result : results)
      words.push_back(result.words.subspan(size_t{kSsimulacra2Words} * scale, kSsimulacra2Words));
    return words;
  }

  void Start(std::span<const FrameView> frames, std::span<const Workspaces> workspaces,
             std::span<const BandResults> results) const {
    const auto start = [&](size_t f, int video) {
      auto& half = PyramidOf(workspaces[f]).levels[0].planes[video];
      return Ssimulacra2Start{frames[f].at(video), {half[0].data(), half[1].data(), half[2].data()}};
    };
    std::vector<Ssimulacra2Start> distorted;
    for (size_t f = 0; f < frames.size(); ++f) distorted.push_back(start(f, 1));
    Ssimulacra2StartScale(conversion_, start(0, 0), distorted, scales_, WordsOf(results, 0));
  }

  static void Halve(int video, int plane, Pyramid& pyramid) {
    for (int s = 2; s <= std::ssize(pyramid.levels); ++s) {
      Pyramid::Level& level = pyramid.levels[s - 1];
      HalveSsimulacra2(pyramid.Colors(video, s - 1), plane, level.width, level.height,
                       level.planes[video][plane].data());
    }
  }

  void Score(int scale, std::span<const Workspaces> workspaces, std::span<const BandResults> results) const {
    std::vector<FloatColors> distorted;
    for (const Workspaces& each : workspaces) distorted.push_back(PyramidOf(each).Colors(1, scale));
    Ssimulacra2Scale(PyramidOf(workspaces[0]).Colors(0, scale), distorted, scale, scales_, WordsOf(results, scale));
  }

  const LinearRgbConversion conversion_;
  const PictureFormat format_;
  const int scales_;
};

Result<LinearRgbSettings> ReadSettings(const OptionValues& options) { return ReadLinearRgb("ssimulacra2", options); }

Result<std::unique_ptr<Extractor>> Make(const LinearRgbSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("ssimulacra2", settings, format));
  return std::make_unique<Ssimulacra2Extractor>(settings, format);
}

}  // namespace

const Metric kSsimulacra2Metric = {
    .name = "ssimulacra2",
    .summary = "visible loss in still pictures, by structure, ringing and blur at six scales; 100: identical",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs =
        [](const Setup&) {
          return std::vector<InputSpec>{{Video::kReference, kAllPlanes}, {Video::kDistorted, kAllPlanes}};
        },
    .smallest = {kSsimulacra2MinSide, kSsimulacra2MinSide},
    .reads_all_chroma = true,
    .reads_floats = true,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeSsimulacra2Plan>,
};

}  // namespace acutance
