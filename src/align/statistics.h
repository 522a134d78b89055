// Median of numbers, and least-squares line of one picture's luma over another's.
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

namespace acutance {

/// The upper of the two middle values where their count is even; `otherwise` of an empty list.
template <class Number>
Number Median(std::vector<Number> values, std::type_identity_t<Number> otherwise = {}) {
  if (values.empty()) return otherwise;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Sums over pairs of samples x and y, and how well a line y = slope * x + shift explains the y.
class LumaFit {
 public:
  void Add(double x, double y) { ++count_, x_ += x, y_ += y, xx_ += x * x, yy_ += y * y, xy_ += x * y; }

  double mean_x() const { return x_ / count_; }
  double mean_y() const { return y_ / count_; }
  double variance_x() const { return xx_ / count_ - mean_x() * mean_x(); }
  double variance_y() const { return yy_ / count_ - mean_y() * mean_y(); }
  double covariance() const { return xy_ / count_ - mean_x() * mean_y(); }

  /// The share of the variance of y that no rising line explains, 0 to 1. Both variances must be above 0.
  double Unexplained() const { return 1 - covariance() * std::max(covariance(), 0.0) / (variance_x() * variance_y()); }
  /// The mean square that the best line leaves, also a falling one.
  double Residual() const {
    return variance_x() > 0 ? variance_y() - covariance() * covariance() / variance_x() : variance_y();
  }

 private:
  double count_ = 0, x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
};

}  // namespace acutance
