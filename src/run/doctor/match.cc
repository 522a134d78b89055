#include "run/doctor/match.h"

#include <algorithm>
#include <cmath>

namespace acutance {
namespace {

constexpr double kRates[] = {1.0,       24.0 / 25, 25.0 / 24, 24.0 / 30, 30.0 / 24, 25.0 / 30, 30.0 / 25,
                             0.5,       2.0,       24.0 / 50, 50.0 / 24, 24.0 / 60, 60.0 / 24, 25.0 / 60,
                             60.0 / 25, 50.0 / 60, 60.0 / 50, 50.0 / 30, 30.0 / 50};

double MeanChange(const Thumbnail& a, const Thumbnail& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

/// The reference frame that fits best, if it fits clearly better than frames a little away from it.
int ClearPlace(const std::vector<Thumbnail>& reference, const Thumbnail& distorted, int first, int last) {
  int best = -1;
  std::vector<double> errors;
  for (int i = first; i <= last; ++i) {
    errors.push_back(FitBrightness(reference[i], distorted).error);
    if (best < 0 || errors.back() < errors[best - first]) best = i;
  }
  if (best < 0) return -1;
  constexpr double kFits = 0.35, kMargin = 1.25;
  const double error = errors[best - first];
  if (error > kFits) return -1;
  for (int i = first; i <= last; ++i)
    if (std::abs(i - best) >= 1 && errors[i - first] < error * kMargin + 1e-4) return -1;
  return best;
}

/// The share of clear frames at most so far from where a line has them.
double SupportOf(const std::vector<int>& places, double rate, double offset, double tolerance) {
  int clear = 0, hits = 0;
  for (int j = 0; j < std::ssize(places); ++j) {
    if (places[j] < 0) continue;
    ++clear;
    hits += std::abs(places[j] - (rate * j + offset)) <= tolerance;
  }
  return clear > 0 ? static_cast<double>(hits) / clear : 0;
}

/// Where a line of that rate lies best.
double MedianOffset(const std::vector<int>& places, double rate) {
  std::vector<double> offsets;
  for (int j = 0; j < std::ssize(places); ++j)
    if (places[j] >= 0) offsets.push_back(places[j] - rate * j);
  if (offsets.empty()) return 0;
  std::ranges::nth_element(offsets, offsets.begin() + std::ssize(offsets) / 2);
  return offsets[offsets.size() / 2];
}

}  // namespace

BrightnessFit FitBrightness(const Thumbnail& reference, const Thumbnail& distorted) {
  double r = 0, d = 0, rr = 0, dd = 0, rd = 0;
  const auto n = static_cast<double>(reference.size());
  for (size_t i = 0; i < reference.size(); ++i) {
    const double a = reference[i], b = distorted[i];
    r += a, d += b, rr += a * a, dd += b * b, rd += a * b;
  }
  const double variance = rr / n - r / n * (r / n), other = dd / n - d / n * (d / n), both = rd / n - r / n * (d / n);
  if (variance < 1e-3 || other < 1e-3) return {};
  const double slope = both / variance;
  return {slope, d / n - slope * r / n,
          slope <= 0 ? 1 : std::sqrt(std::max(1 - both * both / (variance * other), 0.0))};
}

double ErrorOfShift(const std::vector<Thumbnail>& reference, const std::vector<Thumbnail>& distorted, int offset,
                    int step) {
  constexpr int kLeast = 6;
  double error = 0;
  int count = 0;
  for (int j = std::max(0, -offset); j < std::ssize(distorted) && j + offset < std::ssize(reference); j += step)
    error += FitBrightness(reference[j + offset], distorted[j]).error, ++count;
  const auto least = std::max<int64_t>(kLeast, std::min(std::ssize(reference), std::ssize(distorted)) / step / 4);
  return count < least ? 1 : error / count;
}

Shift BestShift(const std::vector<Thumbnail>& reference, const std::vector<Thumbnail>& distorted) {
  constexpr int kBeside = 12, kStep = 4;
  constexpr double kClear = 1.5;
  const auto most = static_cast<int>(std::ssize(reference)), least = -static_cast<int>(std::ssize(distorted));
  std::vector<double> errors;
  for (int offset = least; offset <= most; ++offset)
    errors.push_back(ErrorOfShift(reference, distorted, offset, kStep));
  const auto best = static_cast<int>(std::ranges::min_element(errors) - errors.begin());
  Shift shift{least + best, errors[best], true};
  for (int i = 0; i < std::ssize(errors); ++i)
    if (std::abs(i - best) > kBeside && errors[i] < kClear * errors[best]) shift.is_unique = false;
  double least_error = 1;
  for (int offset = least + best - kBeside; offset <= least + best + kBeside; ++offset)
    if (const double error = ErrorOfShift(reference, distorted, offset, 1); error < least_error)
      least_error = error, shift.offset = offset;
  return shift;
}

BrightnessCurve FitCurve(const std::vector<std::pair<const Thumbnail*, const Thumbnail*>>& pairs) {
  double count = 0, mean = 0, squares = 0;
  for (const auto& [reference, distorted] : pairs)
    for (const double a : *reference) ++count, mean += a, squares += a * a;
  if (count == 0) return {};
  mean /= count;
  const double deviation = std::sqrt(std::max(squares / count - mean * mean, 0.0));
  if (deviation < 1) return {};
  double cubes = 0, fourths = 0, d = 0, dd = 0, du = 0, duu = 0;
  for (const auto& [reference, distorted] : pairs)
    for (size_t i = 0; i < reference->size(); ++i) {
      const double u = ((*reference)[i] - mean) / deviation, b = (*distorted)[i];
      cubes += u * u * u, fourths += u * u * u * u, d += b, dd += b * b, du += b * u, duu += b * u * u;
    }
  cubes /= count, fourths /= count, d /= count, dd /= count, du /= count, duu /= count;
  // u^2 without what 1 and u have of it, so that its part is independent of the line's.
  const double variance = fourths - 1 - cubes * cubes, left = dd - d * d - du * du;
  if (variance < 0.05 || left < 1e-6 || du <= 0) return {};
  const double part = (duu - d - cubes * du) / variance;
  constexpr double kHalfRange = 1.7;  // deviations, of an even distribution
  return {-part * kHalfRange / (2 * du), part * part * variance / left};
}

Match FindMatch(const std::vector<Thumbnail>& reference, const std::vector<Thumbnail>& distorted, int most_offset) {
  Match match;
  const int count = static_cast<int>(reference.size());
  for (int j = 0; j < std::ssize(distorted); ++j) {
    const int first = std::max(j - most_offset, 0), last = std::min(2 * j + most_offset, count - 1);
    match.places.push_back(ClearPlace(reference, distorted[j], first, last));
    match.clear += match.places.back() >= 0;
  }
  constexpr double kSame = 0.5, kRounded = 0.8;  // frames; other rates have no whole places
  match.support = SupportOf(match.places, 1, 0, kSame);
  for (int offset = -most_offset; offset <= most_offset; ++offset) {
    const double support = SupportOf(match.places, 1, offset, kSame);
    if (support > match.support + 0.02) match.offset = offset, match.support = support;
  }
  // Regular drops come near to another rate, and only near.
  constexpr double kLeastSupport = 0.92, kGain = 0.1;
  for (const double rate : kRates) {
    const double offset = MedianOffset(match.places, rate);
    const double support = SupportOf(match.places, rate, offset, kRounded);
    if (rate == 1 || support < kLeastSupport || support <= match.support + (match.rate == 1 ? kGain : 0)) continue;
    match.rate = rate, match.offset = static_cast<int>(std::lround(offset)), match.support = support;
  }
  int before = -1, at = -1;
  for (int j = 0; j < std::ssize(match.places); ++j) {
    if (match.places[j] < 0) continue;
    if (before >= 0 && match.places[j] - before != j - at) ++match.steps;
    before = match.places[j], at = j;
  }
  constexpr double kMoves = 0.3, kStands = 0.02, kWorse = 1.3;
  const auto error_at = [&](int j) {
    const int i = std::clamp(j + (match.rate == 1 ? match.offset : 0), 0, count - 1);
    return FitBrightness(reference[i], distorted[j]).error;
  };
  constexpr int kEnds = 4;  // where encoders that filter over time leave frames alike
  for (int j = 1 + kEnds; j + kEnds < std::min(std::ssize(distorted), std::ssize(reference)); ++j) {
    const double change = MeanChange(reference[j], reference[j - 1]);
    if (change <= kMoves || MeanChange(distorted[j], distorted[j - 1]) >= kStands) continue;
    // Where coding leaves less than what moves, two frames may be alike and fit their own references alike.
    match.repeats += error_at(j) > kWorse * error_at(j - 1);
  }
  return match;
}

}  // namespace acutance
