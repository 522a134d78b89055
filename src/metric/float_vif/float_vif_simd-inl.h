// Running sums of a filter for several outputs at a time. Included once per instruction set.
#if defined(ACUTANCE_FLOAT_VIF_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_FLOAT_VIF_SIMD_INL_H_
#undef ACUTANCE_FLOAT_VIF_SIMD_INL_H_
#else
#define ACUTANCE_FLOAT_VIF_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "metric/float_vif/float_vif.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR  // a vector of one float holds no double

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // FloatRows has space for what stands out
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kMoments = 5;
/// Running sums of neighbouring outputs, which do not wait for each other: as many as registers hold.
constexpr int kBlock = HWY_TARGET <= HWY_AVX3 ? 16 : 8;
constexpr int kBlockRows = std::min(kBlock, kLanes);
constexpr int kNextRows = kLanes / 2;  // of the next scale that a group of rows makes
constexpr int kZeros = 2 * kBlock;     // on either side of a filter's taps
constexpr int kMaxTaps = 69;           // 17 * 4, odd
constexpr int kMaxLanes = FloatVifBuffers::kMaxLanes;

HWY_INLINE V Set(float x) { return hn::Set(D(), x); }

/// A filter's taps, each in all lanes, between zeros.
class TapVectors {
 public:
  explicit TapVectors(const std::vector<float>& taps) : count_(static_cast<int>(taps.size())) {
    for (int k = 0; k < count_; ++k)
      for (int lane = 0; lane < kLanes; ++lane) lanes_[kZeros + k][lane] = taps[k];
  }

  int count() const { return count_; }

  /// Tap k, behind those before it. g++ must not know which: it would keep taps in registers that sums need.
  HWY_INLINE const float* At(int k) const {
    const float* tap = lanes_[kZeros + k];
#if HWY_COMPILER_GCC_ACTUAL
    asm("" : "+r"(tap));
#endif
    return tap;
  }

 private:
  alignas(64) float lanes_[kMaxTaps + 2 * kZeros][kLanes] = {};
  int count_;
};

// Recursions instead of loops: compilers keep in registers what they need not unroll.

template <int i = 0, int n>
HWY_INLINE void Clear(V (&sums)[n]) {
  sums[i] = hn::Zero(D());
  if constexpr (i + 1 < n) Clear<i + 1>(sums);
}

/// With AVX-512 one lane alone, which multiplications spread: processors load fewer whole vectors than they multiply.
HWY_INLINE V LoadTap(const float* tap) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Set(D(), *tap);
#else
  return hn::Load(D(), tap);
#endif
}

/// Begins a sum or adds to it: 0 + x is x except for the sign of a zero, which changes no term. g++ must not put the
/// addition off: it would make several products first, and write sums to memory for them.
template <bool is_first>
HWY_INLINE void AddProduct(V product, V& sum) {
  if constexpr (is_first) sum = product;
  else sum = hn::Add(sum, product);
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
  asm volatile("" : "+v"(sum.raw));
#endif
}

/// Adds a value to the outputs [first, last) of n, which begin kStep values apart; `taps` is the first one's tap, those
/// of the others lie before it. The output `begun` has its first value here.
template <int first, int last, int begun = -1, int kStep = 1, int n>
HWY_INLINE void AddPosition(const float* taps, V value, V (&sums)[n]) {
  AddProduct<first == begun>(hn::Mul(value, LoadTap(taps)), sums[first]);
  if constexpr (first + 1 < last) AddPosition<first + 1, last, begun, kStep>(taps - kStep * kLanes, value, sums);
}

/// The positions from j on that fewer than n outputs have begun with, and that of the last one's beginning.
template <int j, int n, class Load>
HWY_INLINE void AddFirst(const TapVectors& taps, Load load, V (&sums)[n]) {
  AddPosition<0, j + 1, j>(taps.At(j), load(j), sums);
  if constexpr (j + 1 < n) AddFirst<j + 1>(taps, load, sums);
}

/// The positions of the last taps: `done` outputs have all of theirs.
template <int done, int n, class Load>
HWY_INLINE void AddLast(const TapVectors& taps, Load load, V (&sums)[n]) {
  if constexpr (done < n) {
    AddPosition<done, n>(taps.At(taps.count() - 1), load(taps.count() + done - 1), sums);
    AddLast<done + 1>(taps, load, sums);
  }
}

