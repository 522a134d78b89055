// Sums of a band's strips, a column in each lane. Only few rows of a band exist at once: a row of contrasts becomes
// maskers, blurred across, and differences; as soon as the six rows below are there, maskers are blurred down and the
// differences added up. Included once per instruction set.
#if defined(ACUTANCE_METRIC_CVVDP_STRIPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_CVVDP_STRIPS_INL_H_
#undef ACUTANCE_METRIC_CVVDP_STRIPS_INL_H_
#else
#define ACUTANCE_METRIC_CVVDP_STRIPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"
#include "metric/cvvdp/cvvdp.h"
#include "metric/cvvdp/cvvdp_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

using namespace cvvdp_vector;

using DD = hn::Repartition<double, DF>;

HWY_INLINE int Lanes() { return static_cast<int>(hn::Lanes(DF())); }

HWY_INLINE VF Expanded(VF left, VF centre, VF right) {
  return hn::Add(hn::Mul(hn::Add(left, right), Number(0.1f)), hn::Mul(centre, Number(0.8f)));
}

/// Row y of a plane, expanded down from that of half the size.
void ExpandDown(const CvvdpPlane& half, int y, float* to) {
  const int j = y / 2;
  const float *top = half.Row(std::max(j - 1, 0)), *middle = half.Row(j),
              *bottom = half.Row(std::min(j + 1, half.height - 1));
  if (y % 2 != 0)
    for (int x = 0; x < half.width; x += Lanes())
      Store(hn::Mul(hn::Add(Load(middle + x), Load(bottom + x)), Number(0.5f)), to + x);
  else
    for (int x = 0; x < half.width; x += Lanes())
      Store(Expanded(Load(top + x), Load(middle + x), Load(bottom + x)), to + x);
  to[-1] = to[0];
  to[half.width] = to[half.width - 1];
}

/// A pair of vectors of neighbouring columns.
struct Columns {
  VF at[2];
};

HWY_INLINE Columns ExpandAcross(const float* row, int x) {
  constexpr DF d;
  const VF left = Load(row + x / 2 - 1), centre = Load(row + x / 2), right = Load(row + x / 2 + 1);
  HWY_ALIGN float both[2 * hn::MaxLanes(d)];
  hn::StoreInterleaved2(Expanded(left, centre, right), hn::Mul(hn::Add(centre, right), Number(0.5f)), d, both);
  return {{hn::Load(d, both), hn::Load(d, both + hn::Lanes(d))}};
}

HWY_INLINE VF AtLeastLight(VF value) { return hn::Max(value, Bits(kCvvdpLeastLight)); }

HWY_INLINE VF Contrast(VF value, VF expanded, VF background) {
  return hn::Min(hn::Div(hn::Sub(value, expanded), background), Number(1000.0f));
}

/// What distorted columns are compared with.
template <int channels>
struct Seen {
  VF contrasts[channels];      // times the sensitivities
  Many<channels> sensitivity;  // to those of the distorted columns
};

/// Reads the reference's rows.
template <int channels>
class ReferenceRows {
 public:
  ReferenceRows(const CvvdpBand& band, float* rows, ptrdiff_t stride)
      : planes_(band.scale[0]), next_(band.next[0]), nodes_(band.sensitivity->nodes), first_(rows), stride_(stride) {}

  void Begin(int y) {
    y_ = y;
    for (int c = 0; c < channels; ++c) ExpandDown(next_[c], y, Between(c));
  }

  /// Reads two vectors of the row.
  HWY_INLINE void Read(int x, Seen<channels> (&seen)[2]) const {
    Columns expanded[channels];
    for (int c = 0; c < channels; ++c) expanded[c] = ExpandAcross(Between(c), x);
    const Many<2> light = {{AtLeastLight(expanded[0].at[0]), AtLeastLight(expanded[0].at[1])}};
    const Many<2> nodes = NodesOf(light);
    for (int i = 0; i < 2; ++i) {
      seen[i].sensitivity = Sensitivity(PlaceOf(nodes[i], CVVDP_NODES - 2));
      for (int c = 0; c < channels; ++c) {
        const VF value = Load(planes_[c].Row(y_) + x + i * Lanes());
        seen[i].contrasts[c] = hn::Mul(Contrast(value, expanded[c].at[i], light[i]), seen[i].sensitivity[c]);
      }
    }
  }

