// What the SIMD files of butteraugli share. Rows have space on both sides, which vectors may read and
// write. Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
#undef ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));
constexpr int kVectors = 4;  // that share the loads of weights

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Load(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
