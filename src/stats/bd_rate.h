// Bjontegaard differences of rate-quality curves, their intervals, and the convex hull (docs/use/decisions.md).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "stats/bootstrap.h"
#include "stats/curve.h"

namespace acutance {

struct RatePoint {
  double rate = 0;  // bits a second, or another unit, the same of all curves
  double quality = 0;
  std::vector<double> scores = {};  // of the frames whose mean `quality` is; empty: not known
  std::optional<double> own = {};   // the mean of all frames, where `quality` is that of common ones
};

void SortByRate(std::vector<RatePoint>& points);

/// The reason why a curve, sorted by rate, takes part in no difference: fewer than four points, a rate that is not
/// above zero, or a quality that does not grow with the rate.
Status CheckCurve(const std::string& name, std::span<const RatePoint> points);

struct BdResult {
  double rate_percent = 0;                     // what the test needs beyond the anchor for the same quality
  double quality = 0;                          // what it gives beyond at the same rate
  std::optional<Interval> rate_interval = {};  // by resampling frames; not set: scores are missing, or too few fit
  std::optional<Interval> quality_interval = {};
};

/// What two curves have in common, as a part of what both cover: 0 to 1.
struct Overlap {
  double quality = 0;
  double rate = 0;  // of the logarithms
};
Overlap OverlapOf(std::span<const RatePoint> anchor, std::span<const RatePoint> test);
/// Below the first share in common no difference is stated; below the second it is doubtful.
inline constexpr double kLeastOverlap = 0.1, kGoodOverlap = 0.75;

/// Bjontegaard's differences; an error where CheckCurve or the overlap refuses.
Result<BdResult> BdOf(const std::string& anchor_name, std::span<const RatePoint> anchor, const std::string& test_name,
                      std::span<const RatePoint> test, CurveMethod method);

/// The same with intervals: frames are drawn in blocks, the same of all encodes.
Result<BdResult> BdWithIntervals(const std::string& anchor_name, std::span<const RatePoint> anchor,
                                 const std::string& test_name, std::span<const RatePoint> test, CurveMethod method,
                                 size_t block, const BootstrapOptions& options);

/// The indices of the points on the upper hull of (log rate, quality), by rate: encodes for which no mixture of two
/// others is better.
std::vector<size_t> ConvexHull(std::span<const RatePoint> points);

}  // namespace acutance
