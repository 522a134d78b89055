// Constants and per-pixel arithmetic of integer VIF (spec/core.md section 1), read by every text of the room.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace acutance {

inline constexpr int kVifScales = 4;
inline constexpr int kVifMinSize = 16;  // below it scale 3 has no pixel, or the mirror leaves the picture

/// A symmetric filter whose taps sum to 65536.
struct VifFilter {
  int radius;
  std::array<uint16_t, 17> taps;

  constexpr int Tap(int k) const { return k < 0 || k > 2 * radius ? 0 : taps[k]; }
};

inline constexpr std::array<VifFilter, kVifScales> kVifFilters = {{
    {8, {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489}},
    {4, {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244}},
    {2, {3571, 16004, 26386, 16004, 3571}},
    {1, {10904, 43728, 10904}},
}};

/// Right shifts after the vertical pass: of means, of second moments. The images of scales 1 to 3 have 16 bits.
constexpr int VifMeanShift(int bit_depth) { return bit_depth; }
constexpr int VifSquareShift(int bit_depth) { return 2 * (bit_depth - 8); }

/// Half of 2^shift, the rounding term; 0 for no shift.
constexpr int64_t VifHalf(int shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

inline constexpr int32_t kVifNoise = 131072;                // variance 2.0 in Q16
inline constexpr double kVifGainEpsilon = 65536 * 1.0e-10;  // keeps the gain's divisor from 0
inline constexpr int kVifNoiseLog = 2048 * 17;              // 2048 * log2(kVifNoise)

/// T[i] of spec/core.md 1.5 at [i - 32768]: 2048 * log2(i), rounded as libvmaf rounds it.
const std::array<uint16_t, 32768>& VifLogTable();

/// L(x), x >= 2^17: 2048 * log2(x) of the 16 leading bits of x.
inline int VifLog(const std::array<uint16_t, 32768>& table, uint64_t x) {
  const int k = std::bit_width(x) - 16;
  return table[(x >> k) & 32767] + 2048 * k;
}

/// What a scale adds up over its pixels.
enum VifSum { kVifNumLog, kVifDenLog, kVifFlatNum, kVifFlatCount, kVifSumsPerScale };

/// T without the table: the leading bits as m in [1, 2) fall into one of kSegments equal parts; around the part's
/// centre c, 2048 * log2(m) = base + p(t), t = (m - c) / c, where c is a float whose 2048 * log2(c) is an integer but
/// for 1e-4. All steps are float32 with a rounding each, p(t) is rounded to the nearest integer. That all 32768
/// entries come out right is not an estimate but tested one by one (vif_test.cc); README.md says how c was searched.
template <int kSegments, int kDegree>
struct VifLogPolynomial {
  float centre[kSegments];
  float reciprocal[kSegments];
  int32_t base[kSegments];
  float coefficients[kDegree + 1];  // lowest power first
};

inline constexpr VifLogPolynomial<8, 4> kVifLogOf8 = {
    {0x1.0efa56p+0f, 0x1.319292p+0f, 0x1.4d1ddp+0f, 0x1.6ba296p+0f, 0x1.921682p+0f, 0x1.ac36bcp+0f, 0x1.d0226p+0f,
     0x1.f2ff86p+0f},
    {0x1.e3b334p-1f, 0x1.acf066p-1f, 0x1.8978d6p-1f, 0x1.687302p-1f, 0x1.45fa7cp-1f, 0x1.32171p-1f, 0x1.1a66aap-1f,
     0x1.06ab9ap-1f},
    {168, 523, 778, 1037, 1334, 1520, 1758, 1972},
    {0x1.08c146p-10f, 0x1.71546ep+11f, -0x1.71546ap+10f, 0x1.ed8188p+9f, -0x1.7237eap+9f}};

inline constexpr VifLogPolynomial<16, 3> kVifLogOf16 = {
    {0x1.06ab9ap+0f, 0x1.1ae11cp+0f, 0x1.2ba1f2p+0f, 0x1.39da6p+0f, 0x1.4afb3p+0f, 0x1.539afp+0f, 0x1.6ba296p+0f,
     0x1.75bdecp+0f, 0x1.8c02aap+0f, 0x1.921682p+0f, 0x1.ac36bcp+0f, 0x1.b94f0ap+0f, 0x1.c1c0b4p+0f, 0x1.d92cd6p+0f,
     0x1.e45af4p+0f, 0x1.fef61ap+0f},
    {0x1.f2ff86p-1f, 0x1.cf597ap-1f, 0x1.b5714p-1f, 0x1.a19f4ap-1f, 0x1.8c02aap-1f, 0x1.81f43ap-1f, 0x1.687302p-1f,
     0x1.5eb3b2p-1f, 0x1.4afb3p-1f, 0x1.45fa7cp-1f, 0x1.32171p-1f, 0x1.2901eap-1f, 0x1.236e66p-1f, 0x1.150158p-1f,
     0x1.0e9c7cp-1f, 0x1.008538p-1f},
    {76, 295, 465, 602, 759, 835, 1037, 1118, 1289, 1334, 1520, 1609, 1665, 1815, 1884, 2042},
    {0x1.0b605cp-10f, 0x1.715476p+11f, -0x1.717146p+10f, 0x1.ec9eb6p+9f}};

}  // namespace acutance
