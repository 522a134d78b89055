// A row's sums are exact in doubles: at most 32768 squares of 2^32.
#include <cstdint>

#include "metric/float_moment/float_moment.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_moment/float_moment_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/float_sum-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

MomentSums BandMoments(const Plane& plane, int bit_depth, RowBand band) {
  return SumMomentsRef(plane, bit_depth, band);
}

#else

template <class Sample>
MomentSums Sum(const Plane& plane, RowBand band) {
  const WholeSum::D d;
  const hn::RebindToSigned<WholeSum::D> di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  MomentSums sums;
  for (int y = band.begin; y < band.end; ++y) {
    const Sample* row = plane.Row<Sample>(y);
    WholeSum first, second;
    int x = 0;
    for (; x + lanes <= plane.width; x += lanes) {
      const auto samples = hn::ConvertTo(d, LoadSamples(di, row + x));
      first.Add(samples);
      second.Add(hn::Mul(samples, samples));
    }
    sums.first += first.Total();
    sums.second += second.Total();
    for (; x < plane.width; ++x) {
      sums.first += row[x];
      sums.second += static_cast<int64_t>(float_moment::float_square(row[x]));
    }
  }
  return sums;
}

MomentSums BandMoments(const Plane& plane, int bit_depth, RowBand band) {
  return bit_depth > 8 ? Sum<uint16_t>(plane, band) : Sum<uint8_t>(plane, band);
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
MomentSums PlainSums(const Plane& plane, RowBand band) {
  MomentSums sums;
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < plane.width; ++x) {
      sums.first += plane.Row<Sample>(y)[x];
      sums.second += static_cast<int64_t>(float_moment::float_square(plane.Row<Sample>(y)[x]));
    }
  return sums;
}

}  // namespace

MomentSums SumMomentsRef(const Plane& plane, int bit_depth, RowBand band) {
  return bit_depth > 8 ? PlainSums<uint16_t>(plane, band) : PlainSums<uint8_t>(plane, band);
}

HWY_EXPORT(BandMoments);

MomentSums SumMoments(const Plane& plane, int bit_depth, RowBand band) {
  return HWY_DYNAMIC_DISPATCH(BandMoments)(plane, bit_depth, band);
}

}  // namespace acutance
#endif  // HWY_ONCE