/// Position j for the outputs [i, last) of a filter of kCount taps, whose first ones are `first`. The tap of one output
/// may mirror that of another, which shares its product.
template <int kCount, int kStep, int j, int first, int last, int i = first, int n>
HWY_INLINE void AddMirrored(const float* taps, V value, V (&sums)[n]) {
  constexpr int kTap = j - kStep * i, kOthersTap = kCount - 1 - kTap, kOther = (j - kOthersTap) / kStep;
  constexpr bool is_shared = (j - kOthersTap) % kStep == 0 && kOther >= first && kOther < last && kOther != i;
  if constexpr (!is_shared || kOther > i) {
    const V product = hn::Mul(value, LoadTap(taps + kTap * kLanes));
    AddProduct<kTap == 0>(product, sums[i]);
    if constexpr (is_shared) AddProduct<kOthersTap == 0>(product, sums[kOther]);
  }
  if constexpr (i + 1 < last) AddMirrored<kCount, kStep, j, first, last, i + 1>(taps, value, sums);
}

/// The positions from j on of a filter of kCount taps, whose outputs begin kStep values apart.
template <int kCount, int kStep, int j = 0, int n, class Load>
HWY_INLINE void AddAll(const TapVectors& taps, Load load, V (&sums)[n]) {
  if constexpr (j < kCount + kStep * (n - 1)) {
    constexpr int kFirst = j < kCount ? 0 : (j - kCount) / kStep + 1;
    AddMirrored<kCount, kStep, j, kFirst, std::min(n, j / kStep + 1)>(taps.At(0), load(j), sums);
    AddAll<kCount, kStep, j + 1>(taps, load, sums);
  }
}

/// The running sums of taps[k] * load(kStep * i + k) for the outputs i of n. Each value serves all of them. Filters
/// that are not as usual may be as long as their zeros make them, which leave a sum as it is except for a zero's sign.
template <int kStep = 1, int n, class Load>
HWY_INLINE void Filter(const TapVectors& taps, Load load, V (&sums)[n]) {
  static_assert(kStep * (n - 1) < kZeros);
  if (taps.count() == 3) return AddAll<3, kStep>(taps, load, sums);
  if (taps.count() == 5) return AddAll<5, kStep>(taps, load, sums);
  if (taps.count() == 9) return AddAll<9, kStep>(taps, load, sums);
  if (kStep == 1 && taps.count() == 17) return AddAll<17, kStep>(taps, load, sums);
  if (kStep > 1 || taps.count() < n) {
    Clear(sums);
    const int count = taps.count() + kStep * (n - 1);
    for (int j = 0; j < count; ++j) AddPosition<0, n, -1, kStep>(taps.At(j), load(j), sums);
    return;
  }
  AddFirst<0>(taps, load, sums);
  for (int j = n; j < taps.count(); ++j) AddPosition<0, n>(taps.At(j), load(j), sums);
  AddLast<1>(taps, load, sums);
}

/// Four rows of each block of four lanes become its columns.
HWY_INLINE void TransposeBlocks(V& v0, V& v1, V& v2, V& v3) {
  const V even0 = hn::InterleaveLower(D(), v0, v2), even1 = hn::InterleaveUpper(D(), v0, v2);
  const V odd0 = hn::InterleaveLower(D(), v1, v3), odd1 = hn::InterleaveUpper(D(), v1, v3);
  v0 = hn::InterleaveLower(D(), even0, odd0);
  v1 = hn::InterleaveUpper(D(), even0, odd0);
  v2 = hn::InterleaveLower(D(), even1, odd1);
  v3 = hn::InterleaveUpper(D(), even1, odd1);
}

#if HWY_TARGET <= HWY_AVX3
/// Two blocks of each vector, the even (0x88) or the odd ones (0xdd).
template <int which>
HWY_INLINE V Blocks(V a, V b) {
  return V{_mm512_shuffle_f32x4(a.raw, b.raw, which)};
}
#endif