 private:
  float* Between(int channel) const { return first_ + channel * stride_; }

  /// Where backgrounds lie among the nodes: of two vectors at once, whose chains of operations are long.
  static HWY_INLINE Many<2> NodesOf(const Many<2>& backgrounds) {
    const Log2<2> log2 = Log2Of(backgrounds);
    Many<2> nodes;
    for (int i = 0; i < 2; ++i) {
      const VF sum = hn::Add(log2.whole[i], log2.part[i]);
      const VF node = hn::Mul(hn::Sub(sum, Bits(kCvvdpFirstNode)), Bits(kCvvdpNodesPerOctave));
      nodes[i] = Clamp(node, 0.0f, CVVDP_NODES - 1);
    }
    return nodes;
  }

#if HWY_TARGET <= HWY_AVX3
  /// cvvdp_vector::Between of a table that two registers hold.
  static HWY_INLINE VF BetweenNodes(const float* table, const Place& node) {
    static_assert(CVVDP_NODES == 2 * hn::MaxLanes(DF()));
    const VF low = Load(table), high = Load(table + Lanes());
    const auto next = hn::Add(node.index, hn::Set(DI(), 1));
    const VF below{_mm512_permutex2var_ps(low.raw, node.index.raw, high.raw)};
    const VF above{_mm512_permutex2var_ps(low.raw, next.raw, high.raw)};
    return hn::Add(below, hn::Mul(node.share, hn::Sub(above, below)));
  }
#endif

  HWY_INLINE Many<channels> Sensitivity(const Place& node) const {
    Many<channels> sensitivity;
#if HWY_TARGET <= HWY_AVX3
    for (int c = 0; c < channels; ++c) sensitivity[c] = BetweenNodes(nodes_[c].data(), node);
#else
    const DI d;
    const int first = hn::GetLane(node.index);
    // Backgrounds are smooth: most often all columns lie between the same two nodes, and need no gather.
    if (hn::AllTrue(d, hn::Eq(node.index, hn::Set(d, first))))
      for (int c = 0; c < channels; ++c)
        sensitivity[c] =
            hn::Add(Number(nodes_[c][first]), hn::Mul(node.share, Number(nodes_[c][first + 1] - nodes_[c][first])));
    else
      for (int c = 0; c < channels; ++c) sensitivity[c] = cvvdp_vector::Between(nodes_[c].data(), node);
#endif
    return Exp2(sensitivity);
  }

  const std::array<CvvdpPlane, kCvvdpChannels>&planes_, &next_;
  const std::array<std::array<float, CVVDP_NODES>, kCvvdpChannels>& nodes_;
  float* const first_;
  const ptrdiff_t stride_;
  int y_ = 0;
};

/// Rows of it that several videos read, one after the other.
template <int channels>
class KeptRows {
 public:
  KeptRows(ReferenceRows<channels> from, int width, float* rows, ptrdiff_t stride)
      : from_(from), width_(width), first_(rows), stride_(stride) {}

  /// Stores rows [begin, end), at most CvvdpBuffers::kKept, over the previous ones, which are still in a cache.
  void Keep(int begin, int end) {
    begin_ = begin;
    for (int y = begin; y < end; ++y) Keep(y);
  }

  void Begin(int y) { y_ = y; }

  HWY_INLINE void Read(int x, Seen<channels> (&seen)[2]) const {
    for (int i = 0; i < 2; ++i)
      for (int c = 0; c < channels; ++c) {
        seen[i].contrasts[c] = Load(Contrasts(y_, c) + x + i * Lanes());
        seen[i].sensitivity[c] = Load(Sensitivities(y_, c) + x + i * Lanes());
      }
  }

