// The recursive blur of rows and of columns (docs/spec/beyond.md 3.4). Included once per instruction set.
#if defined(ACUTANCE_SSIMULACRA2_BLUR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SSIMULACRA2_BLUR_INL_H_
#undef ACUTANCE_SSIMULACRA2_BLUR_INL_H_
#else
#define ACUTANCE_SSIMULACRA2_BLUR_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "metric/ssimulacra2/ssimulacra2_colors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && HWY_TARGET <= HWY_AVX2

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

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SSIMULACRA2_BLUR_INL_H_
