#include "stats/correlation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "math/exact_math.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double MeanOf(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// 1 for the least; equal values share the mean of their places.
std::vector<double> Ranks(std::span<const double> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return x[i]; });
  std::vector<double> ranks(x.size());
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    for (end = begin; end < order.size() && x[order[end]] == x[order[begin]];) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
  }
  return ranks;
}

using Pair = std::pair<double, double>;

int64_t PairsOf(int64_t count) { return count * (count - 1) / 2; }

/// How many pairs are equal by `part`, by which they are sorted.
template <class Part>
int64_t EqualPairs(const std::vector<Pair>& sorted, Part part) {
  int64_t equal = 0;
  for (size_t begin = 0, end; begin < sorted.size(); begin = end) {
    for (end = begin; end < sorted.size() && std::invoke(part, sorted[end]) == std::invoke(part, sorted[begin]);) ++end;
    equal += PairsOf(static_cast<int64_t>(end - begin));
  }
  return equal;
}

/// Sorts by the second number, by merging; returns how many pairs stood in the other order (Knight 1966).
int64_t SortByY(std::span<Pair> pairs) {
  if (pairs.size() < 2) return 0;
  const std::span<Pair> lower = pairs.first(pairs.size() / 2), upper = pairs.subspan(pairs.size() / 2);
  int64_t swaps = SortByY(lower) + SortByY(upper);
  std::vector<Pair> merged;
  size_t i = 0, j = 0;
  while (i < lower.size() || j < upper.size()) {
    const bool takes_lower = j == upper.size() || (i < lower.size() && lower[i].second <= upper[j].second);
    if (!takes_lower) swaps += static_cast<int64_t>(lower.size() - i);
    merged.push_back(takes_lower ? lower[i++] : upper[j++]);
  }
  std::ranges::copy(merged, pairs.begin());
  return swaps;
}

using Parameters = std::array<double, 4>;  // bottom, top, middle, width

LogisticCurve CurveOf(const Parameters& p) { return {p[0], p[1], p[2], p[3]}; }

double SquaredErrors(const LogisticCurve& curve, std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (y[i] - curve(x[i])) * (y[i] - curve(x[i]));
  return sum;
}

/// What Gauss's and Newton's step solves: normal equations.
struct Normal {
  std::array<Parameters, 4> matrix{};
  Parameters right{};
};

Normal NormalOf(const LogisticCurve& curve, std::span<const double> x, std::span<const double> y) {
  Normal normal;
  for (size_t i = 0; i < x.size(); ++i) {
    const double s = 1 / (1 + Exp(-(x[i] - curve.middle) / curve.width)), error = y[i] - curve(x[i]);
    const double steep = (curve.top - curve.bottom) * s * (1 - s) / curve.width;
    const Parameters slope = {1 - s, s, -steep, -steep * (x[i] - curve.middle) / curve.width};
    for (size_t a = 0; a < 4; ++a) {
      normal.right[a] += slope[a] * error;
      for (size_t b = 0; b < 4; ++b) normal.matrix[a][b] += slope[a] * slope[b];
    }
  }
  return normal;
}

/// By Gauss's elimination with pivots; not finite where the matrix is singular.
Parameters Solve(Normal system) {
  for (size_t k = 0; k < 4; ++k) {
    size_t pivot = k;
    for (size_t r = k + 1; r < 4; ++r)
      if (std::abs(system.matrix[r][k]) > std::abs(system.matrix[pivot][k])) pivot = r;
    std::swap(system.matrix[k], system.matrix[pivot]);
    std::swap(system.right[k], system.right[pivot]);
    for (size_t r = k + 1; r < 4; ++r) {
      const double factor = system.matrix[r][k] / system.matrix[k][k];
      for (size_t c = k; c < 4; ++c) system.matrix[r][c] -= factor * system.matrix[k][c];
      system.right[r] -= factor * system.right[k];
    }
  }
  Parameters x{};
  for (size_t k = 4; k-- > 0;) {
    x[k] = system.right[k];
    for (size_t c = k + 1; c < 4; ++c) x[k] -= system.matrix[k][c] * x[c];
    x[k] /= system.matrix[k][k];
  }
  return x;
}

