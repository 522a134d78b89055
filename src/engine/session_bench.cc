// The rate at which the engine can feed frame pairs: sessions on a device that does nothing and
// takes no time.
#include <benchmark/benchmark.h>

#include "backend/null/null.h"
#include "engine/session.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

const Backend kTrustedNull = {"null", "takes no time", kNullBackend.probe,
                              [](int) -> Result<std::unique_ptr<Device>> { return MakeNullDevice(true); }};

/// A picture that the device has already, so that nothing is copied.
Picture MakePicture(const PictureFormat& format) {
  Picture picture = AllocatePicture(format)->Share();
  for (DevicePlane& plane : picture.device_planes) plane = {.address = 1, .stride = 1};
  return picture;
}

SessionSpec Request(const std::vector<FeatureRequest>& features, int threads) {
  static const Backend* const kBackends[] = {&kTrustedNull};
  SessionSpec spec;
  spec.features = features;
  spec.threads = threads;
  spec.devices = std::make_shared<DevicePicker>(DeviceChoice{"null", std::nullopt, {}}, kBackends);
  return spec;
}

/// Sessions of some frames each, from the first frame to the last score.
void Feed(benchmark::State& state, const std::vector<FeatureRequest>& features,
          const std::vector<ModelRequest>& models) {
  constexpr int kFrames = 20000;
  const PictureFormat format = {static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
  const Picture picture = MakePicture(format);
  for (auto _ : state) {
    state.PauseTiming();
    SessionSpec spec = Request(features, 2);
    spec.models = models;
    spec.format = format;
    auto opened = Session::Open(std::move(spec));
    if (!opened.ok()) return state.SkipWithError(opened.status().message().c_str());
    const auto session = std::move(opened).value();
    state.ResumeTiming();
    for (int i = 0; i < kFrames; ++i)
      if (!session->Add(picture, {picture}).ok()) return state.SkipWithError("a frame failed");
    if (!session->Flush().ok()) return state.SkipWithError("the end failed");
  }
  state.SetItemsProcessed(state.iterations() * kFrames);
}

void BM_Feed(benchmark::State& state) { Feed(state, {{"motion", {}}, {"psnr", {{"enable_chroma", "false"}}}}, {}); }
BENCHMARK(BM_Feed)->Args({64, 36})->Args({576, 324})->Args({1920, 1080})->UseRealTime()->MinTime(0.3);

void BM_FeedModel(benchmark::State& state) {
  Feed(state, {}, {{std::make_shared<const Model>(*LoadBuiltinModel("vmaf_v0.6.1", "vmaf")), {}, true}});
}
BENCHMARK(BM_FeedModel)->Args({576, 324})->Args({1920, 1080})->Args({3840, 2160})->UseRealTime()->MinTime(0.3);

}  // namespace
}  // namespace acutance