/// Columns c, c + 4, ... of what TransposeBlocks left of blocks of four rows.
template <int c>
HWY_INLINE void StoreColumns(const V (&v)[kBlockRows], float* to) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int kEven = 0x88, kOdd = 0xdd;
  const V even0 = Blocks<kEven>(v[c], v[c + 4]), even1 = Blocks<kEven>(v[c + 8], v[c + 12]);
  const V odd0 = Blocks<kOdd>(v[c], v[c + 4]), odd1 = Blocks<kOdd>(v[c + 8], v[c + 12]);
  hn::Store(Blocks<kEven>(even0, even1), D(), to + c * kLanes);
  hn::Store(Blocks<kEven>(odd0, odd1), D(), to + (c + 4) * kLanes);
  hn::Store(Blocks<kOdd>(even0, even1), D(), to + (c + 8) * kLanes);
  hn::Store(Blocks<kOdd>(odd0, odd1), D(), to + (c + 12) * kLanes);
#elif HWY_MAX_BYTES == 32
  hn::Store(hn::ConcatLowerLower(D(), v[c + 4], v[c]), D(), to + c * kLanes);
  hn::Store(hn::ConcatUpperUpper(D(), v[c + 4], v[c]), D(), to + (c + 4) * kLanes);
#else
  hn::Store(v[c], D(), to + c * kLanes);
#endif
  if constexpr (c + 1 < 4) StoreColumns<c + 1>(v, to);
}

template <int i = 0>
HWY_INLINE void TransposeAllBlocks(V (&v)[kBlockRows]) {
  TransposeBlocks(v[i], v[i + 1], v[i + 2], v[i + 3]);
  if constexpr (i + 4 < kBlockRows) TransposeAllBlocks<i + 4>(v);
}

/// Lane c of v[r] goes to to[c * kLanes + r].
HWY_INLINE void StoreTransposed(V (&v)[kBlockRows], float* to) {
  TransposeAllBlocks(v);
  StoreColumns<0>(v, to);
}

template <int i = 0, int n>
HWY_INLINE void StoreAll(const V (&v)[n], float* to) {
  hn::Store(v[i], D(), to + i * kLanes);
  if constexpr (i + 1 < n) StoreAll<i + 1>(v, to);
}

// One function for each kind of values, which a compiler does not mix with others: it has too few registers.

/// Writes the running sums of kBlockRows rows down kLanes columns from x on, transposed.
HWY_NOINLINE void FilterRows(const TapVectors& taps, const float* const* rows, int x, float* to) {
  V sums[kBlockRows];
  Filter(
      taps, [&](int j) HWY_ATTR { return hn::LoadU(D(), rows[j] + x); }, sums);
  StoreTransposed(sums, to);
}

/// Writes the same sums of products of samples.
HWY_NOINLINE void FilterProducts(const TapVectors& taps, const float* const* a, const float* const* b, int x,
                                 float* to) {
  V sums[kBlockRows];
  Filter(
      taps, [&](int j) HWY_ATTR { return hn::Mul(hn::LoadU(D(), a[j] + x), hn::LoadU(D(), b[j] + x)); }, sums);
  StoreTransposed(sums, to);
}

/// Filters across kBlock columns, whose rows are in lanes.
HWY_NOINLINE void FilterAcross(const TapVectors& taps, const float* columns, float* to) {
  V sums[kBlock];
  Filter(
      taps, [&](int j) HWY_ATTR { return hn::LoadU(D(), columns + j * kLanes); }, sums);
  StoreAll(sums, to);
}

// --- The next scale

template <int i = 0, int n>
HWY_INLINE void StoreRows(const V (&v)[n], int x, float* const* to) {
  hn::StoreU(v[i], D(), to[i] + x);
  if constexpr (i + 1 < n) StoreRows<i + 1>(v, x, to);
}

/// Writes the running sums of every other row down kLanes columns from x on.
HWY_NOINLINE void FilterEvenRows(const TapVectors& taps, const float* const* rows, int x, float* const* to) {
  V sums[kNextRows];
  Filter<2>(
      taps, [&](int j) HWY_ATTR { return hn::LoadU(D(), rows[j] + x); }, sums);
  StoreRows(sums, x, to);
}

/// Running sums of n vectors of outputs, which do not wait for each other. Tap k meets values of halves[k % 2].
template <int i = 0, int n>
HWY_INLINE void AddNeighbours(V tap, const float* from, V (&sums)[n]) {
  sums[i] = hn::Add(sums[i], hn::Mul(tap, hn::LoadU(D(), from + i * kLanes)));
  if constexpr (i + 1 < n) AddNeighbours<i + 1>(tap, from, sums);
}

