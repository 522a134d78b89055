#include "fingerprint/add_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fingerprint/add_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Sample, class Sum>
void Add(std::span<const Sample* const> rows, int width, Sum* sums) {
  const hn::ScalableTag<Sum> wide;
  const hn::Rebind<Sample, decltype(wide)> narrow;
  const int lanes = static_cast<int>(hn::Lanes(wide));
  int x = 0;
  for (; x + 2 * lanes <= width; x += 2 * lanes) {
    auto first = hn::Zero(wide), second = first;
    for (const Sample* row : rows) {
      first = hn::Add(first, hn::PromoteTo(wide, hn::LoadU(narrow, row + x)));
      second = hn::Add(second, hn::PromoteTo(wide, hn::LoadU(narrow, row + x + lanes)));
    }
    hn::StoreU(first, wide, sums + x);
    hn::StoreU(second, wide, sums + x + lanes);
  }
  for (; x < width; ++x) {
    Sum sum = 0;
    for (const Sample* row : rows) sum = static_cast<Sum>(sum + row[x]);
    sums[x] = sum;
  }
}

void Add8(std::span<const uint8_t* const> rows, int width, uint16_t* sums) { Add(rows, width, sums); }
void Add16(std::span<const uint16_t* const> rows, int width, uint32_t* sums) { Add(rows, width, sums); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Add8);
HWY_EXPORT(Add16);

void AddRows(std::span<const uint8_t* const> rows, int width, uint16_t* sums) {
  HWY_DYNAMIC_DISPATCH(Add8)(rows, width, sums);
}

void AddRows(std::span<const uint16_t* const> rows, int width, uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(Add16)(rows, width, sums);
}

}  // namespace acutance
#endif
