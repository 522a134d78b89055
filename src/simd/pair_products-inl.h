// Exact integer sums of neighbouring lanes. Included once per instruction set.
#if defined(ACUTANCE_SIMD_PAIR_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SIMD_PAIR_PRODUCTS_INL_H_
#undef ACUTANCE_SIMD_PAIR_PRODUCTS_INL_H_
#else
#define ACUTANCE_SIMD_PAIR_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Two 16-bit numbers as the low and high half of a 32-bit lane.
constexpr int32_t PackPair(int first, int second) {
  return static_cast<int32_t>((static_cast<uint32_t>(first) & 0xFFFFu) | static_cast<uint32_t>(second) << 16);
}

/// `first` in the even, `second` in the odd 16-bit lanes.
template <class D16>
HWY_INLINE hn::Vec<D16> TapPair(D16 d, int first, int second) {
  return hn::BitCast(d, hn::Set(hn::RepartitionToWide<D16>(), PackPair(first, second)));
}

/// acc + a[2i] * b[2i] + a[2i + 1] * b[2i + 1] in 32-bit lane i, modulo 2^32. kVnni: this is HWY_AVX2 on a CPU that
/// HasAvxVnni (simd/avx_vnni.h).
template <bool kVnni = false, class V32, class V16>
HWY_INLINE V32 AddPairProducts(V32 acc, V16 a, V16 b) {
#if HWY_TARGET <= HWY_AVX3_DL
  // Highway 1.0.3 knows only vpmaddwd; its target string lacks avx512vnni, which every CPU of these targets has.
  asm("vpdpwssd %2, %1, %0" : "+v"(acc.raw) : "v"(a.raw), "v"(b.raw));
#else
#if HWY_TARGET == HWY_AVX2
  if constexpr (kVnni) {
    asm("%{vex%} vpdpwssd %2, %1, %0" : "+x"(acc.raw) : "x"(a.raw), "x"(b.raw));
    return acc;
  }
#endif
  const hn::DFromV<V32> d;
  V32 upper = hn::Zero(d);
  const V32 lower = hn::ReorderWidenMulAccumulate(d, a, b, hn::Zero(d), upper);
  acc = hn::Add(acc, hn::RearrangeToOddPlusEven(lower, upper));
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128 && HWY_COMPILER_GCC_ACTUAL
  // Without it g++ turns a chain of sums into a tree, whose leaves the registers cannot hold.
  asm("" : "+v"(acc.raw));
#endif
#endif
  return acc;
}

/// v[2i] + v[2i + 1] of unsigned lanes, in lanes of twice the width.
template <class V>
HWY_INLINE auto SumPairs(V v) {
  using D = hn::DFromV<V>;
  using T = hn::TFromD<D>;
  static_assert(std::is_unsigned_v<T>);
  const hn::RepartitionToWide<D> wide;
  const auto pairs = hn::BitCast(wide, v);
  const auto even = hn::And(pairs, hn::Set(wide, hwy::LimitsMax<T>()));
  return hn::Add(even, hn::ShiftRight<8 * sizeof(T)>(pairs));
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SIMD_PAIR_PRODUCTS_INL_H_
