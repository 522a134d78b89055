// Every partial sum is an exact integer; a row is summed in 32-bit lanes, which kMaxDimension keeps from overflowing.
#include <cstdint>
#include <cstring>

#include "metric/psnr/psnr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/psnr/psnr_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/pair_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane cannot hold a pair; the plain loops are as good

int64_t BandSquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return SquaredErrorRef(reference, distorted, bit_depth, band);
}

#else

using DU64 = hn::ScalableTag<uint64_t>;
using DU32 = hn::ScalableTag<uint32_t>;
using VU64 = hn::Vec<DU64>;
using VU32 = hn::Vec<DU32>;

template <class V>
HWY_INLINE V AbsoluteDifference(V a, V b) {
  return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

// 8 bit: a vector adds at most 4 * 255^2 to a 32-bit lane, a row of 32768 samples has at most 2049 vectors: < 2^30.
class ByteRow {
 public:
  using D = hn::ScalableTag<uint8_t>;

  HWY_INLINE ByteRow() : even_(hn::Zero(D32())), odd_(hn::Zero(D32())) {}

  HWY_INLINE void Add(hn::Vec<D> error) {
    const D16 d16;
    const auto zero = hn::Zero(D());
    const auto lower = hn::BitCast(d16, hn::InterleaveLower(D(), error, zero));
    const auto upper = hn::BitCast(d16, hn::InterleaveUpper(D(), error, zero));
    even_ = hn::ReorderWidenMulAccumulate(D32(), lower, lower, even_, odd_);
    odd_ = hn::ReorderWidenMulAccumulate(D32(), upper, upper, odd_, even_);
  }
  HWY_INLINE VU64 Sum() const { return SumPairs(hn::BitCast(DU32(), hn::Add(even_, odd_))); }

 private:
  using D16 = hn::ScalableTag<int16_t>;
  using D32 = hn::ScalableTag<int32_t>;
  hn::Vec<D32> even_;
  hn::Vec<D32> odd_;
};

// Up to 16 bit: squares in 16-bit halves, summed apart. A vector adds at most 2 * 65535 to a 32-bit lane, a row of
// 32768 samples has at most 4097 vectors: < 2^30.
class WordRow {
 public:
  using D = hn::ScalableTag<uint16_t>;

  HWY_INLINE WordRow() : low_(hn::Zero(DU32())), high_(hn::Zero(DU32())) {}

  HWY_INLINE void Add(hn::Vec<D> error) {
    low_ = hn::Add(low_, SumPairs(hn::Mul(error, error)));
    high_ = hn::Add(high_, SumPairs(hn::MulHigh(error, error)));
  }
  HWY_INLINE VU64 Sum() const { return hn::Add(SumPairs(low_), hn::ShiftLeft<16>(SumPairs(high_))); }

 private:
  VU32 low_;
  VU32 high_;
};

// Samples before the first whole vector at a multiple of its size. A load across two cache lines costs two.
template <class D, class Sample>
HWY_INLINE size_t Misaligned(D d, const Sample* row) {
  const size_t lanes = hn::Lanes(d);
  return (lanes - reinterpret_cast<uintptr_t>(row) / sizeof(Sample)) % lanes;
}

// The first vector of a row begins with the row, the last one ends with it; lanes that other vectors sum are zeroed.
template <class Row, class Sample>
HWY_INLINE VU64 RowSquaredError(const Sample* reference, const Sample* distorted, size_t width) {
  const typename Row::D d;
  const size_t lanes = hn::Lanes(d);
  Row row;
  size_t x = Misaligned(d, reference);
  if (x > 0) {
    const auto error = AbsoluteDifference(hn::LoadU(d, reference), hn::LoadU(d, distorted));
    row.Add(hn::IfThenElseZero(hn::FirstN(d, x), error));
  }
  for (; x + lanes <= width; x += lanes)
    row.Add(AbsoluteDifference(hn::LoadU(d, reference + x), hn::LoadU(d, distorted + x)));
  if (x < width) {
    const size_t last = width - lanes;
    const auto error = AbsoluteDifference(hn::LoadU(d, reference + last), hn::LoadU(d, distorted + last));
    row.Add(hn::IfThenZeroElse(hn::FirstN(d, x - last), error));
  }
  return row.Sum();
}

// A row narrower than a vector is copied into zeros first.
template <class Row, class Sample>
VU64 NarrowRowSquaredError(const Sample* reference, const Sample* distorted, size_t width) {
  const typename Row::D d;
  HWY_ALIGN Sample padded[2][hn::MaxLanes(d)] = {};
  std::memcpy(padded[0], reference, width * sizeof(Sample));
  std::memcpy(padded[1], distorted, width * sizeof(Sample));
  return RowSquaredError<Row>(padded[0], padded[1], hn::Lanes(d));
}

template <class Row, class Sample>
int64_t Sum(const Plane& reference, const Plane& distorted, RowBand band) {
  const size_t width = static_cast<size_t>(reference.width);
  const bool narrow = width < hn::Lanes(typename Row::D());
  VU64 sum = hn::Zero(DU64());
  for (int y = band.begin; y < band.end; ++y) {
    const Sample* a = reference.Row<Sample>(y);
    const Sample* b = distorted.Row<Sample>(y);
    sum = hn::Add(sum, narrow ? NarrowRowSquaredError<Row>(a, b, width) : RowSquaredError<Row>(a, b, width));
  }
  return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), sum)));
}

int64_t BandSquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return bit_depth > 8 ? Sum<WordRow, uint16_t>(reference, distorted, band)
                       : Sum<ByteRow, uint8_t>(reference, distorted, band);
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
      sum += psnr::squared_error(reference.Row<Sample>(y)[x], distorted.Row<Sample>(y)[x]);
  return sum;
}

}  // namespace

int64_t SquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return bit_depth > 8 ? PlainSum<uint16_t>(reference, distorted, band) : PlainSum<uint8_t>(reference, distorted, band);
}

HWY_EXPORT(BandSquaredError);

int64_t SquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band) {
  return HWY_DYNAMIC_DISPATCH(BandSquaredError)(reference, distorted, bit_depth, band);
}

}  // namespace acutance
#endif  // HWY_ONCE
