// Median of a list of numbers.
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

}  // namespace acutance
