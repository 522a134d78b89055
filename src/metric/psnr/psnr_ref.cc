#include "metric/psnr/psnr_ref.h"

#include "kernel/kernel.h"

namespace acutance {
namespace {

#include "metric/psnr/psnr_math.kernel.h"

template <class Sample>
int64_t Sum(const Plane& reference, const Plane& distorted, RowBand band) {
  int64_t sum = 0;
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < reference.width; ++x)
      sum += squared_error(reference.Row<Sample>(y)[x], distorted.Row<Sample>(y)[x]);
  return sum;
}

}  // namespace

int64_t SquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return bit_depth > 8 ? Sum<uint16_t>(reference, distorted, band) : Sum<uint8_t>(reference, distorted, band);
}

}  // namespace acutance
