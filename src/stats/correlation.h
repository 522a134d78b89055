// How well scores agree with opinions: correlations, and the logistic curve between them (ITU-T P.1401).
#pragma once

#include <span>

namespace acutance {

// Of two series of the same length. NaN where one is constant or has fewer than two values.
double Pearson(std::span<const double> x, std::span<const double> y);
double Spearman(std::span<const double> x,
                std::span<const double> y);  // Pearson of ranks; equal values share their mean
double Kendall(std::span<const double> x, std::span<const double> y);  // tau-b

/// bottom + (top - bottom) / (1 + exp(-(x - middle) / width)): it falls where top is below bottom.
struct LogisticCurve {
  double bottom = 0, top = 1, middle = 0, width = 1;

  double operator()(double x) const;
};

/// The curve of least squares from scores to opinions, by Levenberg's and Marquardt's method from several starts: the
/// opinions' range, and the scores' mean or percentiles, since one score far from the others misleads it. A straight
/// line is its limit where it fits best; the curve then is a very wide one.
LogisticCurve FitLogistic(std::span<const double> scores, std::span<const double> opinions);

/// The probability, for equal true values, of two correlations of `count` pairs each that differ as much: Fisher's z.
/// NaN for a correlation of 1, and for three pairs or fewer.
double EqualCorrelationsP(double one, double other, double count);
/// The same of two sums of squared errors with that many degrees of freedom each: F, two-sided. NaN for a sum of 0.
double EqualErrorsP(double one, double other, double freedom);

}  // namespace acutance
