// The arithmetic of ssimulacra2 as vectors: colors and transposed tiles, the blur, maps. Included once per instruction
// set.
#if defined(ACUTANCE_SSIMULACRA2_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SSIMULACRA2_VECTORS_INL_H_
#undef ACUTANCE_SSIMULACRA2_VECTORS_INL_H_
#else
#define ACUTANCE_SSIMULACRA2_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "metric/ssimulacra2/ssimulacra2.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && HWY_TARGET <= HWY_AVX2  // the blur is made of fused operations on eight or sixteen lanes

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using DD = hn::RepartitionToWide<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VD = hn::Vec<DD>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));

using namespace ssimulacra2;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Bits(uint32_t bits) { return hn::BitCast(DF(), hn::Set(DI(), static_cast<int32_t>(bits))); }

/// What cones see of light, to the power of 1/3, without what they see of black. Each step is taken for all of them
/// before the next, since a step waits for the one before.
template <int count>
HWY_INLINE void ConeResponses(VF (&light)[count]) {
  const VF third = Bits(0x3eaaaaabu), zero = hn::Zero(DF());
  VF roots[count], thirds[count];
  for (int i = 0; i < count; ++i) {
    light[i] = hn::IfThenElseZero(hn::Gt(light[i], zero), light[i]);
    const VI exponent = hn::ShiftRight<23>(hn::BitCast(DI(), light[i]));
    const VI start = hn::Sub(hn::Set(DI(), 0x54800000), hn::Mul(exponent, hn::Set(DI(), 0x002aaaaa)));
    roots[i] = hn::IfThenZeroElse(hn::Eq(light[i], zero), hn::BitCast(DF(), start));
    thirds[i] = hn::Mul(light[i], third);
  }
  HWY_UNROLL(3)
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < count; ++i) {
      const VF r2 = hn::Mul(roots[i], roots[i]);
      roots[i] = hn::NegMulAdd(thirds[i], hn::Mul(r2, r2), hn::Mul(roots[i], Bits(0x3faaaaabu)));
    }
  for (int i = 0; i < count; ++i) {
    const VF r2 = hn::Mul(roots[i], roots[i]);
    roots[i] = hn::MulAdd(hn::NegMulAdd(light[i], hn::Mul(r2, r2), roots[i]), third, roots[i]);
    light[i] = hn::MulAdd(hn::Mul(roots[i], roots[i]), light[i], Bits(0xbe1fb275u));
  }
}

HWY_INLINE VF Absorbed(const VF (&in)[3], uint32_t of_red, uint32_t of_green, uint32_t of_blue) {
  return hn::MulAdd(Bits(of_red), in[0],
                    hn::MulAdd(Bits(of_green), in[1], hn::MulAdd(Bits(of_blue), in[2], Bits(0x3b789536u))));
}

/// Replaces red, green and blue by the perceived colors.
template <int vectors>
HWY_INLINE void PerceivedColors(VF (&colors)[vectors][3]) {
  VF cones[3 * vectors];
  for (int i = 0; i < vectors; ++i) {
    cones[3 * i] = Absorbed(colors[i], 0x3e99999au, 0x3f1f3b64u, 0x3d9fbe77u);
    cones[3 * i + 1] = Absorbed(colors[i], 0x3e6b851fu, 0x3f3126e9u, 0x3d9fbe77u);
    cones[3 * i + 2] = Absorbed(colors[i], 0x3e7943ccu, 0x3e51ae8fu, 0x3f0d4369u);
  }
  ConeResponses(cones);
  for (int i = 0; i < vectors; ++i) {
    const VF l = cones[3 * i], m = cones[3 * i + 1], s = cones[3 * i + 2];
    const VF y = hn::Mul(Number(0.5f), hn::Add(l, m));
    colors[i][0] = hn::Add(hn::Mul(hn::Mul(Number(0.5f), hn::Sub(l, m)), Number(14.0f)), Number(0.42f));
    colors[i][1] = hn::Add(y, Number(0.01f));
    colors[i][2] = hn::Add(hn::Sub(s, y), Number(0.55f));
  }
}

