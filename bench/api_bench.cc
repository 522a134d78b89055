// Benchmark of the C++ API on pictures in memory. bench/python_overhead.py compares the Python package with it.
#include <acutance/acutance.h>
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace {

constexpr acutance::PictureFormat kFormat{1920, 1080, 8, acutance::PixelFormat::k400};
constexpr int kPictures = 4;

/// The same pictures as in bench/python_overhead.py.
acutance::Picture MakePicture(int frame, int noise) {
  acutance::Picture picture = *acutance::Picture::Allocate(kFormat);
  for (int y = 0; y < kFormat.height; ++y) {
    auto* row = static_cast<uint8_t*>(picture.mutable_data(0)) + y * picture.stride(0);
    for (int x = 0; x < kFormat.width; ++x) {
      const int value = 40 + (3 * x + 2 * y + 5 * frame) % 150 + (x * x + 3 * y * y + 17 * frame) / 8 % 32;
      row[x] = static_cast<uint8_t>(value + (31 * x + 17 * y + 5 * frame) % noise);
    }
  }
  return picture;
}

void ScoreFrames(benchmark::State& state, const acutance::SessionOptions& options) {
  std::vector<acutance::Picture> references, distorted;
  for (int i = 0; i < kPictures; ++i) {
    references.push_back(MakePicture(i, 1));
    distorted.push_back(MakePicture(i, 16));
  }
  acutance::Session session = *acutance::Session::Create(options);
  int64_t frame = 0;
  for (auto _ : state) {
    const auto i = static_cast<size_t>(frame++ % kPictures);
    if (!session.Add(references[i], distorted[i]).ok()) state.SkipWithError("the session failed");
  }
  if (!session.Finish().ok()) state.SkipWithError("the session failed");
}

void Vmaf(benchmark::State& state) {
  acutance::SessionOptions options;
  options.models = {*acutance::Model::Load("vmaf_v0.6.1")};
  options.threads = 1;
  ScoreFrames(state, options);
}

void Psnr(benchmark::State& state) {
  acutance::SessionOptions options;
  options.features = {{"psnr", {{"enable_chroma", "false"}}}};
  options.threads = 1;
  ScoreFrames(state, options);
}

BENCHMARK(Vmaf)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Psnr)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
