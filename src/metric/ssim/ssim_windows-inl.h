// Rows of floats to vectors of a column, and back. Included once per instruction set.
#if defined(ACUTANCE_SSIM_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SSIM_WINDOWS_INL_H_
#undef ACUTANCE_SSIM_WINDOWS_INL_H_
#else
#define ACUTANCE_SSIM_WINDOWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "metric/ssim/ssim_split-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

// Four floats of every fourth row, in blocks of 128 bits.
template <class DN>
HWY_INLINE hn::Vec<DN> LoadBlocks(DN d, const float* from, ptrdiff_t row_step) {
  if constexpr (hn::MaxLanes(DN()) == 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<DN> half;
    constexpr int kHalf = static_cast<int>(hn::MaxLanes(DN()) / 2);
    return hn::Combine(d, LoadBlocks(half, from + kHalf * row_step, row_step), LoadBlocks(half, from, row_step));
  }
}

template <class DN>
HWY_INLINE void StoreBlocks(hn::Vec<DN> blocks, DN d, float* to, ptrdiff_t row_step) {
  if constexpr (hn::MaxLanes(DN()) == 4) {
    hn::StoreU(blocks, d, to);
  } else {
    const hn::Half<DN> half;
    constexpr int kHalf = static_cast<int>(hn::MaxLanes(DN()) / 2);
    StoreBlocks(hn::LowerHalf(half, blocks), half, to, row_step);
    StoreBlocks(hn::UpperHalf(half, blocks), half, to + kHalf * row_step, row_step);
  }
}

// The 4x4 numbers of each block, mirrored about the diagonal.
HWY_INLINE void TurnBlocks(V (&v)[4]) {
  const D d;
  const V even_low = hn::InterleaveLower(d, v[0], v[2]), odd_low = hn::InterleaveLower(d, v[1], v[3]);
  const V even_high = hn::InterleaveUpper(d, v[0], v[2]), odd_high = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, even_low, odd_low);
  v[1] = hn::InterleaveUpper(d, even_low, odd_low);
  v[2] = hn::InterleaveLower(d, even_high, odd_high);
  v[3] = hn::InterleaveUpper(d, even_high, odd_high);
}

// `columns` numbers, rounded up to four, of as many rows as a vector has lanes: vector x of `to` is column x.
inline void RowsToColumns(const float* from, ptrdiff_t row_step, int columns, float* to) {
  for (int x = 0; x < columns; x += 4) {
    V v[4];
    for (int j = 0; j < 4; ++j) v[j] = LoadBlocks(D(), from + j * row_step + x, row_step);
    TurnBlocks(v);
    for (int j = 0; j < 4; ++j) hn::Store(v[j], D(), to + (x + j) * kLanes);
  }
}

inline void ColumnsToRows(const float* from, int columns, float* to, ptrdiff_t row_step) {
  for (int x = 0; x < columns; x += 4) {
    V v[4];
    for (int j = 0; j < 4; ++j) v[j] = hn::Load(D(), from + (x + j) * kLanes);
    TurnBlocks(v);
    for (int j = 0; j < 4; ++j) StoreBlocks(v[j], D(), to + j * row_step + x, row_step);
  }
}

// --- Windows of samples that are not dark. Taps that mirror each other meet the same value in two windows, which share
// the product and its parts: a whole number of a grid, and what is rounded off. README.md says why the sums are those
// of ssim_split-inl.h.

constexpr int kWindow = ssim::kWindow;
constexpr int kTaps = (kWindow + 1) / 2;

// Sums of the windows that are open: window w at w % 11. Line i ends window i - 10 and begins window i.
struct OpenSums {
  static constexpr int kKept = kWindow - 1;  // between two chunks of 11 lines: at[0] is closed there

  V at[kWindow];

  HWY_INLINE void Clear() {
    for (V& sum : at) sum = hn::Zero(D());
  }

  // Adds a part of line i's product with tap k, which is also tap 10 - k, from k = 0 on. phase: i % 11.
  template <int phase, int k, bool kFused>
  HWY_INLINE void Add(V part) {
    V& early = at[(phase + 1 + k) % kWindow];
    V& late = at[(phase - k + kWindow) % kWindow];
    late = k == 0 ? part : Sum<kFused>(late, part);
    if constexpr (k + 1 < kTaps) early = Sum<kFused>(early, part);
  }

  // The sum that ended when tap 0 was added.
  template <int phase>
  HWY_INLINE V Ended() const {
    return at[(phase + 1) % kWindow];
  }

