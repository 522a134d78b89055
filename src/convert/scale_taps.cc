#include "convert/scale_taps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr int kResultMultiple = 16;  // a vector of 512 bits has groups of 8 results

int RoundUp(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

double Bicubic(double x) {
  constexpr double kC = 0.6;  // B = 0: the filter is 1 at 0 and 0 at the other whole numbers
  x = std::abs(x);
  if (x < 1) return ((2 - kC) * x - (3 - kC)) * x * x + 1;
  return x < 2 ? ((-kC * x + 5 * kC) * x - 8 * kC) * x + 4 * kC : 0;
}

double Sinc(double x) { return x == 0 ? 1 : Sin(std::numbers::pi * x) / (std::numbers::pi * x); }

template <int kLobes>
double Lanczos(double x) {
  return std::abs(x) < kLobes ? Sinc(x) * Sinc(x / kLobes) : 0;
}

double Bilinear(double x) { return std::max(1 - std::abs(x), 0.0); }

/// The share of the sample round x that lies in [-width / 2, width / 2].
double Covered(double x, double width) {
  return std::max(std::min(x + 0.5, width / 2) - std::max(x - 0.5, -width / 2), 0.0);
}

/// By ScaleFilter: how far from a result's place the filter reaches, in samples of a source whose samples are the
/// larger ones, and the weight of a sample at a distance from it.
constexpr struct {
  double reach;
  double (*weight)(double distance);
} kFilters[] = {{2, Bicubic}, {3, Lanczos<3>}, {1, Bilinear}, {1, nullptr}, {5, Lanczos<5>}};

/// The weight of a sample at a distance from the result's place; `stretch` is at least 1.
double Weight(ScaleFilter filter, double distance, double step, double stretch) {
  if (filter == ScaleFilter::kArea) return Covered(distance, step);
  return kFilters[static_cast<int>(filter)].weight(distance / stretch);
}

/// Whole numbers that add up to 2^kBits; what rounding leaves over goes to the largest.
std::vector<int> Quantize(const std::vector<double>& exact) {
  double sum = 0;
  for (const double weight : exact) sum += weight;
  int left = 1 << ScaleTaps::kBits;
  std::vector<int> weights;
  for (const double weight : exact) {
    weights.push_back(static_cast<int>(std::floor(weight / sum * (1 << ScaleTaps::kBits) + 0.5)));
    left -= weights.back();
  }
  *std::ranges::max_element(weights) += left;
  return weights;
}

/// Where the bytes of a sample lie in a block.
int16_t BytesOf(int place) { return static_cast<int16_t>(2 * place | (2 * place + 1) << 8); }

bool IsHalving(const ScaleTaps& taps, int width) {
  for (int x = 0; x < width; ++x) {
    if (taps.first[x] != taps.first[0] + 2 * x) return false;
    for (int k = 0; k < taps.used; ++k)
      if (taps.weight(x, k) != taps.weight(0, k)) return false;
  }
  return true;
}

/// How far apart the first samples for four results lie.
int Spread(const ScaleTaps& taps, int width) {
  int most = 0;
  for (int x = 0; x < width; x += CompactTaps::kBlock)
    most = std::max(most, taps.first[std::min(x + CompactTaps::kBlock, width) - 1] - taps.first[x]);
  return most;
}

}  // namespace

std::optional<ScaleFilter> FindScaleFilter(std::string_view name) {
  const auto* found = std::ranges::find(kScaleFilterNames, name);
  if (found == std::end(kScaleFilterNames)) return std::nullopt;
  return static_cast<ScaleFilter>(found - std::begin(kScaleFilterNames));
}

ScaleTaps::ScaleTaps(int results, int used_taps)
    : taps(RoundUp(used_taps, kGroup)),
      used(used_taps),
      first(RoundUp(results, kResultMultiple)),
      weights(first.size() * taps) {}

void ScaleTaps::Set(int result, int first_sample, std::span<const int> result_weights) {
  // The padding behind the last result repeats it.
  const size_t end = std::min<size_t>(first.size(), result + kResultMultiple);
  std::fill(first.begin() + result, first.begin() + end, std::max(first_sample, -taps));
  for (int k = 0; k < std::ssize(result_weights); ++k)
    weights[((k / kGroup) * first.size() + result) * kGroup + k % kGroup] = static_cast<int16_t>(result_weights[k]);
}

ScaleTaps MakeScaleTaps(ScaleFilter filter, const ScaleAxis& axis) {
  const double stretch = std::max(axis.step, 1.0), reach = kFilters[static_cast<int>(filter)].reach * stretch;
  const int needed = static_cast<int>(std::ceil(2 * reach));
  ScaleTaps result(axis.to, needed);
  std::vector<double> exact(needed);
  for (int i = 0; i < axis.to; ++i) {
    // The place's luma sample in the result, in the source, and the sample of the source there.
    const double luma = (axis.subsample * i + axis.siting + 0.5) * axis.step - 0.5;
    const double place = std::clamp((luma - axis.siting) / axis.subsample, -1.0, static_cast<double>(axis.from));
    const int first = std::min(static_cast<int>(std::floor(place - reach)) + 1, axis.from - 1);
    for (int k = 0; k < needed; ++k) exact[k] = Weight(filter, first + k - place, axis.step, stretch);
    result.Set(i, first, Quantize(exact));
  }
  return result;
}

CompactTaps::Kind CompactTaps::FindKind(const ScaleTaps& taps, int width, int pairs) {
  const int spread = Spread(taps, width);
  if (spread > kSamples - 2) return Kind::kFar;
  if (IsHalving(taps, width)) return Kind::kHalving;
  return pairs <= 2 && spread <= kSamples - 4 ? Kind::kAtOnce : Kind::kPairs;
}

CompactTaps::CompactTaps(const ScaleTaps& taps, int width)
    : pairs_(taps.pairs()), padded_((width + kMost - 1) / kMost * kMost) {
  kind_ = FindKind(taps, width, pairs_);
  if (kind_ == Kind::kFar) return;
  if (kind_ == Kind::kAtOnce) pairs_ = 2;
  firsts_.resize(padded_ / kBlock, taps.first[width - 1]);
  places_.resize(size_t{4} * padded_);
  weights_.resize(size_t{2} * padded_ * pairs_);
  for (int x = 0; x < width; ++x) {
    const int first = taps.first[x / kBlock * kBlock];
    firsts_[x / kBlock] = first;
    for (int k = 0; k < 4; ++k) places_[(k / 2 * padded_ + x) * 2 + k % 2] = BytesOf(taps.first[x] - first + k);
    for (int k = 0; k < 2 * pairs_; ++k)
      weights_[(static_cast<size_t>(k / 2) * padded_ + x) * 2 + k % 2] = static_cast<int16_t>(taps.weight(x, k));
  }
}

}  // namespace acutance
