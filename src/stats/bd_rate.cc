#include "stats/bd_rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr size_t kLeastPoints = 4;

struct Axes {
  std::vector<double> log_rate, quality;
};

Axes AxesOf(std::span<const RatePoint> points) {
  Axes axes;
  for (const RatePoint& point : points) {
    axes.log_rate.push_back(Log10(point.rate));
    axes.quality.push_back(point.quality);
  }
  return axes;
}

Interval Common(std::span<const double> a, std::span<const double> b) {
  return {std::max(a.front(), b.front()), std::min(a.back(), b.back())};
}

double OverlapOnAxis(std::span<const double> a, std::span<const double> b) {
  const Interval common = Common(a, b);
  return std::max(0.0, common.high - common.low) / (std::max(a.back(), b.back()) - std::min(a.front(), b.front()));
}

/// The mean of test's y less anchor's, where both have an x.
double MeanDifference(CurveMethod method, std::span<const double> anchor_x, std::span<const double> anchor_y,
                      std::span<const double> test_x, std::span<const double> test_y) {
  const Interval common = Common(anchor_x, test_x);
  const double area = Curve(method, test_x, test_y).Integral(common.low, common.high) -
                      Curve(method, anchor_x, anchor_y).Integral(common.low, common.high);
  return area / (common.high - common.low);
}

double PercentOf(double log_ratio) { return (Pow(10, log_ratio) - 1) * 100; }

/// The curve of a video that consists of the drawn frames.
std::vector<RatePoint> Redraw(std::span<const RatePoint> points, const std::vector<std::pair<size_t, size_t>>& blocks) {
  std::vector<RatePoint> drawn;
  for (const RatePoint& point : points) {
    double sum = 0;
    size_t count = 0;
    for (const auto& [begin, end] : blocks) {
      for (size_t i = begin; i < end; ++i) sum += point.scores[i];
      count += end - begin;
    }
    drawn.push_back({point.rate, sum / static_cast<double>(count)});
  }
  return drawn;
}

bool HasScores(std::span<const RatePoint> anchor, std::span<const RatePoint> test, size_t block) {
  const size_t count = anchor.front().scores.size();
  const auto fits = [&](const RatePoint& point) { return point.scores.size() == count; };
  return count >= 2 * block && std::ranges::all_of(anchor, fits) && std::ranges::all_of(test, fits);
}

}  // namespace

void SortByRate(std::vector<RatePoint>& points) { std::ranges::stable_sort(points, {}, &RatePoint::rate); }

Status CheckCurve(const std::string& name, std::span<const RatePoint> points) {
  if (points.size() < kLeastPoints)
    return Error(StatusCode::kBadData, "{} has {} points, and a curve needs {} at least", name, points.size(),
                 kLeastPoints);
  for (size_t i = 0; i < points.size(); ++i) {
    if (!(points[i].rate > 0) || !std::isfinite(points[i].rate) || !std::isfinite(points[i].quality))
      return Error(StatusCode::kBadData, "{}: point {} has the rate {} and the quality {}", name, i + 1, points[i].rate,
                   points[i].quality);
    if (i > 0 && !(points[i].rate > points[i - 1].rate && points[i].quality > points[i - 1].quality))
      return Error(StatusCode::kBadData, "{} is not monotone: {} at a rate of {:.8g} follows {} at {:.8g}", name,
                   points[i].quality, points[i].rate, points[i - 1].quality, points[i - 1].rate);
  }
  return {};
}

Overlap OverlapOf(std::span<const RatePoint> anchor, std::span<const RatePoint> test) {
  const Axes a = AxesOf(anchor), b = AxesOf(test);
  return {OverlapOnAxis(a.quality, b.quality), OverlapOnAxis(a.log_rate, b.log_rate)};
}

Result<BdResult> BdOf(const std::string& anchor_name, std::span<const RatePoint> anchor, const std::string& test_name,
                      std::span<const RatePoint> test, CurveMethod method) {
  ACU_RETURN_IF_ERROR(CheckCurve(anchor_name, anchor));
  ACU_RETURN_IF_ERROR(CheckCurve(test_name, test));
  const Overlap overlap = OverlapOf(anchor, test);
  if (std::min(overlap.quality, overlap.rate) < kLeastOverlap)
    return Error(StatusCode::kBadData,
                 "{} and {} have {:.0f} % of their qualities and {:.0f} % of their rates in common", anchor_name,
                 test_name, 100 * overlap.quality, 100 * overlap.rate);
  const Axes a = AxesOf(anchor), b = AxesOf(test);
  return BdResult{PercentOf(MeanDifference(method, a.quality, a.log_rate, b.quality, b.log_rate)),
                  MeanDifference(method, a.log_rate, a.quality, b.log_rate, b.quality)};
}

Result<BdResult> BdWithIntervals(const std::string& anchor_name, std::span<const RatePoint> anchor,
                                 const std::string& test_name, std::span<const RatePoint> test, CurveMethod method,
                                 size_t block, const BootstrapOptions& options) {
  ACU_ASSIGN_OR_RETURN(BdResult result, BdOf(anchor_name, anchor, test_name, test, method));
  if (!HasScores(anchor, test, block)) return result;
  Random random(options.seed);
  std::vector<double> rates, qualities;
  for (int i = 0; i < options.resamples; ++i) {
    std::vector<std::pair<size_t, size_t>> blocks;
    DrawBlocks(anchor.front().scores.size(), block, random,
               [&](size_t begin, size_t end) { blocks.emplace_back(begin, end); });
    const auto drawn = BdOf(anchor_name, Redraw(anchor, blocks), test_name, Redraw(test, blocks), method);
    if (!drawn.ok()) continue;
    rates.push_back(drawn->rate_percent);
    qualities.push_back(drawn->quality);
  }
  // If many draws give no curve, the others are a biased sample.
  if (static_cast<double>(rates.size()) < 0.95 * options.resamples) return result;
  result.rate_interval = MiddlePart(rates, options.confidence);
  result.quality_interval = MiddlePart(qualities, options.confidence);
  return result;
}

std::vector<size_t> ConvexHull(std::span<const RatePoint> points) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return points[a].rate != points[b].rate ? points[a].rate < points[b].rate : points[a].quality > points[b].quality;
  });
  std::vector<size_t> hull;
  const auto x = [&](size_t i) { return Log10(points[i].rate); };
  for (const size_t i : order) {
    if (!hull.empty() && points[i].quality <= points[hull.back()].quality) continue;
    // A point on or below the line between its neighbours is no corner of the hull.
    while (hull.size() >= 2) {
      const size_t a = hull[hull.size() - 2], b = hull.back();
      const double cross = (x(b) - x(a)) * (points[i].quality - points[a].quality) -
                           (points[b].quality - points[a].quality) * (x(i) - x(a));
      if (cross < 0) break;
      hull.pop_back();
    }
    hull.push_back(i);
  }
  return hull;
}

}  // namespace acutance