 private:
  void Keep(int y) {
    from_.Begin(y);
    for (int x = 0; x < width_; x += 2 * Lanes()) {
      Seen<channels> seen[2];
      from_.Read(x, seen);
      for (int i = 0; i < 2; ++i)
        for (int c = 0; c < channels; ++c) {
          Store(seen[i].contrasts[c], Contrasts(y, c) + x + i * Lanes());
          Store(seen[i].sensitivity[c], Sensitivities(y, c) + x + i * Lanes());
        }
    }
  }

  float* Contrasts(int y, int c) const { return first_ + ((y - begin_) * 2 * kCvvdpChannels + c) * stride_; }
  float* Sensitivities(int y, int c) const { return Contrasts(y, kCvvdpChannels + c); }

  ReferenceRows<channels> from_;
  const int width_;
  float* const first_;
  const ptrdiff_t stride_;
  int begin_ = 0, y_ = 0;
};

/// The rows of a distorted video that strips use.
class StripRows {
 public:
  StripRows(float* first, ptrdiff_t stride) : stride_(stride), first_(first) {}

  /// A row of the next level's planes, between or on its own.
  float* Between(int channel) const { return Row(channel); }
  float* Masker(int channel) const { return Row(kMaskers + channel); }
  /// Vectors of all channels from one column on, then those from the next vector's on: few rows are read at once.
  float* Blurred(int y) const { return Row(kBlurredRows + y % CvvdpBuffers::kBlurred * kCvvdpChannels); }
  float* Differences(int y) const { return Row(kDifferences + y % CvvdpBuffers::kDifferences * kCvvdpChannels); }
  static HWY_INLINE int At(int channel, int x) { return kCvvdpChannels * x + channel * Lanes(); }
  float* Heat(int channel) const { return Row(kHeat + channel); }

 private:
  static constexpr int kMaskers = kCvvdpChannels, kBlurredRows = kMaskers + kCvvdpChannels,
                       kDifferences = kBlurredRows + CvvdpBuffers::kBlurred * kCvvdpChannels,
                       kHeat = kDifferences + CvvdpBuffers::kDifferences * kCvvdpChannels;
  static_assert(kHeat + kCvvdpChannels == CvvdpBuffers::kVideoRows);

  float* Row(int i) const { return first_ + i * stride_; }

  const ptrdiff_t stride_;
  float* const first_;
};

template <int channels>
class StripSums {
 public:
  StripSums(const CvvdpBand& band, int first_row, CvvdpBuffers& buffers, CvvdpBuffers::OfVideo& own)
      : band_(band),
        rows_(own.rows.get() + kCvvdpPadding, buffers.stride),
        columns_(own.columns.data()),
        buffers_(buffers),
        width_(band.scale[0][0].width),
        height_(band.scale[0][0].height),
        is_blurred_(IsBlurred(band)),
        made_(std::max(first_row - Ahead(band), 0)) {
    for (int c = 0; c < channels; ++c) exponents_[c] = cvvdp_masking_exponent(c);
  }

  /// How many rows beyond its own a row is made of.
  static int Ahead(const CvvdpBand& band) { return IsBlurred(band) ? CVVDP_BLUR_RADIUS : 0; }

  void Begin() { std::fill_n(columns_, buffers_.stride * kCvvdpChannels, 0.0); }

  template <class Reference>
  void Run(int begin, int end, Reference& reference) {
    const int ahead = Ahead(band_);
    for (int y = begin, count; y < end; y += count) {
      count = band_.heat ? 1 : std::min(CvvdpBuffers::kAdded, end - y);
      for (; made_ < std::min(y + count + ahead, height_); ++made_) MakeRow(made_, reference);
      if (count == CvvdpBuffers::kAdded) AddRows<CvvdpBuffers::kAdded>(y);
      else AddRows<1>(y);
    }
  }

  void End(std::span<int64_t> words) {
    for (int c = 0; c < channels; ++c) {
      const double* columns = columns_ + c * buffers_.stride;
      buffers_.folded.assign(columns, columns + width_);
      words[c] = WordFromDouble(FoldBy32(buffers_.folded));
    }
  }

