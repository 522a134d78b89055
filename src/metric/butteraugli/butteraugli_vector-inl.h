// What the SIMD files of butteraugli share. Included once per instruction set.
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
/// Neighbours that are blurred together: as many as the registers hold, of which AVX2 has 16 and others 32.
constexpr int kTogether = kLanes == 8 ? 2 : 4;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Load(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
