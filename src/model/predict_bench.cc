#include <benchmark/benchmark.h>

#include "model/builtin_models.h"
#include "model/model_parser.h"
#include "model/predict.h"

namespace acutance {
namespace {

void BM_Predict(benchmark::State& state) {
  const Model model = *LoadBuiltinModel("vmaf_v0.6.1", "vmaf");
  const double values[] = {0.95, 5, 0.6, 0.88, 0.92, 0.95};
  for (auto _ : state) benchmark::DoNotOptimize(Predict(model, values));
  state.counters["ns/SV"] =
      benchmark::Counter(static_cast<double>(model.svm.coefficients.size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Predict);

void BM_Load(benchmark::State& state, const char* version) {
  for (auto _ : state) benchmark::DoNotOptimize(LoadBuiltinModel(version, "vmaf").ok());
}
BENCHMARK_CAPTURE(BM_Load, v061, "vmaf_v0.6.1");
BENCHMARK_CAPTURE(BM_Load, v1, "vmaf_v1.0.16_3d0h");
BENCHMARK_CAPTURE(BM_Load, b, "vmaf_b_v0.6.3");

}  // namespace
}  // namespace acutance