 private:
  static bool IsBlurred(const CvvdpBand& band) {
    return std::min(band.scale[0][0].width, band.scale[0][0].height) > CVVDP_BLUR_BEYOND;
  }

  /// Maskers and differences.
  template <class Reference>
  void MakeRow(int y, Reference& reference) {
    reference.Begin(y);
    for (int c = 0; c < channels; ++c) ExpandDown(band_.next[1][c], y, rows_.Between(c));
    for (int x = 0; x < width_; x += 2 * Lanes()) {
      Seen<channels> seen[2];
      reference.Read(x, seen);
      Columns expanded[channels];
      for (int c = 0; c < channels; ++c) expanded[c] = ExpandAcross(rows_.Between(c), x);
      for (int i = 0; i < 2; ++i) {
        const int at = x + i * Lanes();
        const VF light = AtLeastLight(expanded[0].at[i]);
        for (int c = 0; c < channels; ++c) {
          const VF contrast = Contrast(Load(band_.scale[1][c].Row(y) + at), expanded[c].at[i], light);
          const VF own = hn::Mul(contrast, seen[i].sensitivity[c]), other = seen[i].contrasts[c];
          Store(hn::Min(hn::Abs(other), hn::Abs(own)), rows_.Masker(c) + at);
          Store(hn::Abs(hn::Sub(own, other)), rows_.Differences(y) + StripRows::At(c, at));
        }
      }
    }
    for (int c = 0; c < channels; ++c) BlurAcross(rows_.Masker(c), rows_.Blurred(y) + StripRows::At(c, 0));
  }

  void BlurAcross(float* from, float* to) const {
    if (!is_blurred_) {
      for (int x = 0; x < width_; x += Lanes())
        Store(hn::Mul(Load(from + x), Bits(kCvvdpUnblurred)), to + StripRows::At(0, x));
      return;
    }
    for (int k = 1; k <= CVVDP_BLUR_RADIUS; ++k) {
      from[-k] = from[k];
      from[width_ - 1 + k] = from[width_ - 1 - k];
    }
    VF after = Load(from);
    for (int x = 0; x < width_; x += Lanes()) {
      const VF here = after;
      after = Load(from + x + Lanes());
      VF sum = hn::Mul(here, Bits(kCvvdpBlurAcross[0]));
      AddNeighbours(from + x, here, after, sum);
      Store(sum, to + StripRows::At(0, x));
    }
  }

  /// Those at distances from k on. With AVX-512 those to the right come from registers: nearly every load would cross
  /// two cache lines, which takes twice as long.
  template <int k = 1>
  static HWY_INLINE void AddNeighbours(const float* from, [[maybe_unused]] VF here, [[maybe_unused]] VF after,
                                       VF& sum) {
    const VF left = Load(from - k);
#if HWY_TARGET <= HWY_AVX3
    const VF right{
        _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(after.raw), _mm512_castps_si512(here.raw), k))};
#else
    const VF right = Load(from + k);
