// Log2 of math/exact_math.h in vectors, bit for bit, of floats that are positive, finite and not subnormal. With fused
// multiply-add, the steps are those of exact_log2 (math/exact_math.kernel.h).
#if defined(ACUTANCE_SPEED_LOG2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SPEED_LOG2_INL_H_
#undef ACUTANCE_SPEED_LOG2_INL_H_
#else
#define ACUTANCE_SPEED_LOG2_INL_H_
#endif

#include <hwy/highway.h>

#include "math/exact_math.h"
#include "math/exact_tables.h"
#include "metric/speed/speed.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DD = hn::CappedTag<double, kSpeedPartials>;
using VD = hn::Vec<DD>;
constexpr int kDoubles = static_cast<int>(hn::MaxLanes(DD()));
using DFloats = hn::Rebind<float, DD>;

#if HWY_NATIVE_FMA && HWY_TARGET != HWY_SCALAR

HWY_INLINE const double* Table() { return reinterpret_cast<const double*>(kExactTable); }
HWY_INLINE VD Constant(int i) { return hn::Set(DD(), Table()[i]); }
HWY_INLINE VD Line(int c, VD x) { return hn::MulAdd(x, Constant(c + 1), Constant(c)); }

HWY_INLINE VD NearLog2(VD r) {
  const VD e = Constant(EXACT_LOG2_E);
  const VD r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2), high = hn::Mul(r, e);
  const VD rest = hn::MulAdd(r, Constant(EXACT_LOG2_E + 1), hn::MulSub(r, e, high));
  const VD q = Line(EXACT_LOG2_B, r);
  const VD y = hn::MulAdd(q, r2, high);
  const VD low = hn::Add(hn::MulAdd(q, r2, hn::Sub(high, y)), rest);
  const VD p = hn::MulAdd(Line(EXACT_LOG2_B + 4, r), r2, Line(EXACT_LOG2_B + 2, r));
  const VD s = hn::MulAdd(Line(EXACT_LOG2_B + 8, r), r2, Line(EXACT_LOG2_B + 6, r));
  return hn::Add(y, hn::MulAdd(hn::MulAdd(s, r4, p), r4, low));
}

HWY_INLINE VD FarLog2(hn::Vec<DFloats> x) {
  const DD d;
  const hn::Rebind<int32_t, DD> di;
  const hn::Rebind<int64_t, DD> dw;
  // A float's pattern, three places to the right, is the upper half of the double's with another bias.
  const auto bits = hn::BitCast(di, x);
  const auto from = hn::Sub(hn::ShiftRight<3>(bits), hn::Set(di, 0x3fe60000 - (896 << 20)));
  const auto exponent = hn::ShiftRight<20>(from);
  const auto index = hn::And(hn::ShiftRight<14>(from), hn::Set(di, 63));
  const VD z = hn::PromoteTo(d, hn::BitCast(DFloats(), hn::Sub(bits, hn::ShiftLeft<23>(exponent))));
  const auto at = hn::PromoteTo(dw, hn::Add(index, index));
  const VD e = Constant(EXACT_LOG2_E);
  const VD r = hn::MulSub(z, hn::GatherIndex(d, Table() + EXACT_LOG2_TABLE, at), hn::Set(d, 1.0));
  const VD t1 = hn::Mul(r, e);
  const VD t2 = hn::MulAdd(r, Constant(EXACT_LOG2_E + 1), hn::MulSub(r, e, t1));
  const VD t3 = hn::Add(hn::PromoteTo(d, exponent), hn::GatherIndex(d, Table() + EXACT_LOG2_TABLE + 1, at));
  const VD high = hn::Add(t3, t1);
  const VD low = hn::Add(hn::Add(hn::Sub(t3, high), t1), t2);
  const VD r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
  const VD p = hn::MulAdd(Line(EXACT_LOG2_A + 2, r), r2, Line(EXACT_LOG2_A, r));
  const VD q = Line(EXACT_LOG2_A + 4, r);
  return hn::Add(hn::MulAdd(r2, hn::MulAdd(q, r4, p), low), high);
}

HWY_INLINE VD ExactLog2(hn::Vec<DFloats> x) {
  const DD d;
  const VD wide = hn::PromoteTo(d, x), far = FarLog2(x);
  // The bounds of exact_log2, whose patterns end in zeros.
  const auto is_near = hn::And(hn::Ge(wide, hn::Set(d, 0x1.ea4afp-1)), hn::Lt(wide, hn::Set(d, 0x1.0b559p+0)));
  if (hn::AllFalse(d, is_near)) return far;
  return hn::IfThenElse(is_near, NearLog2(hn::Sub(wide, hn::Set(d, 1.0))), far);
}

#else

HWY_INLINE VD ExactLog2(hn::Vec<DFloats> x) {
  float from[kDoubles];
  alignas(64) double to[kDoubles];
  hn::StoreU(x, DFloats(), from);
  for (int i = 0; i < kDoubles; ++i) to[i] = Log2(from[i]);
  return hn::Load(DD(), to);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SPEED_LOG2_INL_H_
