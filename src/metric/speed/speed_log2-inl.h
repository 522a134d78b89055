// Log2 of math/exact_math.h in vectors of doubles, bit for bit, for processors with fused multiply-add. The text is
// exact_log2's (math/exact_math.kernel.h). Included once per instruction set.
#if defined(ACUTANCE_METRIC_SPEED_LOG2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_SPEED_LOG2_INL_H_
#undef ACUTANCE_METRIC_SPEED_LOG2_INL_H_
#else
#define ACUTANCE_METRIC_SPEED_LOG2_INL_H_
#endif

#include <hwy/highway.h>

#include "math/exact_math.h"
#include "math/exact_tables.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA && HWY_TARGET != HWY_SCALAR

/// Logarithms of floats that are positive, finite and not subnormal, as doubles.
template <class DD>
class ExactLog2 {
 public:
  using V = hn::Vec<DD>;
  using DF = hn::Rebind<float, DD>;

  HWY_INLINE V operator()(hn::Vec<DF> x) const {
    const DD d;
    const V wide = hn::PromoteTo(d, x);
    const V away = hn::Sub(wide, hn::Set(d, 1.0));
    // The bounds of exact_log2, whose patterns end in zeros.
    const auto is_near = hn::And(hn::Ge(wide, hn::Set(d, 0x1.ea4afp-1)), hn::Lt(wide, hn::Set(d, 0x1.0b559p+0)));
    const V far = Far(x);
    return hn::AllFalse(d, is_near) ? far : hn::IfThenElse(is_near, Near(away), far);
  }

 private:
  static HWY_INLINE V Constant(int i) { return hn::Set(DD(), Table()[i]); }
  static HWY_INLINE const double* Table() { return reinterpret_cast<const double*>(kExactTable); }
  static HWY_INLINE V Line(int c, V x) { return hn::MulAdd(x, Constant(c + 1), Constant(c)); }

  static HWY_INLINE V Near(V r) {
    const V e = Constant(EXACT_LOG2_E);
    const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2), high = hn::Mul(r, e);
    const V rest = hn::MulAdd(r, Constant(EXACT_LOG2_E + 1), hn::MulSub(r, e, high));
    const V q = Line(EXACT_LOG2_B, r);
    const V y = hn::MulAdd(q, r2, high);
    const V low = hn::Add(hn::MulAdd(q, r2, hn::Sub(high, y)), rest);
    const V p = hn::MulAdd(Line(EXACT_LOG2_B + 4, r), r2, Line(EXACT_LOG2_B + 2, r));
    const V s = hn::MulAdd(Line(EXACT_LOG2_B + 8, r), r2, Line(EXACT_LOG2_B + 6, r));
    return hn::Add(y, hn::MulAdd(hn::MulAdd(s, r4, p), r4, low));
  }

  static HWY_INLINE V Far(hn::Vec<DF> x) {
    const DD d;
    const hn::Rebind<int32_t, DD> di;
    const hn::Rebind<int64_t, DD> dw;
    // A float's pattern, three places to the right, is the upper half of the double's with another bias.
    const auto bits = hn::BitCast(di, x);
    const auto from = hn::Sub(hn::ShiftRight<3>(bits), hn::Set(di, 0x3fe60000 - (896 << 20)));
    const auto exponent = hn::ShiftRight<20>(from);
    const auto index = hn::And(hn::ShiftRight<14>(from), hn::Set(di, 63));
    const V z = hn::PromoteTo(d, hn::BitCast(DF(), hn::Sub(bits, hn::ShiftLeft<23>(exponent))));
    const auto at = hn::PromoteTo(dw, hn::Add(index, index));
    const V e = Constant(EXACT_LOG2_E);
    const V r = hn::MulSub(z, hn::GatherIndex(d, Table() + EXACT_LOG2_TABLE, at), hn::Set(d, 1.0));
    const V t1 = hn::Mul(r, e);
    const V t2 = hn::MulAdd(r, Constant(EXACT_LOG2_E + 1), hn::MulSub(r, e, t1));
    const V t3 = hn::Add(hn::PromoteTo(d, exponent), hn::GatherIndex(d, Table() + EXACT_LOG2_TABLE + 1, at));
    const V high = hn::Add(t3, t1);
    const V low = hn::Add(hn::Add(hn::Sub(t3, high), t1), t2);
    const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
    const V p = hn::MulAdd(Line(EXACT_LOG2_A + 2, r), r2, Line(EXACT_LOG2_A, r));
    const V q = Line(EXACT_LOG2_A + 4, r);
    return hn::Add(hn::MulAdd(r2, hn::MulAdd(q, r4, p), low), high);
  }
};

#else

template <class DD>
class ExactLog2 {
 public:
  using DF = hn::Rebind<float, DD>;

  HWY_INLINE hn::Vec<DD> operator()(hn::Vec<DF> x) const {
    float from[hn::MaxLanes(DD())];
    alignas(64) double to[hn::MaxLanes(DD())];
    hn::StoreU(x, DF(), from);
    for (size_t i = 0; i < hn::MaxLanes(DD()); ++i) to[i] = Log2(from[i]);
    return hn::Load(DD(), to);
  }
};

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_SPEED_LOG2_INL_H_