template <int vectors>
HWY_INLINE void PerceivedVectors(const float* const (&from)[3], int x, float* const (&to)[3]) {
  const DF d;
  VF colors[vectors][3];
  for (int i = 0; i < vectors; ++i)
    for (int p = 0; p < 3; ++p) colors[i][p] = hn::LoadU(d, from[p] + x + i * kLanes);
  PerceivedColors(colors);
  for (int i = 0; i < vectors; ++i)
    for (int c = 0; c < 3; ++c) hn::Store(colors[i][c], d, to[c] + x + i * kLanes);
}

/// Columns [begin, end) of a row that has `width` columns; zeros beyond them. Both are multiples of kLanes.
inline void PerceivedRow(const float* const (&from)[3], int begin, int end, int width, float* const (&to)[3]) {
  const int whole = std::min(end, width - width % kLanes);
  int x = begin;
  for (; x + kLanes < whole; x += 2 * kLanes) PerceivedVectors<2>(from, x, to);
  for (; x < whole; x += kLanes) PerceivedVectors<1>(from, x, to);
  if (x >= end) return;
  const int rest = std::max(0, width - x);
  if (rest > 0) {
    HWY_ALIGN float last[3][kLanes] = {};
    for (int p = 0; p < 3; ++p) std::copy_n(from[p] + x, rest, last[p]);
    PerceivedVectors<1>({last[0], last[1], last[2]}, 0, {to[0] + x, to[1] + x, to[2] + x});
  }
  for (float* row : to) std::fill(row + x + rest, row + end, 0.0f);
}

constexpr int kTile = 8;
using DTile = hn::CappedTag<float, kTile>;
using VTile = hn::Vec<DTile>;