#endif
    sum = hn::Add(sum, hn::Mul(hn::Add(left, right), Bits(kCvvdpBlurAcross[k])));
    if constexpr (k < CVVDP_BLUR_RADIUS) AddNeighbours<k + 1>(from, here, after, sum);
  }

  /// The maskers of a channel in `count` rows, blurred down; `blurred` has the rows from the first one's reach on.
  template <int count, int n>
  HWY_INLINE void BlurDown(const float* const* blurred, int at, VF (&sums)[n]) const {
    constexpr int kCentre = CVVDP_BLUR_RADIUS;
    if (!is_blurred_) {
      for (int i = 0; i < count; ++i) sums[i] = Load(blurred[kCentre + i] + at);
      return;
    }
    VF rows[count + 2 * kCentre];
    for (int i = 0; i < count + 2 * kCentre; ++i) rows[i] = Load(blurred[i] + at);
    for (int i = 0; i < count; ++i) {
      sums[i] = hn::Mul(rows[kCentre + i], Bits(kCvvdpBlurDown[0]));
      for (int k = 1; k <= CVVDP_BLUR_RADIUS; ++k)
        sums[i] =
            hn::Add(sums[i], hn::Mul(hn::Add(rows[kCentre + i - k], rows[kCentre + i + k]), Bits(kCvvdpBlurDown[k])));
    }
  }

  /// Adds up the differences of rows from y on.
  template <int count>
  void AddRows(int y) {
    constexpr int kReached = count + 2 * CVVDP_BLUR_RADIUS, kValues = count * channels;
    const float* blurred[kReached];
    for (int i = 0; i < kReached; ++i) {
      int at = std::abs(y + i - CVVDP_BLUR_RADIUS);
      if (at >= height_) at = std::max(2 * (height_ - 1) - at, 0);
      blurred[i] = rows_.Blurred(at);
    }
    static constexpr CvvdpExponent kExponent = cvvdp_difference_exponent();
    for (int x = 0; x < width_; x += Lanes()) {
      Many<kValues> maskers, powers;  // of a channel in all rows, then of the next one
      for (int c = 0; c < channels; ++c) {
        VF sums[count];
        BlurDown<count>(blurred, StripRows::At(c, x), sums);
        for (int i = 0; i < count; ++i) {
          maskers[c * count + i] = sums[i];
          powers[c * count + i] = Load(rows_.Differences(y + i) + StripRows::At(c, x));
        }
      }
      maskers = SoftPow(
          maskers, [&](int value) -> const auto& { return exponents_[value / count]; });
      powers = SoftPow(
          powers, [&](int) -> const auto& { return kExponent; });
      for (int c = 0; c < channels; ++c) {
        VF differences[count];
        for (int i = 0; i < count; ++i) {
          VF masking = hn::Mul(maskers[i], Bits(kCvvdpCrossMasking[c]));
          for (int j = 1; j < channels; ++j)
            masking = hn::Add(masking, hn::Mul(maskers[j * count + i], Bits(kCvvdpCrossMasking[4 * j + c])));
          const VF most = Bits(kCvvdpMostDifference), power = powers[c * count + i];
          differences[i] = hn::Div(hn::Mul(most, power), hn::Add(hn::Mul(most, hn::Add(Number(1.0f), masking)), power));
        }
        if (band_.heat) Store(differences[0], rows_.Heat(c) + x);
        AddSquares(differences, columns_ + c * buffers_.stride + x);
      }
    }
    if (band_.heat) DrawHeat(y);
  }

  template <int count>
  static HWY_INLINE void AddSquares(const VF (&differences)[count], double* columns) {
    constexpr DD d;
    constexpr hn::Half<DF> half;
    constexpr float kSmall = bits_float(kCvvdpSmall);
    auto lower = hn::LoadU(d, columns), upper = hn::LoadU(d, columns + hn::Lanes(d));
    for (int i = 0; i < count; ++i) {
      const VF v = hn::Add(differences[i], Number(kSmall)), square = hn::Sub(hn::Mul(v, v), Number(kSmall * kSmall));
      lower = hn::Add(lower, hn::PromoteTo(d, hn::LowerHalf(half, square)));
      upper = hn::Add(upper, hn::PromoteTo(d, hn::UpperHalf(half, square)));
    }
    hn::StoreU(lower, d, columns);
    hn::StoreU(upper, d, columns + hn::Lanes(d));
  }

  void DrawHeat(int y) const {
    for (int x = 0; x < width_; ++x) {
      float sum = 0.0f;
      for (int c = 0; c < channels; ++c) sum = sum + cvvdp_fourth_power(rows_.Heat(c)[x] * band_.heat_weights[c]);
      band_.heat->Row(y)[x] = cvvdp_fourth_root(sum);
    }
  }

  const CvvdpBand& band_;
  const StripRows rows_;
  double* const columns_;
  CvvdpBuffers& buffers_;
  const int width_, height_;
  const bool is_blurred_;
  int made_;
  CvvdpExponent exponents_[channels];
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_CVVDP_STRIPS_INL_H_
