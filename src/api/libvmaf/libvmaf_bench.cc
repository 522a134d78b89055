// The time that the C API adds to the engine's: pictures are allocated, filled and scored through
// both.
#include <benchmark/benchmark.h>
#include <libvmaf/libvmaf.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "engine/session.h"
#include "model/builtin_models.h"

namespace acutance::libvmaf {
namespace {

constexpr int kFrames = 24;

std::vector<uint8_t> Luma(int width, int height, unsigned noise) {
  std::mt19937 random(noise + 1);
  std::vector<uint8_t> samples(static_cast<size_t>(width) * height);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<uint8_t>(60 + i % 97 + random() % (noise + 1));
  return samples;
}

/// A video of one picture, which every frame copies as a decoder would write it.
struct Source {
  int width, height;
  std::vector<uint8_t> reference = Luma(width, height, 0), distorted = Luma(width, height, 24);
};

void RunEngine(const Source& source) {
  const PictureFormat format{source.width, source.height, 8, PixelFormat::k420};
  SessionSpec spec;
  spec.format = format;
  spec.models.push_back({std::make_shared<const Model>(LoadBuiltinModel("vmaf_v0.6.1", "vmaf").value()), {}, true});
  const std::unique_ptr<Session> session = Session::Open(std::move(spec)).value();
  const auto make = [&](const std::vector<uint8_t>& samples) {
    const MutablePicture picture = AllocatePicture(format).value();
    for (int y = 0; y < source.height; ++y)
      std::memcpy(picture.data[0] + y * picture.stride[0], &samples[static_cast<size_t>(y) * source.width],
                  source.width);
    return picture.Share();
  };
  for (int i = 0; i < kFrames; ++i)
    if (!session->Add(make(source.reference), {make(source.distorted)}).ok()) return;
  benchmark::DoNotOptimize(session->Flush().ok());
}

void RunLibrary(const Source& source) {
  VmafContext* context = nullptr;
  VmafModel* model = nullptr;
  VmafModelConfig config{"vmaf", 0};
  vmaf_init(&context, {VMAF_LOG_LEVEL_ERROR, 0, 1, 0, 0});
  vmaf_model_load(&model, &config, "vmaf_v0.6.1");
  vmaf_use_features_from_model(context, model);
  const auto fill = [&](VmafPicture& picture, const std::vector<uint8_t>& samples) {
    vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, source.width, source.height);
    for (int y = 0; y < source.height; ++y)
      std::memcpy(static_cast<uint8_t*>(picture.data[0]) + y * picture.stride[0],
                  &samples[static_cast<size_t>(y) * source.width], source.width);
  };
  for (unsigned i = 0; i < kFrames; ++i) {
    VmafPicture reference, distorted;
    fill(reference, source.reference);
    fill(distorted, source.distorted);
    vmaf_read_pictures(context, &reference, &distorted, i);
  }
  vmaf_read_pictures(context, nullptr, nullptr, 0);
  double score = 0;
  vmaf_score_pooled(context, model, VMAF_POOL_METHOD_MEAN, &score, 0, kFrames - 1);
  benchmark::DoNotOptimize(score);
  vmaf_model_destroy(model);
  vmaf_close(context);
}

template <void (*run)(const Source&)>
void BM_Frames(benchmark::State& state) {
  const Source source{static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
  for (auto _ : state) run(source);
  state.SetItemsProcessed(state.iterations() * kFrames);
}

BENCHMARK(BM_Frames<RunEngine>)->Name("engine")->Args({1920, 1080})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_Frames<RunLibrary>)->Name("libvmaf")->Args({1920, 1080})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace acutance::libvmaf
