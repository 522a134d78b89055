// Constants and per-pixel arithmetic of integer VIF (docs/spec/core.md 1), in C++.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernel/kernel.h"

namespace acutance {
namespace vif {
#include "metric/vif/vif_math.kernel.h"
}  // namespace vif

inline constexpr int kVifScales = 4;
inline constexpr int kVifMinSize = 16;  // below it scale 3 has no pixel, or the mirror leaves the picture

/// A symmetric filter.
struct VifFilter {
  int radius;
  std::array<uint16_t, 17> taps;

  constexpr int Tap(int k) const { return k < 0 || k > 2 * radius ? 0 : taps[k]; }
};

/// The filter with this half of its taps, the middle one last.
template <size_t kCount>
constexpr VifFilter MakeVifFilter(const uint32_t (&half)[kCount]) {
  VifFilter filter{static_cast<int>(kCount) - 1, {}};
  for (size_t k = 0; k < kCount; ++k)
    filter.taps[k] = filter.taps[2 * (kCount - 1) - k] = static_cast<uint16_t>(half[k]);
  return filter;
}

inline constexpr std::array<VifFilter, kVifScales> kVifFilters = {
    MakeVifFilter(vif::kTaps0), MakeVifFilter(vif::kTaps1), MakeVifFilter(vif::kTaps2), MakeVifFilter(vif::kTaps3)};

/// Half of 2^shift, the rounding term; 0 for no shift.
constexpr int64_t VifHalf(int shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

/// What keeps the gain's divisor from 0.
inline constexpr double kVifGainEpsilon = 65536 * 1.0e-10;
static_assert(kVifGainEpsilon == static_cast<double>(vif::kEpsilonMantissa) * 0x1p-70 && vif::kEpsilonExponent == -70);

/// T[i] of docs/spec/core.md 1.5 at [i - 32768]: 2048 * log2(i), rounded as libvmaf rounds it.
const std::array<uint16_t, 32768>& VifLogTable();

/// L(x), x >= 2^17: 2048 * log2(x) of the 16 leading bits of x.
inline int VifLog(const std::array<uint16_t, 32768>& table, uint64_t x) {
  const int k = std::bit_width(x) - 16;
  return table[(x >> k) & 32767] + 2048 * k;
}

/// One part of [1, 2).
struct VifLogPart {
  uint32_t start, slope, bend;

  constexpr uint32_t At(uint32_t t) const { return vif::fitted_log(start, slope, bend, t); }
};

/// 2048 log2 as the kernels compute it: quadratics of integers that give every entry of VifLogTable() (vif_test.cc
/// compares all 32768). Each part's `start` may be off by 250 without changing an entry.
inline constexpr std::array<VifLogPart, vif::kLogParts> kVifLogFit = {{
    {527379, 3025133, 45},     {95862411, 2933270, 42},   {188350920, 2847400, 40},  {278155838, 2766268, 38},
    {365429342, 2690326, 37},  {450319817, 2616848, 34},  {532949519, 2547382, 32},  {613424911, 2481812, 30},
    {691857999, 2420404, 29},  {768362976, 2360169, 26},  {843014705, 2305897, 27},  {915924032, 2251202, 25},
    {987155859, 2199194, 23},  {1056771915, 2151397, 23}, {1124866872, 2104612, 22}, {1191495551, 2059904, 21},
    {1256723664, 2016780, 20}, {1320606637, 1975480, 19}, {1383197749, 1935860, 18}, {1444544940, 1898526, 18},
    {1504709459, 1861597, 17}, {1563719820, 1827161, 17}, {1621631063, 1792985, 16}, {1678487820, 1759689, 15},
    {1734305243, 1729023, 15}, {1789148414, 1697954, 14}, {1843020139, 1669675, 14}, {1895988772, 1640521, 13},
    {1948056784, 1613690, 13}, {1999266386, 1587525, 13}, {2049646245, 1561533, 12}, {2099217311, 1536941, 12},
}};

/// The sums of a scale over its pixels.
enum VifSum { kVifNumLog, kVifDenLog, kVifFlatNum, kVifFlatCount, kVifSumsPerScale };

inline constexpr float kVifLogRounder = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to an integer
inline constexpr int kVifLogFirst = 30720;            // T[32768]

/// T without the table. The 15 mantissa bits make m in [1, 2), which falls into one of kSegments equal parts; with r
/// about 1 / (middle of the part) and t = m r - 1, 2048 log2(m) + 2^-10 = base + t q(t), base an integer: r was
/// searched so that -2048 log2(r) is an integer except for the 2^-10 that libvmaf's float rounding adds. All steps are
/// fused multiply-adds in float32, the last one rounds to an integer. That all 32768 entries come out right is not an
/// estimate: vif_test.cc compares each, README.md describes the search.
template <int kSegments, int kTermCount>
struct VifLogPolynomial {
  static constexpr int kTerms = kTermCount;
  std::array<float, kSegments> reciprocal;
  std::array<int32_t, kSegments> base;
  std::array<float, kTerms> coefficients;  // of q, lowest power first

  /// What to add t q(t) to: rounded, the bits are those of kVifLogRounder plus the log, less 2048 / kSegments for each
  /// segment before this one.
  constexpr std::array<float, kSegments> RoundedBase() const {
    std::array<float, kSegments> rounded{};
    for (int i = 0; i < kSegments; ++i)
      rounded[i] = kVifLogRounder + static_cast<float>(base[i] - 2048 / kSegments * i);
    return rounded;
  }
};

inline constexpr VifLogPolynomial<8, 4> kVifLogOf8 = {
    {0x1.e38958p-1f, 0x1.b04a9p-1f, 0x1.86f334p-1f, 0x1.64aff4p-1f, 0x1.48314ep-1f, 0x1.3020dp-1f, 0x1.1ae122p-1f,
     0x1.088b42p-1f},
    {169, 500, 797, 1068, 1314, 1539, 1753, 1951},
    {0x1.71546ep+11f, -0x1.71546ap+10f, 0x1.ed8188p+9f, -0x1.7237eap+9f}};

inline constexpr VifLogPolynomial<16, 3> kVifLogOf16 = {
    {0x1.f0cecp-1f, 0x1.d48dc4p-1f, 0x1.bb1adap-1f, 0x1.a4be5ap-1f, 0x1.8fc7fep-1f, 0x1.7d47b6p-1f, 0x1.6c4048p-1f,
     0x1.5cb0a6p-1f, 0x1.4eb2ep-1f, 0x1.4144d2p-1f, 0x1.351bfap-1f, 0x1.29e9e6p-1f, 0x1.1f8334p-1f, 0x1.15797ap-1f,
     0x1.0cb1ep-1f, 0x1.041adap-1f},
    {89, 262, 427, 580, 731, 871, 1006, 1135, 1256, 1377, 1491, 1600, 1705, 1810, 1905, 2001},
    {0x1.715476p+11f, -0x1.717462p+10f, 0x1.eca3b2p+9f}};

}  // namespace acutance
