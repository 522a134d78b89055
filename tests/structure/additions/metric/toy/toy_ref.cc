#include "metric/toy/toy_ref.h"

#include <cstdlib>

namespace acutance {
namespace {

template <class Sample>
int64_t SumRows(const Plane& reference, const Plane& distorted, int begin, int end) {
  int64_t sum = 0;
  for (int y = begin; y < end; ++y)
    for (int x = 0; x < reference.width; ++x)
      sum += std::abs(int{reference.Row<Sample>(y)[x]} - int{distorted.Row<Sample>(y)[x]});
  return sum;
}

}  // namespace

int64_t SumAbsoluteDifferences(const Plane& reference, const Plane& distorted, int bit_depth, int begin, int end) {
  return bit_depth == 8 ? SumRows<uint8_t>(reference, distorted, begin, end)
                        : SumRows<uint16_t>(reference, distorted, begin, end);
}

}  // namespace acutance
