#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/highway.h>

#include <cmath>
#include <initializer_list>
#include <random>

#include "image/picture.h"
#include "metric/motion/motion.h"

namespace acutance {
namespace {

/// A smooth texture moving right, or noise, the worst case: every row is split.
Picture MakePicture(const PictureFormat& format, bool noise, int frame) {
  MutablePicture picture = *AllocatePicture(format);
  std::mt19937 random(static_cast<unsigned>(frame));
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      const double wave = 0.5 + 0.25 * std::sin((x - 3 * frame) * 0.05) + 0.25 * std::sin(y * 0.03);
      const double value = noise ? random() / 4294967296.0 : wave;
      const int sample = static_cast<int>(value * ((1 << format.bit_depth) - 1));
      std::byte* row = picture.data[0] + y * picture.stride[0];
      if (format.bit_depth == 8) row[x] = static_cast<std::byte>(sample);
      else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
    }
  return picture.Share();
}

void BM_MotionSad(benchmark::State& state, int64_t target, bool noise) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const PictureFormat format = {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                                static_cast<int>(state.range(2)), PixelFormat::k400};
  const Picture earlier = MakePicture(format, noise, 1), current = MakePicture(format, noise, 2);
  const auto rows = std::make_unique<MotionRows>();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        MotionSad(earlier.planes[0], current.planes[0], format.bit_depth, {0, format.height}, *rows));
  const double pixels = static_cast<double>(format.width) * format.height;
  state.counters["time/px"] =
      benchmark::Counter(pixels, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  hwy::SetSupportedTargetsForTest(0);
}

void Register(const char* name, bool noise, std::initializer_list<int64_t> bit_depths) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    for (const int64_t bit_depth : bit_depths)
      benchmark::RegisterBenchmark(fmt::format("{}/{}", name, hwy::TargetName(target)).c_str(), BM_MotionSad, target,
                                   noise)
          ->ArgNames({"w", "h", "bits"})
          ->Args({1920, 1080, bit_depth})
          ->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = [] {
  Register("MotionSad", false, {8, 10, 16});
  Register("MotionSadNoise", true, {8, 16});
  return true;
}();

}  // namespace
}  // namespace acutance
