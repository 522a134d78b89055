// A block in each lane: what a block adds up, it adds up in the reference's order.
#include "metric/psnr_hvs/psnr_hvs.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/psnr_hvs/psnr_hvs_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // the plain loops are as good

void RowTerms(const Plane& reference, const Plane& distorted, int bit_depth, const HvsTables& tables, int row,
              std::vector<float>& terms) {
  HvsRowTermsRef(reference, distorted, bit_depth, tables, row, terms);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using psnr_hvs::kBlockSamples;
using psnr_hvs::kBlockSide;
using psnr_hvs::kBlockStep;

template <class DI>
constexpr int kLanesOf = static_cast<int>(hn::MaxLanes(DI()));

// Samples or coefficients of a group of blocks: [row and column][block].
template <class DI>
struct BlockGroup {
  static constexpr int kBlocks = kLanesOf<DI>;
  using T = hn::TFromD<DI>;

  HWY_INLINE hn::Vec<DI> Load(int c) const { return hn::Load(DI(), v[c]); }
  HWY_INLINE void Store(int c, hn::Vec<DI> value) { hn::Store(value, DI(), v[c]); }

  alignas(64) T v[kBlockSamples][kBlocks];
};

// --- The transform. 16 bits hold all that samples of up to 10 bits become: at most 8 * 1023 and roundings.

template <class V>
HWY_INLINE V HalfTowardZero(V v) {
  const hn::DFromV<V> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  constexpr int kSign = 8 * sizeof(hn::TFromD<decltype(d)>) - 1;
  return hn::ShiftRight<1>(hn::Add(v, hn::BitCast(d, hn::ShiftRight<kSign>(hn::BitCast(du, v)))));
}

/// (v * factor + 2^(bits - 1)) >> bits.
template <int factor, int bits, class V>
HWY_INLINE V Scaled(V v) {
  const hn::DFromV<V> d;
  if constexpr (sizeof(hn::TFromD<decltype(d)>) == 2) {
    return hn::MulFixedPoint15(v, hn::Set(d, static_cast<int16_t>(factor << (15 - bits))));
  } else {
    return hn::ShiftRight<bits>(hn::Add(hn::Mul(v, hn::Set(d, factor)), hn::Set(d, 1 << (bits - 1))));
  }
}

template <class V>
HWY_INLINE void TransformLine(V (&x)[kBlockSide]) {
  V t1 = hn::Sub(x[0], x[7]);
  const V half1 = HalfTowardZero(t1);
  V t0 = hn::Sub(x[0], half1);
  V t4 = hn::Add(x[1], x[6]);
  const V half4 = HalfTowardZero(t4);
  V t5 = hn::Sub(x[6], half4);
  V t3 = hn::Sub(x[2], x[5]);
  V t2 = hn::Sub(x[2], HalfTowardZero(t3));
  V t6 = hn::Add(x[3], x[4]);
  const V half6 = HalfTowardZero(t6);
  V t7 = hn::Sub(half6, x[4]);
  t0 = hn::Add(t0, half6);
  t6 = hn::Sub(t0, t6);
  t2 = hn::Sub(half4, t2);
  t4 = hn::Sub(t2, t4);
  t0 = hn::Sub(t0, Scaled<13573, 15>(t4));
  t4 = hn::Add(t4, Scaled<11585, 14>(t0));
  t0 = hn::Sub(t0, Scaled<13573, 15>(t4));
  t6 = hn::Sub(t6, Scaled<21895, 15>(t2));
  t2 = hn::Add(t2, Scaled<15137, 14>(t6));
  t6 = hn::Sub(t6, Scaled<21895, 15>(t2));
  t3 = hn::Add(t3, Scaled<19195, 15>(t5));
  t5 = hn::Add(t5, Scaled<11585, 14>(t3));
  t3 = hn::Sub(t3, Scaled<7489, 13>(t5));
  t7 = hn::Sub(HalfTowardZero(t5), t7);
  t5 = hn::Sub(t5, t7);
  t3 = hn::Sub(half1, t3);
  t1 = hn::Sub(t1, t3);
  t7 = hn::Add(t7, Scaled<3227, 15>(t1));
  t1 = hn::Sub(t1, Scaled<6393, 15>(t7));
  t7 = hn::Add(t7, Scaled<3227, 15>(t1));
  t5 = hn::Add(t5, Scaled<2485, 13>(t3));
  t3 = hn::Sub(t3, Scaled<18205, 15>(t5));
  t5 = hn::Add(t5, Scaled<2485, 13>(t3));
  const V transformed[] = {t0, t1, t2, t3, t4, t5, t6, t7};
  for (int k = 0; k < kBlockSide; ++k) x[k] = transformed[k];
}

template <class DI>
HWY_INLINE void TransformLines(BlockGroup<DI>& group, int line_step, int value_step) {
  for (int line = 0; line < kBlockSide; ++line) {
    hn::Vec<DI> x[kBlockSide];
    for (int k = 0; k < kBlockSide; ++k) x[k] = group.Load(line * line_step + k * value_step);
    TransformLine(x);
    for (int k = 0; k < kBlockSide; ++k) group.Store(line * line_step + k * value_step, x[k]);
  }
}

template <class DI>
void Transform(BlockGroup<DI>& group) {
  TransformLines(group, 1, kBlockSide);  // columns
  TransformLines(group, kBlockSide, 1);  // rows
}

// --- Reading: 64-bit words of 8 or 4 samples, one for each block, become vectors of one sample of each.

/// The lane that the steps below give to the block whose word is the b-th.
template <class DI>
constexpr int LaneOf(int b) {
  constexpr int kGroup = 8 / static_cast<int>(sizeof(hn::TFromD<DI>));  // lanes of a word
  constexpr int kWords = kLanesOf<DI> / kGroup;                         // of a vector
  constexpr int kSwapped[4] = {0, 2, 1, 3};
  const int vector = b / kWords;
  return b % kWords * kGroup + (kGroup == 4 ? kSwapped[vector] : vector);
}

template <int bits, class V>
HWY_INLINE V EvenOf(V a, V b) {  // even parts of a, and next to them those of b
  const hn::DFromV<V> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<bits>(hn::BitCast(wide, b))), a);
}