template <int n>
HWY_INLINE void FilterHalves(const std::vector<float>& taps, const float* const (&halves)[2], int x, float* to) {
  const int count = static_cast<int>(taps.size());
  V sums[n];
  Clear(sums);
  for (int k = 0; k < count; ++k) AddNeighbours(Set(taps[k]), halves[k % 2] + x + k / 2, sums);
  for (int i = 0; i < n; ++i) hn::StoreU(sums[i], D(), to + x + i * kLanes);
}

// --- The terms of a pixel: terms_of of float_vif_math.kernel.h, step by step.

/// The logarithms of n vectors, which do not wait for each other.
template <int n>
HWY_INLINE void NearLog2(V (&x)[n]) {
  const hn::RebindToSigned<D> di;
  V fraction[n], sum[n];
  for (int i = 0; i < n; ++i) {
    const auto mantissa = hn::Or(hn::And(hn::BitCast(di, x[i]), hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f800000));
    fraction[i] = hn::Sub(hn::BitCast(D(), mantissa), Set(1.0f));
    sum[i] = Set(float_vif::kLogCoefficients[0]);
  }
  for (int k = 1; k < 8; ++k)
    for (int i = 0; i < n; ++i) sum[i] = hn::Add(hn::Mul(sum[i], fraction[i]), Set(float_vif::kLogCoefficients[k]));
  static_assert(float_vif::kLogCoefficients[8] == 0.0f);  // what it is added to is not -0
  for (int i = 0; i < n; ++i) {
    sum[i] = hn::Mul(sum[i], fraction[i]);
    const auto exponent = hn::Sub(hn::ShiftRight<23>(hn::BitCast(di, hn::Abs(x[i]))), hn::Set(di, 127));
    x[i] = hn::Add(hn::ConvertTo(D(), exponent), sum[i]);
  }
}

/// 1 + over / (under + noise) in double, rounded.
HWY_INLINE V OnePlusRatio(V over, V under, double noise) {
  const hn::Repartition<double, D> dd;
  const hn::Half<D> half;
  const auto n = hn::Set(dd, noise), one = hn::Set(dd, 1.0);
  const auto low = hn::Div(hn::PromoteTo(dd, hn::LowerHalf(over)), hn::Add(hn::PromoteTo(dd, hn::LowerHalf(under)), n));
  const auto high =
      hn::Div(hn::PromoteTo(dd, hn::UpperHalf(half, over)), hn::Add(hn::PromoteTo(dd, hn::UpperHalf(half, under)), n));
  return hn::Combine(D(), hn::DemoteTo(half, hn::Add(one, high)), hn::DemoteTo(half, hn::Add(one, low)));
}

/// The options of terms_of.
struct Pixel {
  explicit Pixel(const FloatVifPixel& options)
      : noise(options.noise),
        least_noise(LeastFloatNotBelow(options.noise)),  // what is below it is below the noise
        flat_factor(options.flat_factor),
        gain_limit(options.gain_limit),
        // Where a variance of at least this noise counts, 1 + variance / noise is exact in double, so that it may be
        // rounded to float at once.
        noise_is_power(options.noise > 1e-6 && std::ldexp(0.5, std::ilogb(options.noise) + 1) == options.noise),
        inverse_noise(static_cast<float>(1 / options.noise)) {}

  double noise;
  float least_noise, flat_factor, gain_limit;
  bool noise_is_power;  // of two
  float inverse_noise;
};

constexpr int kColumns = 2;  // side by side

/// Moments of a block of columns, then what is computed from them.
struct Block {
  enum { kVariance1 = 2, kVariance2, kCovariance };  // which take the place of moments

  HWY_INLINE V Load(int moment, int column) const { return hn::Load(D(), moments[moment] + column * kLanes); }
  HWY_INLINE void Store(V value, int moment, int column) { hn::Store(value, D(), moments[moment] + column * kLanes); }

  alignas(64) float moments[kMoments][kBlock * kLanes];
  alignas(64) float logs[kBlock / kColumns][2 * kColumns][kLanes];  // of pairs of columns: their nums, then their dens
};

