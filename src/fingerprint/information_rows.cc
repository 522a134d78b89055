#include "fingerprint/information_rows.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fingerprint/information_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The sum of this number of magnitudes is below 2^31: none is above 2^10 * 4 * 256 * root(2).
constexpr int kColumns = 1024;

template <class Sample>
int Magnitude(const Sample* const rows[3], int x, float scale) {
  const auto at = [&](int row, int step) { return int32_t{rows[row][x + step]}; };
  const auto across = static_cast<float>(at(0, 1) - at(0, -1) + 2 * (at(1, 1) - at(1, -1)) + at(2, 1) - at(2, -1));
  const auto down = static_cast<float>(at(2, -1) - at(0, -1) + 2 * (at(2, 0) - at(0, 0)) + at(2, 1) - at(0, 1));
  return static_cast<int>(std::sqrt(across * across + down * down) * scale + 0.5F);
}

#if HWY_TARGET != HWY_SCALAR  // whose vector of one number holds no square; the plain loops are as good
using Whole = hn::ScalableTag<int32_t>;
using Natural = hn::RebindToUnsigned<Whole>;
using Wide = hn::RepartitionToWide<Natural>;

/// Sums of 32-bit numbers and of their squares.
struct VectorMoments {
  hn::Vec<Whole> sum;
  hn::Vec<Wide> squares;
};

HWY_INLINE VectorMoments NoMoments() { return {hn::Zero(Whole()), hn::Zero(Wide())}; }

HWY_INLINE void Add(hn::Vec<Whole> numbers, VectorMoments& moments) {
  moments.sum = hn::Add(moments.sum, numbers);
  const auto magnitudes = hn::BitCast(Natural(), hn::Abs(numbers));
  const auto odd = hn::BitCast(Natural(), hn::ShiftRight<32>(hn::BitCast(Wide(), magnitudes)));
  moments.squares = hn::Add(moments.squares, hn::Add(hn::MulEven(magnitudes, magnitudes), hn::MulEven(odd, odd)));
}

HWY_INLINE RowMoments Sum(const VectorMoments& moments) {
  return {hn::GetLane(hn::SumOfLanes(Whole(), moments.sum)),
          static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(Wide(), moments.squares)))};
}

/// Over columns from x on, as many as vectors have; x becomes the first of the others.
template <class Sample>
RowMoments SobelOfVectors(const Sample* const rows[3], int& x, int end, float scale) {
  const Whole whole;
  const hn::RebindToFloat<decltype(whole)> real;
  const hn::Rebind<Sample, decltype(whole)> narrow;
  const int lanes = static_cast<int>(hn::Lanes(whole));
  const auto factor = hn::Set(real, scale), half = hn::Set(real, 0.5F);
  VectorMoments moments = NoMoments();
  for (; x + lanes <= end; x += lanes) {
    const auto at = [&](int row, int step) { return hn::PromoteTo(whole, hn::LoadU(narrow, rows[row] + x + step)); };
    const auto falling = hn::Sub(at(2, 1), at(0, -1)), rising = hn::Sub(at(0, 1), at(2, -1));
    const auto level = hn::Sub(at(1, 1), at(1, -1)), plumb = hn::Sub(at(2, 0), at(0, 0));
    const auto across = hn::ConvertTo(real, hn::Add(hn::Add(falling, rising), hn::Add(level, level)));
    const auto down = hn::ConvertTo(real, hn::Add(hn::Sub(falling, rising), hn::Add(plumb, plumb)));
    const auto square = hn::Add(hn::Mul(across, across), hn::Mul(down, down));
    Add(hn::ConvertTo(whole, hn::Add(hn::Mul(hn::Sqrt(square), factor), half)), moments);
  }
  return Sum(moments);
}

template <class Sample>
RowMoments DifferencesOfVectors(const Sample* row, const Sample* before, int& x, int end) {
  const Whole whole;
  const hn::Rebind<Sample, decltype(whole)> narrow;
  const int lanes = static_cast<int>(hn::Lanes(whole));
  VectorMoments moments = NoMoments();
  for (; x + lanes <= end; x += lanes)
    Add(hn::Sub(hn::PromoteTo(whole, hn::LoadU(narrow, row + x)), hn::PromoteTo(whole, hn::LoadU(narrow, before + x))),
        moments);
  return Sum(moments);
}
#else
template <class Sample>
RowMoments SobelOfVectors(const Sample* const /*rows*/[3], int& /*x*/, int /*end*/, float /*scale*/) {
  return {};
}

template <class Sample>
RowMoments DifferencesOfVectors(const Sample* /*row*/, const Sample* /*before*/, int& /*x*/, int /*end*/) {
  return {};
}
#endif

/// Over columns [begin, end).
template <class Sample>
RowMoments Sobel(const Sample* const rows[3], int begin, int end, float scale) {
  int x = begin;
  RowMoments moments = SobelOfVectors(rows, x, end, scale);
  for (; x < end; ++x) {
    const int64_t magnitude = Magnitude(rows, x, scale);
    moments.sum += magnitude;
    moments.squares += magnitude * magnitude;
  }
  return moments;
}

template <class Sample>
RowMoments Differences(const Sample* row, const Sample* before, int begin, int end) {
  int x = begin;
  RowMoments moments = DifferencesOfVectors(row, before, x, end);
  for (; x < end; ++x) {
    const int64_t difference = int64_t{row[x]} - before[x];
    moments.sum += difference;
    moments.squares += difference * difference;
  }
  return moments;
}

template <class Columns>
RowMoments Chunked(int begin, int end, const Columns& columns) {
  RowMoments all;
  for (int x = begin; x < end; x += kColumns) {
    const RowMoments some = columns(x, std::min(x + kColumns, end));
    all.sum += some.sum;
    all.squares += some.squares;
  }
  return all;
}

template <class Sample>
RowMoments SobelRow(const Sample* const rows[3], int width, float scale) {
  return Chunked(1, width - 1, [&](int begin, int end) { return Sobel(rows, begin, end, scale); });
}

template <class Sample>
RowMoments DifferenceRow(const Sample* row, const Sample* before, int width) {
  return Chunked(0, width, [&](int begin, int end) { return Differences(row, before, begin, end); });
}

RowMoments Sobel8(const uint8_t* const rows[3], int width, float scale) { return SobelRow(rows, width, scale); }
RowMoments Sobel16(const uint16_t* const rows[3], int width, float scale) { return SobelRow(rows, width, scale); }
RowMoments Difference8(const uint8_t* row, const uint8_t* before, int width) {
  return DifferenceRow(row, before, width);
}
RowMoments Difference16(const uint16_t* row, const uint16_t* before, int width) {
  return DifferenceRow(row, before, width);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Sobel8);
HWY_EXPORT(Sobel16);
HWY_EXPORT(Difference8);
HWY_EXPORT(Difference16);

RowMoments SobelMoments(const uint8_t* const rows[3], int width, float scale) {
  return HWY_DYNAMIC_DISPATCH(Sobel8)(rows, width, scale);
}

RowMoments SobelMoments(const uint16_t* const rows[3], int width, float scale) {
  return HWY_DYNAMIC_DISPATCH(Sobel16)(rows, width, scale);
}

RowMoments DifferenceMoments(const uint8_t* row, const uint8_t* before, int width) {
  return HWY_DYNAMIC_DISPATCH(Difference8)(row, before, width);
}

RowMoments DifferenceMoments(const uint16_t* row, const uint16_t* before, int width) {
  return HWY_DYNAMIC_DISPATCH(Difference16)(row, before, width);
}

}  // namespace acutance
#endif
