// A column of the bands in each lane; a ring of rows holds what thresholds read.
#include "metric/float_adm/float_adm.h"

#include <algorithm>

#include "math/exact_math.h"
#include "metric/blocks/float_samples.h"
#include "metric/blocks/words.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_adm/float_adm_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // a vector of one float holds no double; the plain loops are as good

void Band(const FloatAdmLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
          FloatAdmBuffers&, std::span<int64_t> words) {
  FloatAdmBandRef(layout, scale, band, planes, images, words);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // FloatRows has space for what stands out
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kBands = kFloatAdmBands;

HWY_INLINE V Set(float x) { return hn::Set(D(), x); }

/// base + factor * x in double, rounded.
HWY_INLINE V AddInDouble(V base, double factor, V x) {
  const hn::Repartition<double, D> dd;
  const hn::Half<D> half;
  const auto f = hn::Set(dd, factor);
  const auto low = hn::Mul(f, hn::PromoteTo(dd, hn::LowerHalf(x)));
  const auto high = hn::Mul(f, hn::PromoteTo(dd, hn::UpperHalf(half, x)));
  const auto low_sum = hn::Add(hn::PromoteTo(dd, hn::LowerHalf(base)), low);
  const auto high_sum = hn::Add(hn::PromoteTo(dd, hn::UpperHalf(half, base)), high);
  return hn::Combine(D(), hn::DemoteTo(half, high_sum), hn::DemoteTo(half, low_sum));
}

/// factor * x in double, rounded.
HWY_INLINE V MulInDouble(double factor, V x) {
  const hn::Repartition<double, D> dd;
  const hn::Half<D> half;
  const auto f = hn::Set(dd, factor);
  const auto low = hn::Mul(f, hn::PromoteTo(dd, hn::LowerHalf(x)));
  const auto high = hn::Mul(f, hn::PromoteTo(dd, hn::UpperHalf(half, x)));
  return hn::Combine(D(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

HWY_INLINE V Filter(const float (&taps)[4], V a, V b, V c, V d) {
  const V two = hn::Add(hn::Mul(Set(taps[0]), a), hn::Mul(Set(taps[1]), b));
  return hn::Add(hn::Add(two, hn::Mul(Set(taps[2]), c)), hn::Mul(Set(taps[3]), d));
}

/// near_reciprocal, step by step.
HWY_INLINE V NearReciprocal(V x) {
  const hn::RebindToUnsigned<D> du;
  const V one = Set(1.0f);
  const auto middle =
      hn::Or(hn::And(hn::BitCast(du, x), hn::Set(du, float_adm::kStepMask)), hn::Set(du, float_adm::kStepMiddle));
  const auto quotient = hn::BitCast(du, hn::Div(one, hn::BitCast(D(), middle)));
  const auto rounded =
      hn::And(hn::Add(quotient, hn::Set(du, float_adm::kBelowHalf)), hn::Set(du, float_adm::kKeptBits));
  const V first = hn::BitCast(D(), rounded);
  return hn::Add(first, hn::Mul(first, hn::Sub(one, hn::Mul(x, first))));
}

/// The terms of a vector's columns: four of a column side by side, and the ninth.
struct TermColumns {
  alignas(64) float fours[2][4 * kLanes];
  alignas(64) float last[kLanes];
};

HWY_NOINLINE void Raise(int count, float p_norm, TermColumns& columns) {
  for (int i = 0; i < 4 * count; ++i)
    for (float* fours : {columns.fours[0], columns.fours[1]}) fours[i] = Powf(fours[i], p_norm);
  for (int x = 0; x < count; ++x) columns.last[x] = Powf(columns.last[x], p_norm);
}

/// beyond: a band's values less their thresholds, of `count` columns.
HWY_INLINE void StoreTerms(const V (&beyond)[kFloatAdmSums], int count, float p_norm, TermColumns& columns) {
  V terms[kFloatAdmSums];
  for (int i = 0; i < kFloatAdmSums; ++i) {
    const V y = hn::Max(beyond[i], hn::Zero(D()));
    terms[i] = p_norm == 3 ? hn::Mul(hn::Mul(y, y), y) : y;
  }
  hn::StoreInterleaved4(terms[0], terms[1], terms[2], terms[3], D(), columns.fours[0]);
  hn::StoreInterleaved4(terms[4], terms[5], terms[6], terms[7], D(), columns.fours[1]);
  hn::Store(terms[8], D(), columns.last);
  if (p_norm != 3) Raise(count, p_norm, columns);
}

/// The nine sums of a row. A running sum waits for itself, so that columns are added while terms of the next ones are
/// computed.
class RunningSums {
 public:
  HWY_INLINE RunningSums() : first_(hn::Zero(D4())), second_(hn::Zero(D4())) {}

  HWY_INLINE void Add(const TermColumns& columns, int count) {
    if (count == kLanes)
      for (int x = 0; x < kLanes; ++x) AddColumn(columns, x);
    else
      for (int x = 0; x < count; ++x) AddColumn(columns, x);
  }

  HWY_INLINE void Write(int64_t* words) const {
    static_assert(kFloatAdmSums == 9);
    alignas(16) float sums[kFloatAdmSums];
    hn::Store(first_, D4(), sums);
    hn::Store(second_, D4(), sums + 4);
    sums[8] = last_;
    for (int i = 0; i < kFloatAdmSums; ++i) words[i] = WordFromFloat(sums[i]);
  }

 private:
  using D4 = hn::FixedTag<float, 4>;

  HWY_INLINE void AddColumn(const TermColumns& columns, int x) {
    first_ = hn::Add(first_, hn::Load(D4(), columns.fours[0] + 4 * x));
    second_ = hn::Add(second_, hn::Load(D4(), columns.fours[1] + 4 * x));
    last_ += columns.last[x];
  }

  hn::Vec<D4> first_, second_;
  float last_ = 0;
};

/// Where a band's row stands in the ring.
enum RingRow { kReference, kKept = 3, kAdded = 6, kKeptShare = 9, kAddedShare = 12 };

class ScaleBand {
 public:
  ScaleBand(const FloatAdmLayout& layout, int scale, const LumaPlanes& planes, FloatPyramid& images,
            FloatAdmBuffers& buffers)
      : planes_(planes),
        layout_(layout),
        s_(layout.scales[scale]),
        scale_(scale),
        gain_is_float_(static_cast<double>(static_cast<float>(layout.settings.gain_limit)) ==
                       layout.settings.gain_limit),
        images_(images),
        buffers_(buffers) {}

  void Run(RowBand band, std::span<int64_t> words) {
    const RowBand scored = {std::max(band.begin, s_.rows.begin), std::min(band.end, s_.rows.end)};
    const bool any = s_.scored && scored.begin < scored.end;
    const RowBand details = any ? RowBand{std::max(scored.begin - 1, 0), std::min(scored.end + 1, s_.band_height)}
                                : RowBand{band.begin, band.begin};
    const bool makes_next = scale_ + 1 < kFloatAdmScales;
    std::fill(words.begin() + band.begin * kFloatAdmSums, words.begin() + band.end * kFloatAdmSums, WordFromFloat(0));
    const int first = std::min(band.begin, details.begin);
    read_ = std::max(2 * first - 1, 0);
    for (int y = first; y < std::max(band.end, details.end); ++y) {
      const bool is_next = makes_next && y >= band.begin && y < band.end;
      const bool is_detail = y >= details.begin && y < details.end;
      if (is_next || is_detail) MakeRow(y, is_next);
      if (is_detail) MakeDetails(y);
      // The row before has its neighbours now; so has the last row of the bands.
      if (is_detail && y - 1 >= scored.begin) ScoreRow(y - 1, words.data() + (y - 1) * kFloatAdmSums);
      if (is_detail && y == s_.band_height - 1 && y < scored.end) ScoreRow(y, words.data() + y * kFloatAdmSums);
    }
  }

 private:
  float* Columns(int image, int filter, int odd) { return buffers_.columns.Row(4 * image + 2 * filter + odd); }
  float* Ring(int y, int row) {
    return buffers_.ring.Row(y % FloatAdmBuffers::kRing * FloatAdmBuffers::kRingRows + row);
  }

  /// The vertical pass of row y of the bands, and the row of the next image if asked for.
  void MakeRow(int y, bool makes_next) {
    if (scale_ == 0) ReadSamples(std::min(2 * y + 3, s_.height));
    for (int image = 0; image < 2; ++image) {
      FilterColumns(image, y);
      for (int filter = 0; filter < 2; ++filter) ExtendColumns(Columns(image, filter, 0), Columns(image, filter, 1));
      if (!makes_next) continue;
      const float *even = Columns(image, 0, 0), *odd = Columns(image, 0, 1);
      float* next = images_.At(scale_ + 1)[image].Row(y);
      for (int x = 0; x < s_.band_width; x += kLanes)
        hn::StoreU(FilterAcross(float_adm::kLowTaps, even, odd, x), D(), next + x);
    }
  }

  void ReadSamples(int end) {
    read_ = std::max(read_, end - FloatAdmBuffers::kSampleRows);
    for (; read_ < end; ++read_) {
      ReadFloatSamples(planes_.reference, layout_.bit_depth, read_, Samples(0, read_));
      ReadFloatSamples(planes_.distorted, layout_.bit_depth, read_, Samples(1, read_));
    }
  }

  float* Samples(int image, int row) {
    constexpr int kRows = FloatAdmBuffers::kSampleRows;
    return buffers_.samples.Row(image * kRows + row % kRows);
  }

  float* Source(int image, int row) { return scale_ == 0 ? Samples(image, row) : images_.At(scale_)[image].Row(row); }

  void FilterColumns(int image, int y) {
    const float* rows[4];
    for (int k = 0; k < 4; ++k) rows[k] = Source(image, float_adm::wavelet_index(y, k, s_.height));
    float* to[2][2];
    for (int filter = 0; filter < 2; ++filter)
      for (int odd = 0; odd < 2; ++odd) to[filter][odd] = Columns(image, filter, odd);
    for (int x = 0; x < s_.band_width; x += kLanes) {
      V low[2], high[2];
      for (int part = 0; part < 2; ++part) {
        V p[4];
        for (int k = 0; k < 4; ++k) p[k] = hn::LoadU(D(), rows[k] + 2 * x + part * kLanes);
        low[part] = Filter(float_adm::kLowTaps, p[0], p[1], p[2], p[3]);
        high[part] = Filter(float_adm::kHighTaps, p[0], p[1], p[2], p[3]);
      }
      hn::StoreU(hn::ConcatEven(D(), low[1], low[0]), D(), to[0][0] + x);
      hn::StoreU(hn::ConcatOdd(D(), low[1], low[0]), D(), to[0][1] + x);
      hn::StoreU(hn::ConcatEven(D(), high[1], high[0]), D(), to[1][0] + x);
      hn::StoreU(hn::ConcatOdd(D(), high[1], high[0]), D(), to[1][1] + x);
    }
  }

  /// What wavelet_index reads beyond the edges.
  void ExtendColumns(float* even, float* odd) const {
    const int m = s_.band_width;
    odd[-1] = odd[0];
    if (s_.width % 2 == 0) {
      even[m] = odd[m - 1];
    } else {
      odd[m - 1] = even[m - 1];
      even[m] = odd[m - 2];
    }
  }

  static HWY_INLINE V FilterAcross(const float (&taps)[4], const float* even, const float* odd, int x) {
    return Filter(taps, hn::LoadU(D(), odd + x - 1), hn::LoadU(D(), even + x), hn::LoadU(D(), odd + x),
                  hn::LoadU(D(), even + x + 1));
  }

  HWY_INLINE void Details(int image, int x, V (&details)[kBands]) {
    const float *low_even = Columns(image, 0, 0), *low_odd = Columns(image, 0, 1);
    const float *high_even = Columns(image, 1, 0), *high_odd = Columns(image, 1, 1);
    details[0] = FilterAcross(float_adm::kLowTaps, high_even, high_odd, x);
    details[1] = FilterAcross(float_adm::kHighTaps, low_even, low_odd, x);
    details[2] = FilterAcross(float_adm::kHighTaps, high_even, high_odd, x);
  }

  /// r * gain_limit in double, rounded: in float, where the limit is one and the product is exact
  /// in double.
  HWY_INLINE V Raised(V r) const {
    return gain_is_float_ ? hn::Mul(r, Set(static_cast<float>(layout_.settings.gain_limit)))
                          : MulInDouble(layout_.settings.gain_limit, r);
  }

  template <class M>
  HWY_INLINE V Restored(V o, V t, M same) const {
    const V zero = hn::Zero(D()), one = Set(1.0f);
    const V ratio = hn::Mul(t, NearReciprocal(hn::Add(o, Set(float_adm::kTinyDivisor))));
    const V r = hn::Mul(hn::Min(hn::Max(ratio, zero), one), o);
    const V raised = Raised(r);
    const V up = hn::IfThenElse(hn::And(same, hn::Gt(r, zero)), hn::Min(raised, t), r);
    return hn::IfThenElse(hn::And(same, hn::Lt(r, zero)), hn::Max(raised, t), up);
  }

  static HWY_INLINE auto SameAngle(const V (&o)[kBands], const V (&t)[kBands]) {
    const V product = hn::Add(hn::Mul(o[0], t[0]), hn::Mul(o[1], t[1]));
    const V reference = hn::Add(hn::Mul(o[0], o[0]), hn::Mul(o[1], o[1]));
    const V distorted = hn::Add(hn::Mul(t[0], t[0]), hn::Mul(t[1], t[1]));
    const V bound = hn::Mul(hn::Mul(Set(float_adm::kCosSquared), reference), distorted);
    return hn::And(hn::Ge(product, hn::Zero(D())), hn::Ge(hn::Mul(product, product), bound));
  }

  /// Row y of the ring, from the vertical pass of this row: columns that are scored, and their neighbours.
  void MakeDetails(int y) {
    float* ring[FloatAdmBuffers::kRingRows];
    for (int i = 0; i < FloatAdmBuffers::kRingRows; ++i) ring[i] = Ring(y, i);
    const int end = std::min(s_.columns.end + 1, s_.band_width);
    for (int x = std::max(s_.columns.begin - 1, 0); x < end; x += kLanes) {
      V o[kBands], t[kBands];
      Details(0, x, o);
      Details(1, x, t);
      const auto same = SameAngle(o, t);
      for (int b = 0; b < kBands; ++b) {
        const V factor = Set(s_.factor[b]);
        const V r = Restored(o[b], t[b], same);
        const V kept = hn::Abs(hn::Mul(factor, r)), added = hn::Abs(hn::Mul(factor, hn::Sub(t[b], r)));
        hn::StoreU(hn::Abs(hn::Mul(factor, o[b])), D(), ring[kReference + b] + x);
        hn::StoreU(kept, D(), ring[kKept + b] + x);
        hn::StoreU(added, D(), ring[kAdded + b] + x);
        if (!layout_.settings.masks) continue;
        hn::StoreU(MulInDouble(float_adm::kNeighbourShare, kept), D(), ring[kKeptShare + b] + x);
        hn::StoreU(MulInDouble(float_adm::kNeighbourShare, added), D(), ring[kAddedShare + b] + x);
      }
    }
    for (int i = kKeptShare; i < FloatAdmBuffers::kRingRows; ++i) {
      ring[i][-1] = ring[i][1];
      ring[i][s_.band_width] = ring[i][s_.band_width - 1];
    }
  }

  /// Rows above, of and below row y, and the row of the centre's values.
  struct MaskerRows {
    const float* shares[3];
    const float* centre;
  };

  static HWY_INLINE V BandThreshold(const MaskerRows& rows, int x) {
    V sum = hn::LoadU(D(), rows.shares[0] + x - 1);
    sum = hn::Add(sum, hn::LoadU(D(), rows.shares[0] + x));
    sum = hn::Add(sum, hn::LoadU(D(), rows.shares[0] + x + 1));
    sum = hn::Add(sum, hn::LoadU(D(), rows.shares[1] + x - 1));
    sum = AddInDouble(sum, float_adm::kCentreShare, hn::LoadU(D(), rows.centre + x));
    sum = hn::Add(sum, hn::LoadU(D(), rows.shares[1] + x + 1));
    sum = hn::Add(sum, hn::LoadU(D(), rows.shares[2] + x - 1));
    sum = hn::Add(sum, hn::LoadU(D(), rows.shares[2] + x));
    return hn::Add(sum, hn::LoadU(D(), rows.shares[2] + x + 1));
  }

  HWY_INLINE V Threshold(const MaskerRows (&rows)[kBands], int x) const {
    if (!layout_.settings.masks) return hn::Zero(D());
    return hn::Add(hn::Add(BandThreshold(rows[0], x), BandThreshold(rows[1], x)), BandThreshold(rows[2], x));
  }

  void FindRows(int y, int shares, int centre, MaskerRows (&rows)[kBands]) {
    const int above = y == 0 ? 1 : y - 1, below = std::min(y + 1, s_.band_height - 1);
    for (int b = 0; b < kBands; ++b)
      rows[b] = {{Ring(above, shares + b), Ring(y, shares + b), Ring(below, shares + b)}, Ring(y, centre + b)};
  }

  void ScoreRow(int y, int64_t* words) {
    MaskerRows kept_masks[kBands], added_masks[kBands];
    FindRows(y, kKeptShare, kKept, kept_masks);
    FindRows(y, kAddedShare, kAdded, added_masks);
    const float* values[FloatAdmBuffers::kRingRows];
    for (int i = 0; i < FloatAdmBuffers::kRingRows; ++i) values[i] = Ring(y, i);
    TermColumns columns;
    RunningSums sums;
    for (int x = s_.columns.begin; x < s_.columns.end; x += kLanes) {
      const V num_threshold = Threshold(added_masks, x), aim_threshold = Threshold(kept_masks, x);
      V beyond[kFloatAdmSums];
      for (int b = 0; b < kBands; ++b) {
        beyond[kFloatAdmNum * kBands + b] = hn::Sub(hn::LoadU(D(), values[kKept + b] + x), num_threshold);
        beyond[kFloatAdmAim * kBands + b] = hn::Sub(hn::LoadU(D(), values[kAdded + b] + x), aim_threshold);
        beyond[kFloatAdmDen * kBands + b] = hn::LoadU(D(), values[kReference + b] + x);
      }
      const int count = std::min(s_.columns.end - x, kLanes);
      StoreTerms(beyond, count, layout_.settings.p_norm, columns);
      sums.Add(columns, count);
    }
    sums.Write(words);
  }

  const LumaPlanes& planes_;
  const FloatAdmLayout& layout_;
  const FloatAdmScale& s_;
  const int scale_;
  const bool gain_is_float_;
  FloatPyramid& images_;
  FloatAdmBuffers& buffers_;
  int read_ = 0;  // rows of samples before this one are no longer asked for or in the buffer
};

void Band(const FloatAdmLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
          FloatAdmBuffers& buffers, std::span<int64_t> words) {
  ScaleBand(layout, scale, planes, images, buffers).Run(band, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Band);

void FloatAdmBand(const FloatAdmLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
                  FloatAdmBuffers& buffers, std::span<int64_t> words) {
  HWY_DYNAMIC_DISPATCH(Band)(layout, scale, band, planes, images, buffers, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
