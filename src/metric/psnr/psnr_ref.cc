#include "metric/psnr/psnr_ref.h"

namespace acutance {
namespace {

template <class Sample>
int64_t Sum(const Plane& reference, const Plane& distorted, RowBand band) {
  int64_t sum = 0;
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < reference.width; ++x) {
      const int64_t error = int64_t{reference.Row<Sample>(y)[x]} - int64_t{distorted.Row<Sample>(y)[x]};
      sum += error * error;
    }
  return sum;
}

}  // namespace

int64_t SquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return bit_depth > 8 ? Sum<uint16_t>(reference, distorted, band) : Sum<uint8_t>(reference, distorted, band);
}

}  // namespace acutance
