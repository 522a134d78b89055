#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/highway.h>

#include <cmath>

#include "image/picture.h"
#include "metric/float_motion/float_motion.h"

namespace acutance {
namespace {

/// A smooth texture moving right.
Picture MakePicture(const PictureFormat& format, int frame) {
  MutablePicture picture = *AllocatePicture(format);
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      const double wave = 0.5 + 0.25 * std::sin((x - 3 * frame) * 0.05) + 0.25 * std::sin(y * 0.03);
      const int sample = static_cast<int>(wave * ((1 << format.bit_depth) - 1));
      std::byte* row = picture.data[0] + y * picture.stride[0];
      if (format.bit_depth == 8) row[x] = static_cast<std::byte>(sample);
      else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
    }
  return picture.Share();
}

void BM_FloatMotion(benchmark::State& state, int64_t target, bool half) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const PictureFormat format = {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                                static_cast<int>(state.range(2)), PixelFormat::k400};
  const Picture earlier = MakePicture(format, 1), current = MakePicture(format, 2);
  const auto tile = std::make_unique<FloatMotionTile>();
  const HalfTables tables = MakeHalfTables(format.width, format.height);
  const FloatMotionInput input = {earlier.planes[0], current.planes[0], format.bit_depth, MakeFloatMotionTaps(5),
                                  half ? &tables : nullptr};
  const int rows = half ? HalfLength(format.height) : format.height;
  std::vector<int64_t> sums(rows);
  for (auto _ : state) {
    FloatMotionRowSums(input, {0, rows}, *tile, sums.data());
    benchmark::DoNotOptimize(sums.data());
  }
  const double pixels = static_cast<double>(format.width) * format.height;
  state.counters["time/px"] =
      benchmark::Counter(pixels, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    for (const bool half : {false, true})
      for (const int64_t bit_depth : {8, 10})
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}", half ? "FloatMotionHalf" : "FloatMotion", hwy::TargetName(target)).c_str(),
            BM_FloatMotion, target, half)
            ->ArgNames({"w", "h", "bits"})
            ->Args({1920, 1080, bit_depth})
            ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
}  // namespace acutance
