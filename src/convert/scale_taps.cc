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

double Lanczos(double x) { return std::abs(x) < 3 ? Sinc(x) * Sinc(x / 3) : 0; }

double Bilinear(double x) { return std::max(1 - std::abs(x), 0.0); }

/// The share of the sample round x that lies in [-width / 2, width / 2].
double Covered(double x, double width) {
  return std::max(std::min(x + 0.5, width / 2) - std::max(x - 0.5, -width / 2), 0.0);
}

/// How far from a result's place the filter reaches, in samples of a source whose samples are the larger ones.
double Reach(ScaleFilter filter) {
  switch (filter) {
    case ScaleFilter::kBicubic:
      return 2;
    case ScaleFilter::kLanczos:
      return 3;
    case ScaleFilter::kBilinear:
    case ScaleFilter::kArea:
      return 1;
  }
  return 0;
}

/// The weight of a sample at a distance from the result's place; `stretch` is at least 1.
double Weight(ScaleFilter filter, double distance, double step, double stretch) {
  switch (filter) {
    case ScaleFilter::kBicubic:
      return Bicubic(distance / stretch);
    case ScaleFilter::kLanczos:
      return Lanczos(distance / stretch);
    case ScaleFilter::kBilinear:
      return Bilinear(distance / stretch);
    case ScaleFilter::kArea:
      return Covered(distance, step);
  }
  return 0;
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

}  // namespace

std::optional<ScaleFilter> FindScaleFilter(std::string_view name) {
  const auto* found = std::ranges::find(kScaleFilterNames, name);
  if (found == std::end(kScaleFilterNames)) return std::nullopt;
  return static_cast<ScaleFilter>(found - std::begin(kScaleFilterNames));
}

ScaleTaps MakeScaleTaps(ScaleFilter filter, const ScaleAxis& axis) {
  const double stretch = std::max(axis.step, 1.0), reach = Reach(filter) * stretch;
  ScaleTaps result;
  const int needed = static_cast<int>(std::ceil(2 * reach));
  result.taps = RoundUp(needed, ScaleTaps::kGroup);
  result.used = needed;
  result.first.resize(RoundUp(axis.to, kResultMultiple));
  result.weights.resize(result.first.size() * result.taps);
  std::vector<double> exact(needed);
  for (int i = 0; i < axis.to; ++i) {
    // The place's luma sample in the result, in the source, and the sample of the source there.
    const double luma = (axis.subsample * i + axis.siting + 0.5) * axis.step - 0.5;
    const double place = std::clamp((luma - axis.siting) / axis.subsample, -1.0, static_cast<double>(axis.from));
    const int first = std::clamp(static_cast<int>(std::floor(place - reach)) + 1, -result.taps, axis.from - 1);
    for (int k = 0; k < needed; ++k) exact[k] = Weight(filter, first + k - place, axis.step, stretch);
    result.first[i] = first;
    const std::vector<int> weights = Quantize(exact);
    for (int k = 0; k < needed; ++k)
      result.weights[((k / ScaleTaps::kGroup) * result.first.size() + i) * ScaleTaps::kGroup + k % ScaleTaps::kGroup] =
          static_cast<int16_t>(weights[k]);
  }
  std::fill(result.first.begin() + axis.to, result.first.end(), result.first[axis.to - 1]);
  return result;
}

}  // namespace acutance
