// ns per pixel of ADM's stages and of a whole frame, on one thread.
#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "metric/adm/adm.h"
#include "metric/clip_frames.h"

namespace acutance {
namespace {

constexpr int kWidth = 1920, kHeight = 1080;

/// Smooth shapes with grain; the distorted picture is quantised, like a coded one.
Picture MakeFrame(int depth, bool distorted) {
  MutablePicture picture = AllocatePicture({kWidth, kHeight, depth, PixelFormat::k400}).value();
  std::mt19937 random(1);
  const int peak = (1 << depth) - 1;
  for (int y = 0; y < kHeight; ++y) {
    std::byte* row = picture.data[0] + y * picture.stride[0];
    for (int x = 0; x < kWidth; ++x) {
      const double shape = 0.5 + 0.2 * std::sin(x * 0.013 + y * 0.007) + 0.15 * std::sin(x * 0.11) * std::cos(y * 0.09);
      double level = shape + (static_cast<int>(random() % 17) - 8) / 255.0;
      if (distorted) level = std::round(level * 48) / 48;
      const uint16_t value = static_cast<uint16_t>(std::lround(std::clamp(level, 0.0, 1.0) * peak));
      if (depth > 8) std::memcpy(row + 2 * x, &value, sizeof(value));
      else row[x] = static_cast<std::byte>(value);
    }
  }
  return picture.Share();
}

/// Stages [first, last] of frames of `depth` bits, with a gain limit.
void Run(benchmark::State& state, int depth, int first, int last, const OptionTexts& texts) {
  const Picture reference = MakeFrame(depth, false), distorted = MakeFrame(depth, true);
  const OptionValues options = OptionValues::Parse(kAdmMetric.options, texts).value();
  const auto extractor = kAdmMetric.make(options, reference.format).value();
  const auto frame = extractor->MakeFrameWorkspace();
  const auto thread = extractor->MakeThreadWorkspace();
  const ClipFrames clip(kAdmMetric, options, {&reference, 1}, {&distorted, 1});
  const std::vector<StageSpec>& stages = extractor->spec().stages;
  std::vector<int64_t> sums(extractor->spec().sums);
  const auto run = [&](int stage) {
    extractor->RunBand(clip.at(0), stage, {0, stages[stage].rows}, {frame.get(), thread.get()}, {.sums = sums});
  };
  for (int stage = 0; stage < std::ssize(stages); ++stage) run(stage);  // inputs of the later stages
  for (auto _ : state) {
    for (int stage = first; stage <= last; ++stage) run(stage);
    benchmark::DoNotOptimize(sums.data());
  }
  const double pixels = static_cast<double>(kWidth) * kHeight * static_cast<double>(state.iterations());
  state.counters["per_pixel"] = benchmark::Counter(pixels, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void Frame(benchmark::State& state, int depth) { Run(state, depth, 0, 3, {}); }
void FrameTarget(benchmark::State& state, int64_t target) {
  const auto choose = [](int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  choose(target);
  Frame(state, 8);
  choose(0);
}
void FrameNeg(benchmark::State& state, int depth) { Run(state, depth, 0, 3, {{"adm_enhn_gain_limit", "1"}}); }
void FrameSkipAim(benchmark::State& state, int depth) { Run(state, depth, 0, 3, {{"adm_skip_aim", "true"}}); }
void Stage(benchmark::State& state, int depth, int stage) { Run(state, depth, stage, stage, {}); }

BENCHMARK_CAPTURE(Frame, 1080p8, 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Frame, 1080p10, 10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FrameNeg, 1080p8, 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FrameSkipAim, 1080p8, 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Stage, 1080p8_scale0, 8, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Stage, 1080p8_scale1, 8, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Stage, 1080p8_scale2, 8, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Stage, 1080p8_scale3, 8, 3)->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    benchmark::RegisterBenchmark((std::string("FrameTarget/1080p8/") + hwy::TargetName(target)).c_str(), FrameTarget,
                                 target)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace acutance
