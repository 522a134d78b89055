// Statistics of scores. The order of operations is part of the definition (docs/spec/system.md 1.5, 2.1).
#pragma once

#include <span>
#include <vector>

namespace acutance {

// Each of these functions gives NaN for no values.
double Mean(std::span<const double> values);          // sum in order, divided by the count
double HarmonicMean(std::span<const double> values);  // count / sum(1 / (s + 1)) - 1
double Minimum(std::span<const double> values);
double Maximum(std::span<const double> values);
double StandardDeviation(std::span<const double> values);  // divided by the count

/// Ascending; NaNs, which have no order, come last.
std::vector<double> Sorted(std::span<const double> values);

/// The percentile p (0..100) of ascending values, interpolated between neighbours; NaN when a value is NaN.
double Percentile(std::span<const double> sorted, double p);

}  // namespace acutance