template <int bits, class V>
HWY_INLINE V OddOf(V a, V b) {
  const hn::DFromV<V> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  return hn::OddEven(b, hn::BitCast(d, hn::ShiftRight<bits>(hn::BitCast(wide, a))));
}

// The places of each of two blocks' samples in 16 bytes: the first two blocks begin at byte 0, others at byte 1.
#define ACU_PAIR_AT_0 0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14
#define ACU_PAIR_AT_1 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15
alignas(64) constexpr uint8_t kPairPlaces[128] = {ACU_PAIR_AT_0, ACU_PAIR_AT_1, ACU_PAIR_AT_1, ACU_PAIR_AT_1,
                                                  ACU_PAIR_AT_1, ACU_PAIR_AT_1, ACU_PAIR_AT_1, ACU_PAIR_AT_1};

/// 32-bit lanes of two samples of 16 bits, or 16-bit lanes of two of 8 bits -> both.
template <class DI, class V>
HWY_INLINE void StorePair(V pair, BlockGroup<DI>& group, int c) {
  const hn::RebindToUnsigned<DI> du;
  constexpr int kBits = 4 * sizeof(hn::TFromD<DI>);
  const auto both = hn::BitCast(du, pair);
  group.Store(c, hn::BitCast(DI(), hn::And(both, hn::Set(du, (1 << kBits) - 1))));
  group.Store(c + 1, hn::BitCast(DI(), hn::ShiftRight<kBits>(both)));
}

