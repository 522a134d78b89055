// Numbers that stand for many scores. The order of operations is part of the definition (system.md 1.5, 2.1).
#pragma once

#include <span>
#include <vector>

namespace acutance {

// Of no values at all, each of these is NaN.
double Mean(std::span<const double> values);          // sum in order, divided by the count
double HarmonicMean(std::span<const double> values);  // count / sum(1 / (s + 1)) - 1
double Minimum(std::span<const double> values);
double Maximum(std::span<const double> values);
double StandardDeviation(std::span<const double> values);  // of the population: divided by the count

/// Ascending; NaNs, which have no order, come last.
std::vector<double> Sorted(std::span<const double> values);

/// Of ascending values, between neighbours linearly; p in 0..100. NaN when a value is NaN.
double Percentile(std::span<const double> sorted, double p);

}  // namespace acutance
