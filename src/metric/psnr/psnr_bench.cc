#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/highway.h>

#include <cstring>

#include "image/picture.h"
#include "metric/psnr/psnr.h"

namespace acutance {
namespace {

Picture Filled(const PictureFormat& format, int value) {
  MutablePicture picture = *AllocatePicture(format);
  std::memset(picture.data[0], value, static_cast<size_t>(picture.stride[0]) * format.height);
  return picture.Share();
}

void BM_SquaredError(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const PictureFormat format = {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                                static_cast<int>(state.range(2)), PixelFormat::k400};
  const Picture reference = Filled(format, 3), distorted = Filled(format, 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        SquaredError(reference.planes[0], distorted.planes[0], format.bit_depth, {0, format.height}));
  const double pixels = static_cast<double>(format.width) * format.height;
  state.counters["time/px"] =
      benchmark::Counter(pixels, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    for (const int64_t bit_depth : {8, 16})
      benchmark::RegisterBenchmark(fmt::format("SquaredError/{}", hwy::TargetName(target)).c_str(), BM_SquaredError,
                                   target)
          ->ArgNames({"w", "h", "bits"})
          ->Args({1920, 1080, bit_depth})
          ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace acutance
