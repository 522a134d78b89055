// Benchmark of the instruction kinds that bound the metrics: their highest rates on this machine. bench/metrics.py
// divides each metric's needs by them. Items per second are single lanes (multiplications, divisions).
#include <benchmark/benchmark.h>

#include <cstdint>

// The loops below store vectors in arrays, which targets of unknown vector length do not allow.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine_bench.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Chains that do not wait for each other: latency (at most 6 cycles for these) times two units, rounded up.
constexpr int kChains = 12;
constexpr int kRounds = 1024;

/// Runs `step` kRounds times on each chain; returns how often it ran.
template <class D, class Step>
int64_t RunChains(D d, Step step) {
  decltype(hn::Zero(d)) chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = hn::Set(d, static_cast<hn::TFromD<D>>(i + 3));
  for (int round = 0; round < kRounds; ++round)
    for (auto& value : chain) value = step(value);
  for (auto& value : chain) benchmark::DoNotOptimize(value);
  return int64_t{kRounds} * kChains;
}

int64_t Multiply16() {
  const hn::ScalableTag<int32_t> d32;
  const hn::ScalableTag<int16_t> d16;
  const auto factor = hn::Iota(d16, 1);
  // Adding to zero leaves the multiplication alone (pmaddwd): its unit is the scarce one.
  return static_cast<int64_t>(hn::Lanes(d16)) * RunChains(d32, [=](auto value) HWY_ATTR {
           auto high = hn::Zero(d32);
           return hn::ReorderWidenMulAccumulate(d32, hn::BitCast(d16, value), factor, hn::Zero(d32), high);
         });
}

int64_t Multiply32() {
  const hn::ScalableTag<uint64_t> d64;
  const hn::ScalableTag<uint32_t> d32;
  const auto factor = hn::Iota(d32, 1);
  return static_cast<int64_t>(hn::Lanes(d64)) *
         RunChains(d64, [=](auto value) HWY_ATTR { return hn::MulEven(hn::BitCast(d32, value), factor); });
}

int64_t Divide64() {
  const hn::ScalableTag<double> d;
  const auto divisor = hn::Set(d, 1.0000001);
  return static_cast<int64_t>(hn::Lanes(d)) *
         RunChains(d, [=](auto value) HWY_ATTR { return hn::Div(value, divisor); });
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {
HWY_EXPORT(Multiply16);
HWY_EXPORT(Multiply32);
HWY_EXPORT(Divide64);
HWY_EXPORT(TargetName);

template <class Body>
void Measure(benchmark::State& state, Body body) {
  int64_t items = 0;
  for (auto _ : state) items += body();
  state.SetItemsProcessed(items);
  state.SetLabel(HWY_DYNAMIC_DISPATCH(TargetName)());
}

#define ACU_RATE(function) \
  BENCHMARK_CAPTURE(Measure, function, [] { return HWY_DYNAMIC_DISPATCH(function)(); })->Name(#function "Rate")
ACU_RATE(Multiply16);
ACU_RATE(Multiply32);
ACU_RATE(Divide64);
#undef ACU_RATE

}  // namespace acutance
#endif  // HWY_ONCE