/// Variances of a column in the place of its moments; returns that of the reference.
HWY_INLINE V MakeVariances(Block& block, int column) {
  const V m0 = block.Load(0, column), m1 = block.Load(1, column);
  const V s1 = hn::Max(hn::Sub(block.Load(2, column), hn::Mul(m0, m0)), hn::Zero(D()));
  const V textured = hn::IfThenZeroElse(hn::Lt(s1, Set(float_vif::kVifEpsilon)), s1);
  block.Store(textured, Block::kVariance1, column);
  block.Store(hn::Max(hn::Sub(block.Load(3, column), hn::Mul(m1, m1)), hn::Zero(D())), Block::kVariance2, column);
  block.Store(hn::Sub(block.Load(4, column), hn::Mul(m0, m1)), Block::kCovariance, column);
  return textured;
}

/// What num and den of a column are logarithms of. Where s1 is zeroed, the gain does not matter.
HWY_INLINE void MakeRatios(Block& block, int column, const Pixel& pixel) {
  const V one = Set(1.0f), epsilon = Set(float_vif::kVifEpsilon);
  const V s1 = block.Load(Block::kVariance1, column), s12 = block.Load(Block::kCovariance, column);
  const V gain = hn::Div(s12, hn::Add(s1, epsilon));
  const V rest = hn::Max(hn::Sub(block.Load(Block::kVariance2, column), hn::Mul(gain, s12)), epsilon);
  const V limited = hn::Min(gain, Set(pixel.gain_limit));
  const V num = OnePlusRatio(hn::Mul(hn::Mul(limited, limited), s1), rest, pixel.noise);
  const V den = pixel.noise_is_power ? hn::Add(one, hn::Mul(s1, Set(pixel.inverse_noise)))
                                     : OnePlusRatio(s1, hn::Zero(D()), pixel.noise);
  hn::Store(num, D(), block.logs[column / kColumns][column % kColumns]);
  hn::Store(den, D(), block.logs[column / kColumns][kColumns + column % kColumns]);
}

HWY_INLINE void TakeLogs(float (&logs)[2 * kColumns][kLanes]) {
  V v[2 * kColumns];
  for (int i = 0; i < 2 * kColumns; ++i) v[i] = hn::Load(D(), logs[i]);
  NearLog2(v);
  for (int i = 0; i < 2 * kColumns; ++i) hn::Store(v[i], D(), logs[i]);
}

/// Logarithms of the first `count` columns and, where not all pixels of a pair of columns are flat, of the next one.
/// Those of a pair next to the ratios of the next one: divisions and chains of operations, which processors overlap.
HWY_INLINE void MakeLogs(Block& block, int count, const Pixel& pixel) {
  int pending = -1;
  for (int x = 0; x < count; x += kColumns) {
    const V s1 = hn::Max(MakeVariances(block, x), MakeVariances(block, x + 1));
    if (hn::AllTrue(D(), hn::Lt(s1, Set(pixel.least_noise)))) continue;
    for (int i = 0; i < kColumns; ++i) MakeRatios(block, x + i, pixel);
    if (pending >= 0) TakeLogs(block.logs[pending]);
    pending = x / kColumns;
  }
  if (pending >= 0) TakeLogs(block.logs[pending]);
}

/// Adds a column's terms. What terms_of does to gain and rest where the covariance is negative or a variance is next to
/// nothing makes num 0. Where a pixel is flat, its logarithms may be anything.
HWY_INLINE void AddColumn(const Block& block, int column, const Pixel& pixel, V& num, V& den) {
  const V one = Set(1.0f), s2 = block.Load(Block::kVariance2, column);
  const auto flat = hn::Lt(block.Load(Block::kVariance1, column), Set(pixel.least_noise));
  const auto nothing =
      hn::Or(hn::Lt(block.Load(Block::kCovariance, column), hn::Zero(D())), hn::Lt(s2, Set(float_vif::kVifEpsilon)));
  const float(&logs)[2 * kColumns][kLanes] = block.logs[column / kColumns];
  const V textured_num = hn::IfThenZeroElse(nothing, hn::Load(D(), logs[column % kColumns]));
  num = hn::Add(num, hn::IfThenElse(flat, hn::Sub(one, hn::Mul(s2, Set(pixel.flat_factor))), textured_num));
  den = hn::Add(den, hn::IfThenElse(flat, one, hn::Load(D(), logs[kColumns + column % kColumns])));
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_FLOAT_VIF_SIMD_INL_H_