/// Words of kBlocks blocks -> the samples from place c on.
template <class Sample, class DI>
HWY_INLINE void SpreadWords(const uint64_t* words, BlockGroup<DI>& group, int c) {
  const hn::Repartition<uint64_t, DI> d64;
  const hn::Repartition<uint32_t, DI> d32;
  constexpr int kWords = static_cast<int>(hn::MaxLanes(d64));
  const auto load = [&](int q) HWY_ATTR { return hn::BitCast(d32, hn::Load(d64, words + q * kWords)); };
  const auto low01 = EvenOf<32>(load(0), load(1)), high01 = OddOf<32>(load(0), load(1));
  if constexpr (sizeof(hn::TFromD<DI>) == 4) {
    StorePair<DI>(low01, group, c);
    StorePair<DI>(high01, group, c + 2);
  } else {
    const hn::Repartition<uint16_t, DI> d16;
    const auto low23 = EvenOf<32>(load(2), load(3)), high23 = OddOf<32>(load(2), load(3));
    const auto a = hn::BitCast(d16, low01), b = hn::BitCast(d16, low23);
    const auto e = hn::BitCast(d16, high01), f = hn::BitCast(d16, high23);
    if constexpr (sizeof(Sample) == 1) {
      StorePair<DI>(EvenOf<16>(a, b), group, c);
      StorePair<DI>(OddOf<16>(a, b), group, c + 2);
      StorePair<DI>(EvenOf<16>(e, f), group, c + 4);
      StorePair<DI>(OddOf<16>(e, f), group, c + 6);
    } else {
      group.Store(c, hn::BitCast(DI(), EvenOf<16>(a, b)));
      group.Store(c + 1, hn::BitCast(DI(), OddOf<16>(a, b)));
      group.Store(c + 2, hn::BitCast(DI(), EvenOf<16>(e, f)));
      group.Store(c + 3, hn::BitCast(DI(), OddOf<16>(e, f)));
    }
  }
}

/// The words of a picture: [row of the block][word of the row][block].
template <class Sample, class DI>
struct BlockWords {
  static constexpr int kSamples = 8 / static_cast<int>(sizeof(Sample));  // of a word
  static constexpr int kWords = kBlockSide / kSamples;                   // of a row of a block
  static constexpr int kBlocks = kLanesOf<DI>;

  /// Reads `count` blocks; those beyond repeat the last one.
  void Read(const Plane& plane, int x, int y, int count) {
    for (int i = 0; i < kBlockSide; ++i) {
      const Sample* row = plane.Row<Sample>(y + i) + x;
      if constexpr (kWords == 1) {
        if (count == kBlocks) {
          ReadPairs(row, words[i][0]);
          continue;
        }
      }
      for (int w = 0; w < kWords; ++w) {
        for (int b = 0; b < count; ++b) std::memcpy(&words[i][w][b], row + kBlockStep * b + w * kSamples, 8);
        for (int b = count; b < kBlocks; ++b) words[i][w][b] = words[i][w][count - 1];
      }
    }
  }

  void Spread(BlockGroup<DI>& group) const {
    for (int i = 0; i < kBlockSide; ++i)
      for (int w = 0; w < kWords; ++w) SpreadWords<Sample, DI>(words[i][w], group, i * kBlockSide + w * kSamples);
  }

  bool operator==(const BlockWords& other) const { return std::memcmp(words, other.words, sizeof words) == 0; }

  alignas(64) uint64_t words[kBlockSide][kWords][kBlocks];

 private:
  /// The rows of kBlocks blocks of 8 bits, two by two: their 15 samples lie in 16 bytes.
  static HWY_INLINE void ReadPairs(const uint8_t* row, uint64_t* to) {
    const hn::Repartition<uint8_t, DI> d;
    constexpr int kPairs = kLanesOf<decltype(d)> / 16;  // of a vector
    for (int pair = 0; pair < kBlocks / 2; pair += kPairs) {
      const auto samples = LoadPairs(d, row, pair);
      const auto places = hn::Load(d, kPairPlaces + (pair == 0 ? 0 : 64));
      hn::Store(hn::TableLookupBytes(samples, places), d, reinterpret_cast<uint8_t*>(to + 2 * pair));
    }
  }

  /// Nothing before the first block's samples is read, and nothing behind the last one's.
  template <class D>
  static HWY_INLINE hn::Vec<D> LoadPairs(D d, const uint8_t* row, int pair) {
    if constexpr (kLanesOf<D> == 16) {
      return hn::LoadU(d, row + (pair == 0 ? 0 : 2 * kBlockStep * pair - 1));
    } else {
      const hn::Half<D> half;
      return hn::Combine(d, LoadPairs(half, row, pair + kLanesOf<decltype(half)> / 16), LoadPairs(half, row, pair));
    }
  }
};

// --- Floats: the blocks of a group in kParts vectors.

template <class DI>
struct Floats {
  using D = hn::Repartition<float, DI>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  static constexpr int kParts = kLanesOf<DI> / kLanes;

