// ns per pixel of VIF at 1080p by instruction set, whole and by scale, on a film-like picture: smooth and textured.
#include <benchmark/benchmark.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "metric/clip_frames.h"
#include "metric/vif/vif.h"
#include "metric/vif/vif_math.h"

namespace acutance {
namespace {

constexpr int kAllScales = -1;

/// Waves with grain in two thirds of the area; `noise` is added on top.
Picture Film(const PictureFormat& format, double noise) {
  MutablePicture picture = AllocatePicture(format).value();
  std::mt19937 random(1);
  const int max = (1 << format.bit_depth) - 1;
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      const double wave = 0.5 + 0.3 * std::sin(x * 0.021) * std::cos(y * 0.034);
      const double grain = (x / 160 + y / 90) % 3 == 0 ? 0 : 0.1;
      const double value = wave + (random() % 1000 / 1000.0 - 0.5) * (grain + noise);
      const int sample = std::clamp(static_cast<int>(value * max), 0, max);
      std::byte* row = picture.data[0] + y * picture.stride[0];
      if (format.bit_depth == 8) row[x] = static_cast<std::byte>(sample);
      else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
    }
  return picture.Share();
}

void BM_Vif(benchmark::State& state, int64_t target, int scale) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const PictureFormat format = {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                                static_cast<int>(state.range(2)), PixelFormat::k400};
  const Picture reference = Film(format, 0), distorted = Film(format, 0.02);
  const auto extractor = kVifMetric.make(OptionValues(kVifMetric.options), format).value();
  const auto frame = extractor->MakeFrameWorkspace();
  const auto thread = extractor->MakeThreadWorkspace();
  std::vector<int64_t> sums(extractor->spec().sums);
  const ClipFrames clip(kVifMetric, OptionValues(kVifMetric.options), {&reference, 1}, {&distorted, 1});
  const auto run = [&](int stage) {
    extractor->RunBand(clip.at(0), stage, {0, extractor->spec().stages[stage].rows}, {frame.get(), thread.get()},
                       {.sums = sums});
  };
  for (int stage = 0; stage < kVifScales; ++stage) run(stage);  // fills the images of all scales
  for (auto _ : state) {
    if (scale != kAllScales) run(scale);
    else
      for (int stage = 0; stage < kVifScales; ++stage) run(stage);
  }
  benchmark::DoNotOptimize(sums.data());
  const double pixels = static_cast<double>(format.width) * format.height;
  state.counters["time/px"] =
      benchmark::Counter(pixels, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  hwy::SetSupportedTargetsForTest(0);
}

void Register(int64_t target, int scale, int bit_depth) {
  const std::string part = scale == kAllScales ? "all" : "scale" + std::to_string(scale);
  const std::string name = std::string("Vif/") + hwy::TargetName(target) + "/" + part;
  benchmark::RegisterBenchmark(name.c_str(), BM_Vif, target, scale)
      ->ArgNames({"w", "h", "bits"})
      ->Args({1920, 1080, bit_depth})
      ->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = [] {
  for (const int64_t target : VifTargets()) {
    if (target == HWY_SCALAR || target == HWY_EMU128) continue;  // the plain loops: seconds a frame
    for (const int bit_depth : {8, 10})
      for (int scale = kAllScales; scale < kVifScales; ++scale) Register(target, scale, bit_depth);
  }
  return true;
}();

}  // namespace
}  // namespace acutance