/// Eight rows of eight columns, transposed. Both rows and columns lie `pitch` floats apart.
HWY_INLINE void TransposeTile(const float* from, ptrdiff_t from_pitch, float* to, ptrdiff_t to_pitch) {
  const DTile d;
  const hn::RepartitionToWide<DTile> wide;
  VTile rows[kTile], pairs[kTile], fours[kTile];
  for (int i = 0; i < kTile; ++i) rows[i] = hn::LoadU(d, from + i * from_pitch);
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = hn::InterleaveLower(d, rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = hn::InterleaveUpper(d, rows[2 * i], rows[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const auto a = hn::BitCast(wide, pairs[4 * i + j]), b = hn::BitCast(wide, pairs[4 * i + 2 + j]);
      fours[4 * i + 2 * j] = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
      fours[4 * i + 2 * j + 1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
    }
  for (int i = 0; i < 4; ++i) {
    hn::StoreU(hn::ConcatLowerLower(d, fours[4 + i], fours[i]), d, to + i * to_pitch);
    hn::StoreU(hn::ConcatUpperUpper(d, fours[4 + i], fours[i]), d, to + (4 + i) * to_pitch);
  }
}

/// HalveSsimulacra2Row with vectors where both columns exist.
inline void HalveRow(const float* above, const float* below, int from_width, RowBand columns, float* to) {
  const DF d;
  int x = columns.begin;
  for (; x + kLanes <= std::min(columns.end, from_width / 2); x += kLanes) {
    VF left[2], right[2];
    hn::LoadInterleaved2(d, above + ptrdiff_t{2} * x, left[0], right[0]);
    hn::LoadInterleaved2(d, below + ptrdiff_t{2} * x, left[1], right[1]);
    const VF sum = hn::Add(hn::Add(hn::Add(left[0], right[0]), left[1]), right[1]);
    hn::StoreU(hn::Mul(sum, Number(0.25f)), d, to + x);
  }
  HalveSsimulacra2Row(above, below, from_width, {x, columns.end}, to);
}

inline void Halve(const FloatColors& from, int plane, int width, int height, float* to) {
  for (int y = 0; y < height; ++y)
    HalveRow(from.Row(plane, 2 * y), from.Row(plane, std::min(2 * y + 1, from.height - 1)), from.width, {0, width},
             to + static_cast<size_t>(y) * width);
}

// --- The recursive blur of rows and of columns (docs/spec/beyond.md 3.4).

constexpr int kRadius = 5, kSections = 3;

/// The state of a blur: of rows or columns, one in each lane.
struct Sections {
  VF before[kSections], before_that[kSections];

  static constexpr int kFloats = 2 * kSections * kLanes;

  HWY_INLINE void Load(const float* from) {
    for (int k = 0; k < kSections; ++k) {
      before[k] = hn::Load(DF(), from + k * kLanes);
      before_that[k] = hn::Load(DF(), from + (k + kSections) * kLanes);
    }
  }
  HWY_INLINE void Store(float* to) const {
    for (int k = 0; k < kSections; ++k) {
      hn::Store(before[k], DF(), to + k * kLanes);
      hn::Store(before_that[k], DF(), to + (k + kSections) * kLanes);
    }
  }
};

/// What is blurred: a video's values, their squares, and their products with the reference's.
enum Blurred { kMean, kSquare, kProduct, kBlurred };

/// Rows of a video and of the reference, a row in each lane: column x lies at x * kLanes.
struct TransposedRows {
  const float *own, *reference;
  int width;  // columns beyond it are 0
};

template <int what>
HWY_INLINE VF At(const TransposedRows& rows, int x) {
  const ptrdiff_t at = ptrdiff_t{kLanes} * x;
  const VF value = hn::Load(DF(), rows.own + at);
  if constexpr (what == kMean) return value;
  else if constexpr (what == kSquare) return hn::Mul(value, value);
  else return hn::Mul(hn::Load(DF(), rows.reference + at), value);
}

HWY_INLINE void StoreOutput(float* to, VF a, VF b, VF c) { hn::Store(hn::Add(a, hn::Add(b, c)), DF(), to); }

template <int what>
HWY_INLINE void MakeOne(const TransposedRows& rows, int n, Sections& state, float* to) {
  const int left = n - kRadius - 1;
  const VF before = left < 0 ? hn::Zero(DF()) : At<what>(rows, left);
  const VF input = hn::Add(before, At<what>(rows, n + kRadius - 1));
  for (int k = 0; k < kSections; ++k) {
    const VF weighted = hn::Mul(input, Number(section_input(k, 0)));
    const VF output = hn::MulAdd(state.before_that[k], Number(section_before_that(k, 0)), weighted);
    state.before_that[k] = state.before[k];
    state.before[k] = hn::MulAdd(state.before[k], Number(section_before(k, 0)), output);
  }
  if (n >= 0) StoreOutput(to + ptrdiff_t{kLanes} * n, state.before[0], state.before[1], state.before[2]);
}

template <int what>
HWY_INLINE void MakeFour(const TransposedRows& rows, int n, Sections& state, float* to) {
  VF input[4], outputs[kSections][4];
  for (int j = 0; j < 4; ++j)
    input[j] = hn::Add(At<what>(rows, n + j - kRadius - 1), At<what>(rows, n + j + kRadius - 1));
  for (int k = 0; k < kSections; ++k) {
    for (int i = 0; i < 4; ++i) {
      VF output = hn::Mul(input[0], Number(section_input(k, i)));
      for (int j = 1; j <= i; ++j) output = hn::MulAdd(input[j], Number(section_input(k, i - j)), output);
      output = hn::MulAdd(state.before_that[k], Number(section_before_that(k, i)), output);
      outputs[k][i] = hn::MulAdd(state.before[k], Number(section_before(k, i)), output);
    }
    state.before_that[k] = outputs[k][2];
    state.before[k] = outputs[k][3];
  }
  for (int i = 0; i < 4; ++i)
    StoreOutput(to + ptrdiff_t{kLanes} * (n + i), outputs[0][i], outputs[1][i], outputs[2][i]);
}

/// Columns [begin, end), the first of which goes to `to`, after those on the left, whose state it is.
template <int what>
void BlurRows(const TransposedRows& rows, int begin, int end, Sections& sections, float* first) {
  constexpr int kAlone = 8;
  float* to = first - ptrdiff_t{kLanes} * begin;
  int n = begin == 0 ? 1 - kRadius : begin;
  for (; n < std::min(kAlone, end); ++n) MakeOne<what>(rows, n, sections, to);
  for (; n < std::min(end, rows.width - kRadius - 2); n += 4) MakeFour<what>(rows, n, sections, to);
  for (; n < end; ++n) MakeOne<what>(rows, n, sections, to);
}

/// What columns are blurred of and continue from.
struct BlurRings {
  const float* rings[kBlurred];  // rows, each kind in a ring
  float* columns;                // Sections: [kind][vector of columns]
  int vectors;
};

/// Where rows that the blur reads begin in a ring.
struct RingRows {
  ptrdiff_t above[kLanes], below[kLanes];
};

template <int blurs>
HWY_INLINE void BlurColumn(const BlurRings& rings, const RingRows& rows, int count, int x,
                           VF (&blurred)[blurs][kLanes]) {
  const DF d;
  for (int f = 0; f < blurs; ++f) {
    float* kept = rings.columns + (ptrdiff_t{f} * rings.vectors + x / kLanes) * Sections::kFloats;
    const float* ring = rings.rings[f] + x;
    Sections state;
    state.Load(kept);
    for (int i = 0; i < count; ++i) {
      const VF input = hn::Add(hn::Load(d, ring + rows.above[i]), hn::Load(d, ring + rows.below[i]));
      for (int k = 0; k < kSections; ++k) {
        const VF old = hn::NegMulSub(Number(bits_float(kSectionDownBefore[k])), state.before[k], state.before_that[k]);
        state.before_that[k] = state.before[k];
        state.before[k] = hn::MulAdd(Number(bits_float(kSectionDownInput[k])), input, old);
      }
      blurred[f][i] = hn::Add(state.before[0], hn::Add(state.before[1], state.before[2]));
    }
    state.Store(kept);
  }
}

// --- The maps of a scale, pixel by pixel, and their sums (docs/spec/beyond.md 3.5).

/// The blurred values of a picture, and the blurred squares of its values.
struct Moments {
  VF mean, square;
};

/// The map of lost structure, not yet clipped at 0; `product` is the blurred product of both pictures' values.
HWY_INLINE VF StructureLoss(const Moments& reference, const Moments& distorted, VF product) {
  const VF one = Number(1.0f);
  const VF mean1 = reference.mean, mean2 = distorted.mean;
  const VF difference = hn::Sub(mean1, mean2), means = hn::Sub(one, hn::Mul(difference, difference));
  const VF covariance = hn::Sub(product, hn::Mul(mean1, mean2));
  const VF above = hn::Add(hn::Mul(Number(2.0f), covariance), Number(0.0009f));
  const VF variance1 = hn::Sub(reference.square, hn::Mul(mean1, mean1));
  const VF variance2 = hn::Sub(distorted.square, hn::Mul(mean2, mean2));
  const VF below = hn::Add(hn::Add(variance1, variance2), Number(0.0009f));
  return hn::Sub(one, hn::Div(hn::Mul(means, above), below));
}

HWY_INLINE VF EdgeOf(VF value, VF mean) { return hn::Abs(hn::Sub(value, mean)); }

/// Above 0 where the distorted picture rings, below 0 where it is blurred.
HWY_INLINE VF EdgeChange(VF reference, VF distorted) {
  return hn::Div(hn::Sub(distorted, reference), hn::Add(Number(1.0f), reference));
}

/// Adds rows of values to the sums of their columns, row after row.
HWY_INLINE void AddValues(const VF* rows, int count, double* sums) {
  const DD d;
  const hn::Half<DF> half;
  VD low = hn::LoadU(d, sums), high = hn::LoadU(d, sums + kLanes / 2);
  for (int i = 0; i < count; ++i) {
    low = hn::Add(low, hn::PromoteTo(d, hn::LowerHalf(half, rows[i])));
    high = hn::Add(high, hn::PromoteTo(d, hn::UpperHalf(half, rows[i])));
  }
  hn::StoreU(low, d, sums);
  hn::StoreU(high, d, sums + kLanes / 2);
}

/// Adds the fourth powers of rows of values to the sums of their columns, row after row.
HWY_INLINE void AddFourthPowers(const VF* rows, int count, double* sums) {
  const DD d;
  const hn::Half<DF> half;
  VD low = hn::LoadU(d, sums), high = hn::LoadU(d, sums + kLanes / 2);
  for (int i = 0; i < count; ++i) {
    const VD a = hn::PromoteTo(d, hn::LowerHalf(half, rows[i])), a2 = hn::Mul(a, a);
    const VD b = hn::PromoteTo(d, hn::UpperHalf(half, rows[i])), b2 = hn::Mul(b, b);
    low = hn::Add(low, hn::Mul(a2, a2));
    high = hn::Add(high, hn::Mul(b2, b2));
  }
  hn::StoreU(low, d, sums);
  hn::StoreU(high, d, sums + kLanes / 2);
}

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SSIMULACRA2_VECTORS_INL_H_
