// Scaling one frame of 8 and 10 bits to 1080p.
#include <benchmark/benchmark.h>

#include "convert/scaler.h"

namespace acutance {
namespace {

void BM_ScaleTo1080p(benchmark::State& state) {
  const PictureFormat to = {1920, 1080, static_cast<int>(state.range(1)), PixelFormat::k420};
  PictureFormat from = to;
  from.width = static_cast<int>(state.range(0)) * 16 / 9;
  from.height = static_cast<int>(state.range(0));
  const MutablePicture result = AllocatePicture(to).value();
  const Picture source = AllocatePicture(from)->Share();
  const Scaler scaler = Scaler::Make(from, to, {}).value();
  for (auto _ : state) scaler.Scale(source, result);
}
BENCHMARK(BM_ScaleTo1080p)
    ->ArgsProduct({{360, 540, 720, 2160}, {8, 10}})
    ->ArgNames({"from", "bits"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acutance