/// By Stirling's series, which is exact to 1e-15 from 15 on.
double LogGamma(double x) {
  double shift = 0;
  for (; x < 15; ++x) shift += Log(x);
  const double r = 1 / (x * x);
  const double series = (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / x;
  return (x - 0.5) * Log(x) - x + 0.5 * Log(2 * std::numbers::pi) + series - shift;
}

/// The probability that a normal value lies further from 0 than z: a series, or from 3 on a continued fraction.
double NormalTails(double z) {
  const double density = Exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  if (z < 3) {
    double term = z, sum = z;
    for (int k = 3; term > 1e-18; k += 2) sum += term *= z * z / k;
    return 1 - 2 * density * sum;
  }
  double fraction = z;
  for (int k = 100; k > 0; --k) fraction = z + k / fraction;
  return 2 * density / fraction;
}

double ArTanh(double x) { return 0.5 * Log((1 + x) / (1 - x)); }

struct Fit {
  Parameters parameters;
  double error;
};

/// Levenberg's and Marquardt's method.
Fit FitFrom(const Parameters& start, std::span<const double> scores, std::span<const double> opinions) {
  Fit now{start, SquaredErrors(CurveOf(start), scores, opinions)};
  double damping = 1e-3;
  for (int turn = 0, still = 0; turn < 1000 && still < 20; ++turn) {
    Normal system = NormalOf(CurveOf(now.parameters), scores, opinions);
    for (size_t k = 0; k < 4; ++k) system.matrix[k][k] *= 1 + damping;
    const Parameters step = Solve(system);
    Parameters next = now.parameters;
    for (size_t k = 0; k < 4; ++k) next[k] += step[k];
    const double found = next[3] > 0 ? SquaredErrors(CurveOf(next), scores, opinions) : kNone;
    if (!(found <= now.error)) {  // worse, or no number
      damping = std::min(damping * 4, 1e12);
      still += damping >= 1e12;
      continue;
    }
    still = found >= now.error * (1 - 1e-15) ? still + 1 : 0;
    now = {next, found};
    damping = std::max(damping / 9, 1e-12);
  }
  return now;
}

/// The regularized incomplete beta function by its continued fraction (Lentz).
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - IncompleteBeta(b, a, 1 - x);
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m <= 10000; ++m) {
    const auto turn = [&](double term) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      return c * d;
    };
    result *= turn(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double last = turn(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    result *= last;
    if (std::abs(last - 1) < 1e-15) break;
  }
  const double front = LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * Log(x) + b * Log(1 - x);
  return Exp(front) * result / a;
}

}  // namespace

double Pearson(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2) return kNone;
  const double x_mean = MeanOf(x), y_mean = MeanOf(y);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - x_mean, dy = y[i] - y_mean;
    xx += dx * dx, yy += dy * dy, xy += dx * dy;
  }
  if (xx == 0 || yy == 0) return kNone;
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

double Spearman(std::span<const double> x, std::span<const double> y) { return Pearson(Ranks(x), Ranks(y)); }

double Kendall(std::span<const double> x, std::span<const double> y) {
  std::vector<std::pair<double, double>> pairs;
  for (size_t i = 0; i < x.size(); ++i) pairs.emplace_back(x[i], y[i]);
  std::ranges::sort(pairs);
  const int64_t all = PairsOf(std::ssize(pairs)), x_equal = EqualPairs(pairs, &Pair::first),
                both_equal = EqualPairs(pairs, std::identity());
  const int64_t swaps = SortByY(pairs), y_equal = EqualPairs(pairs, &Pair::second);
  if (x_equal == all || y_equal == all) return kNone;
  const auto agreeing = static_cast<double>(all - x_equal - y_equal + both_equal - 2 * swaps);
  return agreeing / (std::sqrt(static_cast<double>(all - x_equal)) * std::sqrt(static_cast<double>(all - y_equal)));
}

double LogisticCurve::operator()(double x) const { return bottom + (top - bottom) / (1 + Exp(-(x - middle) / width)); }

LogisticCurve FitLogistic(std::span<const double> scores, std::span<const double> opinions) {
  const auto [low, high] = std::ranges::minmax(opinions);
  const double mean = MeanOf(scores);
  double variance = 0;
  for (const double score : scores) variance += (score - mean) * (score - mean);
  const double deviation = std::sqrt(variance / static_cast<double>(scores.size()));
  if (deviation == 0) return {MeanOf(opinions), MeanOf(opinions), mean, 1};
  const bool falls = Spearman(scores, opinions) < 0;
  const std::vector<double> sorted = Sorted(scores);
  const double middle_part = Percentile(sorted, 90) - Percentile(sorted, 10);
  std::vector<std::pair<double, double>> starts = {{mean, deviation / 4}};  // middle and width
  if (middle_part > 0)
    for (const double percent : {10, 30, 50, 70, 90})
      for (const double part : {3, 12, 50}) starts.emplace_back(Percentile(sorted, percent), middle_part / part);
  Fit best{{}, std::numeric_limits<double>::infinity()};
  for (const auto& [middle, width] : starts) {
    const Fit found = FitFrom({falls ? high : low, falls ? low : high, middle, width}, scores, opinions);
    if (found.error < best.error) best = found;
  }
  return CurveOf(best.parameters);
}

double EqualCorrelationsP(double one, double other, double count) {
  if (!(std::abs(one) < 1 && std::abs(other) < 1 && count > 3)) return kNone;
  return NormalTails(std::abs(ArTanh(one) - ArTanh(other)) / std::sqrt(2 / (count - 3)));
}

double EqualErrorsP(double one, double other, double freedom) {
  if (!(std::min(one, other) > 0 && freedom > 0)) return kNone;
  const double ratio = std::max(one, other) / std::min(one, other);
  const double above = IncompleteBeta(freedom / 2, freedom / 2, 1 / (1 + ratio));  // of F
  return std::min(1.0, 2 * above);
}

}  // namespace acutance