  static HWY_INLINE V From(const hn::TFromD<DI>* values, int part) {
    const hn::RebindToSigned<D> d32;
    if constexpr (kParts == 1) return hn::ConvertTo(D(), hn::Load(d32, values));
    else return hn::ConvertTo(D(), hn::PromoteTo(d32, hn::Load(hn::Rebind<int16_t, D>(), values + part * kLanes)));
  }
};

template <class V>
HWY_INLINE V Square(V x) {
  return hn::Mul(x, x);
}

/// quarter_share of each block.
template <class DI>
void QuarterShares(const BlockGroup<DI>& group, float* shares) {
  using F = Floats<DI>;
  using D = typename F::D;
  using V = typename F::V;
  alignas(64) hn::TFromD<DI> sums[4][BlockGroup<DI>::kBlocks];  // of quarters: at most 16 * 1023 in 16 bits
  for (int q = 0; q < 4; ++q) {
    const int first = (q & 1) * 4 * kBlockSide + (q >> 1) * 4;
    hn::Vec<DI> sum = hn::Zero(DI());
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sum = hn::Add(sum, group.Load(first + i * kBlockSide + j));
    hn::Store(sum, DI(), sums[q]);
  }
  for (int part = 0; part < F::kParts; ++part) {
    V quarter_mean[4], quarter[4];
    V mean = hn::Zero(D()), block = hn::Zero(D());
    for (int q = 0; q < 4; ++q) {
      const V sum = F::From(sums[q], part);
      mean = hn::Add(mean, sum);
      quarter_mean[q] = hn::Mul(sum, hn::Set(D(), 1.0f / 16));
      quarter[q] = hn::Zero(D());
    }
    mean = hn::Mul(mean, hn::Set(D(), 1.0f / 64));
    for (int i = 0; i < kBlockSide; ++i)
      for (int j = 0; j < kBlockSide; ++j) {
        const int q = (i >= 4) + 2 * (j >= 4);
        const V sample = F::From(group.v[i * kBlockSide + j], part);
        block = hn::Add(block, Square(hn::Sub(sample, mean)));
        quarter[q] = hn::Add(quarter[q], Square(hn::Sub(sample, quarter_mean[q])));
      }
    const V scale = hn::Set(D(), psnr_hvs::kQuarterVariance);
    V quarters = hn::Mul(quarter[0], scale);
    for (int q = 1; q < 4; ++q) quarters = hn::Add(quarters, hn::Mul(quarter[q], scale));
    const V variance = hn::Mul(block, hn::Set(D(), psnr_hvs::kBlockVariance));
    const V share = hn::IfThenElseZero(hn::Gt(variance, hn::Zero(D())), hn::Div(quarters, variance));
    hn::Store(share, D(), shares + part * F::kLanes);
  }
}

/// masking_strength of each block.
template <class DI>
void MaskingStrengths(const BlockGroup<DI>& coefficients, const HvsTables& tables, const float* shares,
                      float* strengths) {
  using F = Floats<DI>;
  using D = typename F::D;
  using V = typename F::V;
  V energy[F::kParts];
  for (int part = 0; part < F::kParts; ++part) energy[part] = hn::Zero(D());
  for (int c = 1; c < kBlockSamples; ++c)
    for (int part = 0; part < F::kParts; ++part) {
      const V x = F::From(coefficients.v[c], part);
      energy[part] = hn::Add(energy[part], hn::Mul(Square(x), hn::Set(D(), tables.mask[c])));
    }
  for (int part = 0; part < F::kParts; ++part) {
    const V root = hn::Sqrt(hn::Mul(energy[part], hn::Load(D(), shares + part * F::kLanes)));
    hn::Store(hn::Mul(root, hn::Set(D(), 0.03125f)), D(), strengths + part * F::kLanes);
  }
}

/// The terms of a group of blocks, and which of a block's are not 0: two masks of 32 bits.
template <class DI>
struct GroupTerms {
  using F = Floats<DI>;
  using D = typename F::D;
  using V = typename F::V;
  static constexpr int kBlocks = BlockGroup<DI>::kBlocks;

