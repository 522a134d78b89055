// A row's sum is exact in doubles: at most 32768 squares of 2^32.
#include <cstdint>

#include "metric/float_psnr/float_psnr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_psnr/float_psnr_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/float_sum-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

int64_t BandSquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return FloatSquaredErrorRef(reference, distorted, bit_depth, band);
}

#else

template <class Sample>
HWY_INLINE hn::Vec<WholeSum::D> LoadFloats(const Sample* from) {
  const WholeSum::D d;
  return hn::ConvertTo(d, LoadSamples(hn::RebindToSigned<WholeSum::D>(), from));
}

template <class Sample>
int64_t Sum(const Plane& reference, const Plane& distorted, RowBand band) {
  const int lanes = static_cast<int>(hn::Lanes(WholeSum::D()));
  int64_t total = 0;
  for (int y = band.begin; y < band.end; ++y) {
    const Sample* a = reference.Row<Sample>(y);
    const Sample* b = distorted.Row<Sample>(y);
    WholeSum row;
    int x = 0;
    for (; x + lanes <= reference.width; x += lanes) {
      const auto error = hn::Sub(LoadFloats(a + x), LoadFloats(b + x));
      row.Add(hn::Mul(error, error));
    }
    total += row.Total();
    for (; x < reference.width; ++x) total += static_cast<int64_t>(float_psnr::float_squared_error(a[x], b[x]));
  }
  return total;
}

int64_t BandSquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return bit_depth > 8 ? Sum<uint16_t>(reference, distorted, band) : Sum<uint8_t>(reference, distorted, band);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {
namespace {

template <class Sample>
int64_t PlainSum(const Plane& reference, const Plane& distorted, RowBand band) {
  int64_t sum = 0;
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < reference.width; ++x)
      sum += static_cast<int64_t>(
          float_psnr::float_squared_error(reference.Row<Sample>(y)[x], distorted.Row<Sample>(y)[x]));
  return sum;
}

}  // namespace

int64_t FloatSquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return bit_depth > 8 ? PlainSum<uint16_t>(reference, distorted, band) : PlainSum<uint8_t>(reference, distorted, band);
}

HWY_EXPORT(BandSquaredError);

int64_t FloatSquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return HWY_DYNAMIC_DISPATCH(BandSquaredError)(reference, distorted, bit_depth, band);
}

}  // namespace acutance
#endif  // HWY_ONCE
