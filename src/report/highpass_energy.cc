#include "report/highpass_energy.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "report/highpass_energy.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ACUTANCE_DETAIL_LANES
#define ACUTANCE_DETAIL_LANES
namespace acutance {
constexpr size_t kDetailLanes = 16;  // of the widest vector used
}  // namespace acutance
#endif

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kDetailLanes>;
using DI = hn::RebindToSigned<DF>;

template <class Sample>
void SumDownRows(const HighpassEnergy<Sample>& rows, size_t width, float* down, float* middle) {
  const DF d;
  const hn::Rebind<Sample, DF> ds;
  size_t x = 0;
  for (; x + hn::Lanes(d) <= width; x += hn::Lanes(d)) {
    const auto load = [&](const Sample* row)
                          HWY_ATTR { return hn::ConvertTo(d, hn::PromoteTo(DI(), hn::LoadU(ds, row + x))); };
    const auto row = load(rows.row);
    hn::StoreU(row, d, middle + x);
    hn::StoreU(hn::Add(hn::Add(load(rows.above), load(rows.below)), hn::Add(row, row)), d, down + x);
  }
  for (; x < width; ++x) {
    middle[x] = static_cast<float>(rows.row[x]);
    down[x] = static_cast<float>(rows.above[x] + 2 * rows.row[x] + rows.below[x]);
  }
}

void SumDown8(const HighpassEnergy<uint8_t>& rows, size_t width, float* down, float* middle) {
  SumDownRows(rows, width, down, middle);
}
void SumDown16(const HighpassEnergy<uint16_t>& rows, size_t width, float* down, float* middle) {
  SumDownRows(rows, width, down, middle);
}

/// Whole numbers below 2^24 up to the squares. Vectors touch what lies behind a row's end.
void SumSquares(const float* const* down, const float* const* middle, size_t width, float* const* sums) {
  const DF d;
  const auto load = [&](const float* at) HWY_ATTR { return hn::LoadU(d, at); };
  const auto add = [&](float* to, hn::Vec<DF> value) HWY_ATTR { hn::StoreU(hn::Add(load(to), value), d, to); };
  for (size_t x = 1; x + 1 < width; x += hn::Lanes(d)) {
    const auto detail = [&](int i) HWY_ATTR {
      const auto center = load(down[i] + x);
      const auto mean = hn::Add(hn::Add(load(down[i] + x - 1), load(down[i] + x + 1)), hn::Add(center, center));
      return hn::Sub(hn::Mul(load(middle[i] + x), hn::Set(d, 16.0f)), mean);
    };
    const auto r = detail(0), e = detail(1), error = hn::Sub(load(middle[1] + x), load(middle[0] + x));
    add(sums[DetailColumns::kReference] + x, hn::Mul(r, r));
    add(sums[DetailColumns::kDistorted] + x, hn::Mul(e, e));
    add(sums[DetailColumns::kBoth] + x, hn::Mul(r, e));
    add(sums[DetailColumns::kError] + x, hn::Mul(error, error));
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(SumDown8);
HWY_EXPORT(SumDown16);
HWY_EXPORT(SumSquares);

DetailColumns::DetailColumns(int width) : width_(static_cast<size_t>(width)) {
  constexpr size_t kRoom = kDetailLanes + 1;
  for (auto& sums : sums_) sums.assign(width_ + kRoom, 0);
  for (auto* rows : {down_, middle_})
    for (int i = 0; i < 2; ++i) rows[i].assign(width_ + kRoom, 0);
}

void DetailColumns::Clear() {
  for (auto& sums : sums_) std::ranges::fill(sums, 0.0f);
}

template <class Sample>
void DetailColumns::AddRows(const HighpassEnergy<Sample>& reference, const HighpassEnergy<Sample>& distorted) {
  const HighpassEnergy<Sample>* const pictures[] = {&reference, &distorted};
  for (int i = 0; i < 2; ++i) {
    if constexpr (sizeof(Sample) == 1)
      HWY_DYNAMIC_DISPATCH(SumDown8)(*pictures[i], width_, down_[i].data(), middle_[i].data());
    else HWY_DYNAMIC_DISPATCH(SumDown16)(*pictures[i], width_, down_[i].data(), middle_[i].data());
  }
  const float *const down[] = {down_[0].data(), down_[1].data()}, *const middle[] = {middle_[0].data(),
                                                                                     middle_[1].data()};
  float* const sums[] = {sums_[0].data(), sums_[1].data(), sums_[2].data(), sums_[3].data()};
  HWY_DYNAMIC_DISPATCH(SumSquares)(down, middle, width_, sums);
}

void DetailColumns::Add(const HighpassEnergy<uint8_t>& reference, const HighpassEnergy<uint8_t>& distorted) {
  AddRows(reference, distorted);
}
void DetailColumns::Add(const HighpassEnergy<uint16_t>& reference, const HighpassEnergy<uint16_t>& distorted) {
  AddRows(reference, distorted);
}

}  // namespace acutance
#endif
