// Every metric's SIMD implementation with its default options on the luma of a 1080p pair, with chroma where it needs
// it: whole frames by instruction set and bit depth, then each stage of metrics that have several. bench/metrics.py
// prints nanoseconds per pixel.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "metric/offline_frames.h"
#include "metric/registry.h"

namespace acutance {
namespace {

constexpr int kWidth = 1920, kHeight = 1080, kAllStages = -1, kFrames = 3;  // the last has every earlier one it wants
constexpr std::array kDepths = {8, 10};

/// Luma alone where the metric does with it.
PictureFormat FormatOf(const Metric& metric, int bit_depth) {
  PictureFormat format = {kWidth, kHeight, bit_depth, PixelFormat::k400};
  if (!MakeExtractor(metric, OptionValues(metric.options), format).ok()) format.pixel_format = PixelFormat::k420;
  return format;
}

/// Waves with grain in two thirds of the area; `noise` is added on top.
Picture Film(const PictureFormat& format, double noise, unsigned frame) {
  MutablePicture picture = AllocatePicture(format).value();
  std::mt19937 random(frame);
  const int max = (1 << format.bit_depth) - 1;
  for (int plane = 0; plane < format.PlaneCount(); ++plane)
    for (int y = 0; y < format.PlaneHeight(plane); ++y)
      for (int x = 0; x < format.PlaneWidth(plane); ++x) {
        const double wave = 0.5 + 0.3 * std::sin(x * 0.021) * std::cos(y * 0.034);
        const double grain = (x / 160 + y / 90) % 3 == 0 ? 0 : 0.1;
        const double value = wave + (random() % 1000 / 1000.0 - 0.5) * (grain + noise);
        const int sample = std::clamp(static_cast<int>(value * max), 0, max);
        std::byte* row = picture.data[plane] + y * picture.stride[plane];
        if (format.bit_depth == 8) row[x] = static_cast<std::byte>(sample);
        else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
      }
  return picture.Share();
}

struct Clip {
  std::vector<Picture> reference, distorted;
};

const Clip& ClipOf(const PictureFormat& format) {
  static std::map<std::pair<int, bool>, Clip> clips;
  Clip& clip = clips[{format.bit_depth, format.pixel_format == PixelFormat::k400}];
  for (unsigned frame = clip.reference.size(); frame < kFrames; ++frame) {
    clip.reference.push_back(Film(format, 0, frame));
    clip.distorted.push_back(Film(format, 0.02, frame));
  }
  return clip;
}

/// A metric on the clip's last frame.
class FrameRun {
 public:
  FrameRun(const Metric& metric, int bit_depth) : options_(metric.options) {
    const Clip& clip = ClipOf(FormatOf(metric, bit_depth));
    extractor_ = MakeExtractor(metric, options_, clip.reference[0].format).value();
    frames_ = std::make_unique<OfflineFrames>(metric, options_, clip.reference, clip.distorted);
    frame_ = extractor_->MakeFrameWorkspace();
    thread_ = extractor_->MakeThreadWorkspace();
    sums_.resize(extractor_->spec().sums);
    words_.resize(extractor_->spec().words);
    if (!frames_->at(kFrames - 1).Prepare().ok()) std::abort();
  }

  void Run(int stage) {
    extractor_->RunBand(frames_->at(kFrames - 1), stage, {0, extractor_->spec().stages[stage].rows},
                        {frame_.get(), thread_.get()}, {.sums = sums_, .words = words_, .artifacts = {}});
    benchmark::ClobberMemory();
  }

  void RunAll() {
    for (int stage = 0; stage < std::ssize(extractor_->spec().stages); ++stage) Run(stage);
  }

 private:
  const OptionValues options_;
  std::unique_ptr<Extractor> extractor_;
  std::unique_ptr<OfflineFrames> frames_;
  std::unique_ptr<Workspace> frame_, thread_;
  std::vector<int64_t> sums_, words_;
};

/// This instruction set, or the best below it for a metric that has no code for it: better ones have lower bits.
void Choose(int64_t target) {
  hwy::SetSupportedTargetsForTest(0);
  if (target != 0) hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & -target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void MeasureFrame(benchmark::State& state, const Metric* metric, int bit_depth, int64_t target, int stage) {
  Choose(target);
  FrameRun run(*metric, bit_depth);
  run.RunAll();  // inputs of the later stages
  for (auto _ : state) {
    if (stage == kAllStages) run.RunAll();
    else run.Run(stage);
  }
  state.counters["time/px"] = benchmark::Counter(
      double{kWidth} * kHeight, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  Choose(0);
}

void Register(const Metric* metric, int bit_depth, int64_t target, int stage) {
  const std::string part = stage == kAllStages ? "frame" : fmt::format("stage{}", stage);
  const std::string name = fmt::format("{}/{}/{}/bits:{}", metric->name, part, hwy::TargetName(target), bit_depth);
  benchmark::RegisterBenchmark(name.c_str(), MeasureFrame, metric, bit_depth, target, stage)
      ->Unit(benchmark::kMicrosecond);
}

int StageCount(const Metric& metric) {
  const auto extractor = MakeExtractor(metric, OptionValues(metric.options), FormatOf(metric, kDepths[0]));
  return static_cast<int>(extractor.value()->spec().stages.size());
}

void RegisterAll() {
  for (const Metric* metric : AllMetrics())
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      if (target == HWY_SCALAR || target == HWY_EMU128) continue;  // the plain loops: seconds a frame
      for (const int bit_depth : kDepths)
        for (int stage = kAllStages, stages = StageCount(*metric); stage < (stages > 1 ? stages : 0); ++stage)
          Register(metric, bit_depth, target, stage);
    }
}

}  // namespace
}  // namespace acutance

int main(int argc, char** argv) {
  acutance::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
