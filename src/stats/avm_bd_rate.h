// BD-rates as AVM's common test conditions define them (docs/spec/avm.md 4, 5): an area of a hundred
// samples under pchip curves, without the least number of points and the least overlap that stats/bd_rate.h asks for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "stats/bd_rate.h"

namespace acutance {

/// Whether a quality is VMAF's, whose curve ends before a point that is worse than a cheaper one of 99.5 or more:
/// "vmaf", "vmaf-neg", "VMAF_Y" and "VMAF_Y-NEG". AVM's summaries say "vmaf_neg", which their script does not know as
/// one of these.
bool SaturatesByAvm(std::string_view quality);

/// Percent of the anchor's rate that the test needs more for the same quality, to four decimals. An error of kBadData
/// has AVM's own words as its message, such as "Error: Non-monotonic". A quality of infinity counts as 100.
Result<double> AvmBdRate(std::span<const RatePoint> anchor, std::span<const RatePoint> test, bool saturates);

/// The curve of a clip that was encoded in several sizes: the upper convex hull of all sizes' points, with seven points
/// on the straight line (log rate, quality) between any two neighbours of one size; from the dearest to the cheapest.
std::vector<RatePoint> AvmHullOverSizes(std::span<const std::vector<RatePoint>> sizes);

}  // namespace acutance
