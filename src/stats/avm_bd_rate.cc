#include "stats/avm_bd_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "math/exact_math.h"
#include "stats/curve.h"

namespace acutance {
namespace {

constexpr int kSamples = 100;
constexpr double kSaturated = 99.5;
constexpr int kStepsBetweenPoints = 8;

using Points = std::vector<RatePoint>;

std::pair<double, double> ByRate(const RatePoint& point) { return {point.rate, point.quality}; }
std::pair<double, double> ByQuality(const RatePoint& point) { return {point.quality, point.rate}; }

/// The nearest decimal, of equals the even one, as printf has it.
double Rounded(double value, int decimals) { return *ParseFiniteDouble(fmt::format("{:.{}f}", value, decimals)); }

/// The points by rate up to the first that is worse than a saturated one before it.
Points WithoutSaturated(Points points) {
  std::ranges::sort(points, {}, ByRate);
  for (size_t i = 1; i < points.size(); ++i)
    if (points[i].quality < points[i - 1].quality && points[i - 1].quality >= kSaturated) {
      points.resize(i);
      break;
    }
  return points;
}

struct LogCurve {
  std::vector<double> quality, log_rate;
};

/// Of equal qualities the first, which is the cheapest.
LogCurve LogCurveOf(const Points& points) {
  LogCurve curve;
  for (const RatePoint& point : points) {
    const double quality = point.quality == INFINITY ? 100 : point.quality;
    if (!curve.quality.empty() && curve.quality.back() == quality) continue;
    curve.quality.push_back(quality);
    curve.log_rate.push_back(Log(point.rate));
  }
  return curve;
}

/// The area under log rate over quality, by trapezoids between samples.
double AreaOf(const LogCurve& points, double low, double high) {
  const Curve curve(CurveMethod::kPchip, points.quality, points.log_rate);
  const double step = (high - low) / (kSamples - 1);
  double area = 0;
  double previous = curve.At(low);
  for (int i = 1; i < kSamples; ++i) {
    const double next = curve.At(i == kSamples - 1 ? high : low + i * step);
    area += step * (next + previous) / 2;
    previous = next;
  }
  return area;
}

/// Of one size: its points from the dearest on, with the steps between them.
Points StepsOf(Points points) {
  std::ranges::sort(points, std::greater(), ByRate);
  Points steps;
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const double from = Log10(points[i].rate), to = Log10(points[i + 1].rate);
    for (int j = 0; j < kStepsBetweenPoints; ++j)
      steps.push_back({Pow(10, from + j * ((to - from) / kStepsBetweenPoints)),
                       points[i].quality + j * ((points[i + 1].quality - points[i].quality) / kStepsBetweenPoints)});
  }
  if (!points.empty()) steps.push_back(points.back());
  for (RatePoint& step : steps) step = {Rounded(step.rate, 6), Rounded(step.quality, 6)};
  return steps;
}

}  // namespace

bool SaturatesByAvm(std::string_view quality) {
  constexpr std::string_view kNames[] = {"vmaf", "vmaf-neg", "VMAF_Y", "VMAF_Y-NEG"};
  return std::ranges::find(kNames, quality) != std::end(kNames);
}

Result<double> AvmBdRate(std::span<const RatePoint> anchor, std::span<const RatePoint> test, bool saturates) {
  Points sides[2] = {Points(anchor.begin(), anchor.end()), Points(test.begin(), test.end())};
  for (Points& points : sides) {
    if (saturates) points = WithoutSaturated(std::move(points));
    std::ranges::sort(points, {}, ByQuality);
  }
  for (const Points& points : sides)
    if (!std::ranges::is_sorted(points, {}, &RatePoint::rate))
      return Error(StatusCode::kBadData, "Error: Non-monotonic");
  for (const Points& points : sides)
    if (std::ranges::any_of(points, [](const RatePoint& point) { return !(point.rate > 0); }))
      return Error(StatusCode::kBadData, "Error: Invalid Input Data");
  if (sides[0].empty() || sides[1].empty()) return Error(StatusCode::kBadData, "Error: one of input lists is empty!");
  const LogCurve curves[2] = {LogCurveOf(sides[0]), LogCurveOf(sides[1])};
  const auto [low, high] =
      std::pair(std::max(std::ranges::min(curves[0].quality), std::ranges::min(curves[1].quality)),
                std::min(std::ranges::max(curves[0].quality), std::ranges::max(curves[1].quality)));
  if (low >= high) return Error(StatusCode::kBadData, "Error: no overlap from input 2 lists of quality metrics!");
  for (const LogCurve& curve : curves)
    if (std::ranges::adjacent_find(curve.quality, std::greater_equal()) != curve.quality.end())
      return Error(StatusCode::kBadData, "an infinite quality counts as 100, and another is above 100");
  const double difference = AreaOf(curves[1], low, high) - AreaOf(curves[0], low, high);
  return Rounded((Exp(difference / (high - low)) - 1) * 100, 4);
}

std::vector<RatePoint> AvmHullOverSizes(std::span<const std::vector<RatePoint>> sizes) {
  Points points;
  for (const Points& size : sizes) {
    const Points steps = StepsOf(size);
    points.insert(points.end(), steps.begin(), steps.end());
  }
  std::ranges::sort(points, std::greater(), ByRate);
  Points hull;
  for (const RatePoint& p : points) {
    if (!hull.empty() && ByRate(hull.back()) == ByRate(p)) continue;
    while (hull.size() > 1) {
      const RatePoint& o = hull[hull.size() - 2];
      const RatePoint& a = hull.back();
      if ((a.rate - o.rate) * (p.quality - o.quality) > (a.quality - o.quality) * (p.rate - o.rate)) break;
      hull.pop_back();
    }
    hull.push_back(p);
  }
  return hull;
}

}  // namespace acutance