  template <int phase>
  HWY_INLINE V Newest() const {
    return at[phase];
  }

  HWY_INLINE void Load(const float* from, ptrdiff_t step) {
    for (int w = 0; w < kKept; ++w) at[1 + w] = hn::Load(D(), from + w * step);
  }
  HWY_INLINE void Save(float* to, ptrdiff_t step) const {
    for (int w = 0; w < kKept; ++w) hn::Store(at[1 + w], D(), to + w * step);
  }

 private:
  // Multiplying by 1 lets the other units add, too.
  template <bool kFused>
  static HWY_INLINE V Sum(V a, V b) {
    return kFused && HWY_NATIVE_FMA ? hn::MulAdd(b, hn::Set(D(), 1.0f), a) : hn::Add(a, b);
  }
};

// Taps of one kind of map, times what makes the grid's step 1.
struct BrightTaps {
  alignas(64) float taps[kTaps][kLanes];
  float step;

  explicit BrightTaps(float grid_step) : step(grid_step) {
    for (int k = 0; k < kTaps; ++k)
      for (float& tap : taps[k]) tap = ssim::kWindowTaps[k] / grid_step;
  }
};

// Lines of vectors that are filtered: line i ends the window whose sum is written to sums + i * step. By value: what is
// written might be its members otherwise.
struct BrightLines {
  const float* taps;
  float grid_step;
  float* sums;
  ptrdiff_t step;

  HWY_INLINE BrightLines(const BrightTaps& t, float* to, ptrdiff_t sums_step)
      : taps(t.taps[0]), grid_step(t.step), sums(to), step(sums_step) {}

  HWY_INLINE void Store(ptrdiff_t i, V high, V low) const {
    hn::Store(hn::Mul(hn::Add(high, low), hn::Set(D(), grid_step)), D(), sums + i * step);
  }
};

template <int phase, int k = 0>
HWY_INLINE void AddTaps(V value, const BrightLines& to, ptrdiff_t i, OpenSums& high, OpenSums& low) {
  const V term = hn::Mul(value, hn::Load(D(), to.taps + k * kLanes));
  const V whole = hn::Round(term);
  high.Add<phase, k, false>(whole);
  low.Add<phase, k, (k > 1)>(Difference(term, whole));  // 20 operations of a line for either kind of units
  if constexpr (k == 0) to.Store(i, high.Ended<phase>(), low.Ended<phase>());
  if constexpr (k + 1 < kTaps) AddTaps<phase, k + 1>(value, to, i, high, low);
}

// Makes loads from `pointer` wait for `sum`: g++ would begin lines before it has registers for them.
HWY_INLINE void Follow([[maybe_unused]] const float*& pointer, [[maybe_unused]] V sum) {
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+r"(pointer) : "v"(sum.raw));
#endif
}

// Lines i to `count`, at most to the end of the chunk, which is reached if true comes back.
template <int phase, class Load>
HWY_INLINE bool AddLines(const Load& load, ptrdiff_t i, ptrdiff_t count, BrightLines& to, OpenSums& high,
                         OpenSums& low) {
  if (i == count) return false;
  AddTaps<phase>(load(i), to, i, high, low);
  Follow(to.taps, high.Newest<phase>());
  if constexpr (phase + 1 < kWindow) return AddLines<phase + 1>(load, i + 1, count, to, high, low);
  else return true;
}

// Filters `count` lines. The first ten sums are of windows that begin before them.
template <class Load>
HWY_NOINLINE void FilterLines(Load load, ptrdiff_t count, BrightLines to) {
  OpenSums high, low;
  high.Clear();
  low.Clear();
  for (ptrdiff_t i = 0; i < count; i += kWindow) AddLines<0>(load, i, count, to, high, low);
}

// Filters `count` lines, 11 or fewer. They follow those of the call before, if it had 11, whose open windows are in
// `kept`: 10 vectors of either sum, `kept_step` floats apart.
template <class Load>
HWY_NOINLINE void FilterChunk(Load load, ptrdiff_t count, BrightLines to, float* kept, ptrdiff_t kept_step) {
  float* kept_low = kept + OpenSums::kKept * kept_step;
  OpenSums high, low;
  high.Load(kept, kept_step);
  low.Load(kept_low, kept_step);
  if (!AddLines<0>(load, 0, count, to, high, low)) return;
  high.Save(kept, kept_step);
  low.Save(kept_low, kept_step);
}

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SSIM_WINDOWS_INL_H_