  void Make(const BlockGroup<DI>& reference, const BlockGroup<DI>& distorted, const HvsTables& tables,
            const float* strengths) {
    const hn::RebindToSigned<D> d32;
    for (int c = 0; c < kBlockSamples; ++c) {
      alignas(64) hn::TFromD<DI> errors[kBlocks];
      hn::Store(hn::Abs(hn::Sub(reference.Load(c), distorted.Load(c))), DI(), errors);
      const int bit = c % 32;
      for (int part = 0; part < F::kParts; ++part) {
        const int first = part * F::kLanes;
        V error = F::From(errors, part);
        if (c > 0) {
          const V threshold = hn::Div(hn::Load(D(), strengths + first), hn::Set(D(), tables.mask[c]));
          error = hn::Max(hn::Sub(error, threshold), hn::Zero(D()));
        }
        const V weighted = hn::Mul(error, hn::Set(D(), tables.csf[c]));
        const V value = Square(weighted);
        hn::Store(value, D(), term[c] + first);
        int32_t* bits = mask[c / 32] + first;
        const auto here = hn::BitCast(d32, hn::VecFromMask(D(), hn::Gt(value, hn::Zero(D()))));
        const auto flag = hn::And(here, hn::Set(d32, static_cast<int32_t>(1u << bit)));
        hn::Store(bit == 0 ? flag : hn::Or(hn::Load(d32, bits), flag), d32, bits);
      }
    }
  }

  /// Appends the terms of the blocks [begin, end) of the group.
  void Append(int begin, int end, std::vector<float>& terms) const {
    float list[kBlocks * kBlockSamples];
    float* next = list;
    for (int b = begin; b < end; ++b) {
      const int lane = LaneOf<DI>(b);
      uint64_t left = static_cast<uint32_t>(mask[0][lane]) | uint64_t{static_cast<uint32_t>(mask[1][lane])} << 32;
      for (; left != 0; left &= left - 1) *next++ = term[__builtin_ctzll(left)][lane];
    }
    terms.insert(terms.end(), list, next);
  }

  alignas(64) float term[kBlockSamples][kBlocks];
  alignas(64) int32_t mask[2][kBlocks];
};

template <class Sample, class DI>
void GroupRowTerms(const Plane& reference, const Plane& distorted, const HvsTables& tables, int row,
                   std::vector<float>& terms) {
  constexpr int kBlocks = BlockGroup<DI>::kBlocks;
  BlockWords<Sample, DI> words[2];
  BlockGroup<DI> group[2];
  GroupTerms<DI> group_terms;
  alignas(64) float shares[kBlocks], strengths[2][kBlocks];
  const int blocks = HvsBlocks(reference.width);
  for (int done = 0; done < blocks; done += kBlocks) {
    // The last group begins within the one before it.
    const int first = std::max(std::min(done, blocks - kBlocks), 0), count = std::min(blocks, kBlocks);
    words[0].Read(reference, first * kBlockStep, row * kBlockStep, count);
    words[1].Read(distorted, first * kBlockStep, row * kBlockStep, count);
    if (words[0] == words[1]) continue;
    for (int side = 0; side < 2; ++side) {
      words[side].Spread(group[side]);
      QuarterShares(group[side], shares);
      Transform(group[side]);
      MaskingStrengths(group[side], tables, shares, strengths[side]);
    }
    for (int b = 0; b < kBlocks; ++b) strengths[0][b] = std::max(strengths[0][b], strengths[1][b]);
    group_terms.Make(group[0], group[1], tables, strengths[0]);
    group_terms.Append(done - first, count, terms);
  }
}

void RowTerms(const Plane& reference, const Plane& distorted, int bit_depth, const HvsTables& tables, int row,
              std::vector<float>& terms) {
  using D16 = hn::ScalableTag<int16_t>;
  using D32 = hn::ScalableTag<int32_t>;
  if (bit_depth == 8) GroupRowTerms<uint8_t, D16>(reference, distorted, tables, row, terms);
  else if (bit_depth == 10) GroupRowTerms<uint16_t, D16>(reference, distorted, tables, row, terms);
  else GroupRowTerms<uint16_t, D32>(reference, distorted, tables, row, terms);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RowTerms);

void HvsRowTerms(const Plane& reference, const Plane& distorted, int bit_depth, const HvsTables& tables, int row,
                 std::vector<float>& terms) {
  HWY_DYNAMIC_DISPATCH(RowTerms)(reference, distorted, bit_depth, tables, row, terms);
}

}  // namespace acutance
#endif  // HWY_ONCE
