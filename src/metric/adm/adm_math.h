// Constants and per-pixel arithmetic of ADM, to the last shift (spec/core.md 2.3 to 2.9). Read by every text.
#pragma once

#include <cmath>
#include <cstdint>

namespace acutance::adm {

// --- Wavelet: db2 in Q15. Band a is low vertically and horizontally, v high horizontally, h high vertically, d both.

inline constexpr int16_t kLow[4] = {15826, 27411, 7345, -4240};
inline constexpr int16_t kHigh[4] = {-4240, -7345, 27411, -15826};
inline constexpr int32_t kLowSum = 46342;  // kHigh sums to 0

struct Rounding {
  int32_t add;
  int shift;
};
inline constexpr Rounding kHorizontal0 = {32768, 16};
inline constexpr Rounding kVertical[4] = {{0, 0}, {0, 0}, {32768, 16}, {32768, 16}};  // [0]: by bit depth instead
inline constexpr Rounding kHorizontal[4] = {kHorizontal0, {16384, 15}, {32768, 16}, {16384, 15}};

/// Output i reads 2i - 1 to 2i + 2: mirrored without the edge at the start, with the edge at the end.
constexpr int WaveletIndex(int i, int n) {
  if (i < 0) return -i;
  return i < n ? i : 2 * n - 1 - i;
}

/// The same border rule for the 3x3 neighbourhood of the masking threshold.
constexpr int NeighbourIndex(int i, int n) { return WaveletIndex(i, n); }

// --- Decouple: how much of the distorted band t the reference band o explains.

inline constexpr double kCosSquared = 0.99969542026519775f;  // cos^2 of 1 degree, a float by definition

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

// --- Contrast sensitivity. C is the weighted band; F is |C| / 30, what a neighbour adds to the masking threshold; the
// centre adds |C| / 15. At scale 0 all three wrap to int16; at scales 1 to 3 the rounding constant of F and of the
// centre is negative in libvmaf, 2^31 in an int32.

inline constexpr uint32_t kNeighbour0 = 4369, kCentre0 = 8738;          // Q17
inline constexpr uint32_t kNeighbour = 143165577, kCentre = 286331153;  // Q32
inline constexpr int64_t kNegativeRounding = -(1ll << 31);
inline constexpr Rounding kWeight0[3] = {{16384, 15}, {16384, 15}, {65535, 17}};
inline constexpr Rounding kWeight = {1 << 27, 28};

inline int16_t Weigh0(int32_t x, uint32_t factor, int band) {
  const int64_t product = static_cast<int64_t>(x) * factor;
  return static_cast<int16_t>((product + kWeight0[band].add) >> kWeight0[band].shift);
}
inline int32_t Weigh(int32_t x, uint32_t factor) {
  return static_cast<int32_t>((static_cast<int64_t>(x) * factor + kWeight.add) >> kWeight.shift);
}
inline int16_t Share0(int32_t c, uint32_t weight) {
  return static_cast<int16_t>((static_cast<int64_t>(weight) * std::abs(c) + 2048) >> 12);
}
inline int32_t Share(int32_t c, uint32_t weight) {
  return static_cast<int32_t>((weight * std::abs(static_cast<int64_t>(c)) + kNegativeRounding) >> 32);
}

// --- Masking: what of a band exceeds the threshold, and its cube.

inline constexpr int kThresholdShift0[3] = {10, 10, 12};
inline constexpr int kSquareShift0[3] = {29, 29, 30};
inline constexpr int kSquareShift = 30;

/// max(0, |value| - threshold) in int32, which wraps only where a factor is too large to be sensible.
inline int32_t Excess(int32_t value, uint32_t threshold) {
  const uint32_t magnitude = value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
  const int32_t y = static_cast<int32_t>(magnitude - threshold);
  return y < 0 ? 0 : y;
}
inline int32_t Masked0(int32_t x, uint32_t factor, int32_t threshold, int band) {
  const int32_t weighted = static_cast<int32_t>(static_cast<int64_t>(x) * factor);
  return Excess(weighted, static_cast<uint32_t>(threshold) << kThresholdShift0[band]);
}
inline int32_t Masked(int32_t c, int32_t threshold) { return Excess(c, static_cast<uint32_t>(threshold)); }

inline int64_t MaskedCube(int64_t y, int square_shift, int cube_shift) {
  const int32_t square = static_cast<int32_t>((y * y + (1ll << (square_shift - 1))) >> square_shift);
  return (square * y + (1ll << (cube_shift - 1))) >> cube_shift;
}

// --- Denominator: cubes of the reference bands.

inline constexpr int kDenSquareShift[4] = {0, 31, 30, 31};  // the rounding constant is 1 << shift: twice the usual half

inline uint64_t DenCube0(int32_t o) {
  const uint64_t magnitude = std::abs(o);
  return magnitude * magnitude * magnitude;
}
inline uint64_t DenCube(int32_t o, int scale, int cube_shift) {
  const uint64_t magnitude = std::abs(static_cast<int64_t>(o));
  const int shift = kDenSquareShift[scale];
  const uint64_t square = (magnitude * magnitude + (1ull << shift)) >> shift;
  return (square * magnitude + (1ull << (cube_shift - 1))) >> cube_shift;
}

/// The row is the unit of exactness: its sum is rounded once.
inline int64_t RoundRow(int64_t sum, int shift) { return shift == 0 ? sum : (sum + (1ll << (shift - 1))) >> shift; }
inline int64_t RoundRowUnsigned(uint64_t sum, int shift) {
  return static_cast<int64_t>(shift == 0 ? sum : (sum + (1ull << (shift - 1))) >> shift);
}

}  // namespace acutance::adm
