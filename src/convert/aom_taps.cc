#include "convert/aom_taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr int kLobes = 5;
/// Of the larger length for the smaller one.
constexpr ScaleRatio kRatios[] = {{2, 3}, {1, 2}, {1, 3}, {1, 4}, {1, 6}};

int Shortened(int length, const ScaleRatio& ratio, bool is_halved) {
  if (!is_halved) return static_cast<int>((int64_t{length} * ratio.to + ratio.from / 2) / ratio.from);
  const int result = static_cast<int>(int64_t{length} * ratio.to / ratio.from);
  return result + result % 2;
}

double AomSinc(double x) { return std::abs(x) < 1e-12 ? 1 : Sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double AomWeight(double x) { return std::abs(x) < kLobes ? AomSinc(x) * AomSinc(x / kLobes) : 0; }

/// Whole numbers that add up to 2^14: where rounded ones do not, the tap whose error is largest changes by one, of
/// equal ones the first, until they do.
std::vector<int> QuantizeAom(std::vector<double> wanted) {
  const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  std::vector<int> taps;
  for (double& weight : wanted) {
    weight = weight / sum * (1 << ScaleTaps::kBits);
    taps.push_back(static_cast<int>(std::nearbyint(weight)));
  }
  for (int left = (1 << ScaleTaps::kBits) - std::accumulate(taps.begin(), taps.end(), 0); left != 0;) {
    const int step = left > 0 ? 1 : -1;
    const auto error = [&](int k) { return step * (wanted[k] - taps[k]); };
    int most = 0;
    for (int k = 1; k < std::ssize(taps); ++k)
      if (error(k) > error(most)) most = k;
    taps[most] += step;
    left -= step;
  }
  return taps;
}

/// The taps of a result that lies `phase` after a sample, from the one `half` - 1 before it on.
std::vector<int> TapsOf(const ScaleRatio& ratio, int half, double phase) {
  std::vector<double> weights;
  for (int k = 1 - half; k <= half; ++k)
    weights.push_back(AomWeight(ratio.to < ratio.from ? (k - phase) * ratio.to / ratio.from : k - phase));
  return QuantizeAom(std::move(weights));
}

}  // namespace

ScaleRatio FindAomRatio(int from, int to, bool is_halved) {
  for (const ScaleRatio& ratio : kRatios) {
    if (from > to && Shortened(from, ratio, is_halved) == to) return ratio;
    if (from < to && Shortened(to, ratio, is_halved) == from) return {ratio.from, ratio.to};
  }
  const int common = std::gcd(from, to);
  return {to / common, from / common};
}

ScaleTaps MakeAomTaps(const ScaleRatio& ratio, int from, int to, bool is_cosited) {
  const int p = ratio.to, q = ratio.from, half = p < q ? (kLobes * q + p - 1) / p : kLobes;
  const double start = static_cast<double>(q - p) / ((is_cosited ? 4 : 2) * p);
  ScaleTaps result(to, 2 * half);
  std::vector<int> starts;
  std::vector<std::vector<int>> taps;
  for (int i = 0; i < std::min(p, to); ++i) {  // after p results the phases repeat
    const double place = static_cast<double>(q) / p * i + start;
    starts.push_back(static_cast<int>(std::floor(place)));
    taps.push_back(TapsOf(ratio, half, place - starts.back()));
  }
  for (int i = 0; i < to; ++i) {
    const int64_t first = starts[i % p] + int64_t{i / p} * q + 1 - half;
    result.Set(i, static_cast<int>(std::min<int64_t>(first, from - 1)), taps[i % p]);
  }
  return result;
}

}  // namespace acutance
