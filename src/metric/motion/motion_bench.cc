#include <benchmark/benchmark.h>
#include <hwy/highway.h>

#include <random>

#include "image/picture.h"
#include "metric/motion/motion_cpu.h"

namespace acutance {
namespace {

Picture Noise(const PictureFormat& format, unsigned seed) {
  MutablePicture picture = *AllocatePicture(format);
  std::mt19937 random(seed);
  const int samples_per_row = format.width;
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < samples_per_row; ++x) {
      std::byte* row = picture.data[0] + y * picture.stride[0];
      const unsigned sample = random() >> (32 - format.bit_depth);
      if (format.bit_depth == 8) row[x] = static_cast<std::byte>(sample);
      else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
    }
  return picture.Share();
}

void BM_MotionSad(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const PictureFormat format = {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                                static_cast<int>(state.range(2)), PixelFormat::k400};
  const Picture earlier = Noise(format, 1), current = Noise(format, 2);
  const auto rows = std::make_unique<MotionRows>();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        MotionSad(earlier.planes[0], current.planes[0], format.bit_depth, {0, format.height}, *rows));
  const double pixels = static_cast<double>(format.width) * format.height;
  state.counters["time/px"] =
      benchmark::Counter(pixels, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    for (const int64_t bit_depth : {8, 10, 16})
      benchmark::RegisterBenchmark((std::string("MotionSad/") + hwy::TargetName(target)).c_str(), BM_MotionSad, target)
          ->ArgNames({"w", "h", "bits"})
          ->Args({1920, 1080, bit_depth})
          ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace acutance
