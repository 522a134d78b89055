// Arithmetic of ADM in C++ (docs/spec/core.md 2.3 to 2.9): what the kernels share, the wavelet's
// numbers as the SIMD implementation takes them, and the definition of decoupling.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernel/kernel.h"

namespace acutance::adm {

#include "metric/adm/adm_math.kernel.h"

// --- Wavelet. Band a is low vertically and horizontally, v high horizontally, h high vertically, d both.

inline constexpr int16_t kLow[4] = {kTap0, kTap1, kTap2, kTap3};
inline constexpr int16_t kHigh[4] = {kTap3, -kTap2, kTap1, -kTap0};

// --- Decouple: how much of the distorted band t the reference band o explains.

inline constexpr double kCosSquared = kCosSquaredBits * 0x1p-24;

/// The bands of both pictures point within 1 degree of each other. The definition rounds the products to float and
/// divides by 4096, a power of two that changes no comparison.
inline bool AngleFlag(int64_t dp, int64_t om, int64_t tm) {
  const double dot = static_cast<float>(dp);
  const double o2 = static_cast<float>(om);
  const double t2 = static_cast<float>(tm);
  return dot >= 0 && dot * dot >= (kCosSquared * o2) * t2;
}

inline bool AngleFlag(int32_t oh, int32_t ov, int32_t th, int32_t tv) {
  const int64_t h = oh, v = ov;
  return AngleFlag(h * th + v * tv, h * h + v * v, static_cast<int64_t>(th) * th + static_cast<int64_t>(tv) * tv);
}

inline int64_t ClampRatio(int64_t k) { return k < 0 ? 0 : k > 32768 ? 32768 : k; }

/// t / o in Q15, clamped to 0..1.
inline int64_t Ratio0(int32_t o, int32_t t) {
  if (o == 0) return 32768;
  const int64_t reciprocal = (1 << 30) / o;
  return ClampRatio((reciprocal * t + 16384) >> 15);
}

/// The same at scales 1 to 3, where |o| is first rounded to 15 bits.
inline int64_t Ratio(int32_t o, int32_t t) {
  if (o == 0) return 32768;
  const uint32_t magnitude = o < 0 ? 0u - static_cast<uint32_t>(o) : static_cast<uint32_t>(o);
  int shift = 0;
  while ((magnitude >> shift) >= 32768) ++shift;
  const int64_t mantissa = shift == 0 ? magnitude : (static_cast<int64_t>(magnitude) + (1ll << (shift - 1))) >> shift;
  const int64_t product = ((1 << 30) / mantissa) * t * (o < 0 ? -1 : 1);
  return ClampRatio((product + (1ll << (14 + shift))) >> (15 + shift));
}

/// The restored part of t: k * o, raised towards t by at most the gain limit where the angle allows it.
inline int32_t Restore(int64_t k, int32_t o, int32_t t, bool flag, double gain_limit) {
  const int32_t r = static_cast<int32_t>((k * o + 16384) >> 15);
  if (!flag || k == 0 || o == 0) return r;
  const double raised = r * gain_limit;
  if (o > 0) return static_cast<int32_t>(raised < t ? raised : t);
  return static_cast<int32_t>(raised > t ? raised : t);
}

// --- A gain limit of 1 to 100 as kernels take it (adm_decouple.kernel.h). In this form integers compute the product
// with an integer as a double would round it.

struct AdmGainBits {
  int32_t integer;     // the limit, if it is one; else 0
  uint32_t high, low;  // the limit is (high * 2^32 + low) / 2^(32 + shift): all 53 bits of it
  int32_t shift;
};

inline AdmGainBits MakeAdmGainBits(double limit) {
  int exponent;  // 1 to 7
  const uint64_t mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(limit, &exponent), 53));
  const bool integer = limit == std::floor(limit);
  return {integer ? static_cast<int32_t>(limit) : 0, static_cast<uint32_t>(mantissa >> 32),
          static_cast<uint32_t>(mantissa), 53 - exponent - 32};
}

}  // namespace acutance::adm
