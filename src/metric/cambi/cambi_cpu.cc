// Counts values in the window that slides down a strip of columns, and compares them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "metric/cambi/cambi_frame.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/cambi/cambi_cpu.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/cambi/cambi_prepare-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using DF = hn::CappedTag<float, kCambiMaxLanes / 2>;
using DI = hn::RebindToSigned<DF>;
using DHalf16 = hn::Rebind<uint16_t, DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

inline int LanesF() { return static_cast<int>(hn::Lanes(DF())); }

constexpr int kSummedRows = 64;  // whose lists are summed at once
static_assert(kSummedRows * kCambiStrip <= 1 << 14);

/// The exact sum of at most 2^14 contrasts: multiples of 2^-24 below 2^14. Zeros follow them.
HWY_INLINE CambiSum SumOfLists(const float* list, const float* end) {
  const hn::CappedTag<double, kCambiMaxLanes / 4> d;
  const hn::Rebind<float, decltype(d)> df;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto even = hn::Zero(d), odd = hn::Zero(d);
  for (; list < end; list += 2 * lanes) {
    even = hn::Add(even, hn::PromoteTo(d, hn::LoadU(df, list)));
    odd = hn::Add(odd, hn::PromoteTo(d, hn::LoadU(df, list + lanes)));
  }
  const double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  const int64_t whole = static_cast<int64_t>(sum);
  return {whole, static_cast<int64_t>((sum - static_cast<double>(whole)) * (1 << kCambiFractionBits))};
}

/// As many bits as D16 has lanes at most.
using MaskBits = std::conditional_t<hn::MaxLanes(D16()) <= 8, uint8_t,
                                    std::conditional_t<hn::MaxLanes(D16()) <= 16, uint16_t, uint32_t>>;

HWY_INLINE MaskBits BitsOf(hn::Mask<D16> mask) {
  uint8_t bytes[8];
  hn::StoreMaskBits(D16(), mask, bytes);
  MaskBits bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

/// Finds the runs of a row of words in columns [begin, end), numbered from `origin`.
HWY_INLINE void FindRuns(const CambiComparisons& comparisons, const uint16_t* row, int begin, int end, int origin,
                         CambiRuns& runs) {
  const D16 d;
  const uint16_t first = static_cast<uint16_t>(kCambiCounts | std::max(comparisons.first_counted, 0));
  const uint16_t last = static_cast<uint16_t>(kCambiCounts | comparisons.last_counted);
  const V16 lowest = hn::Set(d, first), span = hn::Set(d, static_cast<uint16_t>(last - first));
  const auto counted = [&](V16 words) HWY_ATTR {
    const V16 above = hn::Sub(words, lowest);
    return hn::And(hn::VecFromMask(d, hn::Eq(hn::Min(above, span), above)), words);
  };
  // Runs end where a word differs from the one before; those that do not count are all alike.
  CambiRun* run = runs.first();
  int start = begin;
  uint16_t word = row[begin];
  const auto end_run = [&](int x) {
    run->begin = static_cast<uint16_t>(start - origin);
    run->end = static_cast<uint16_t>(x - origin);
    run->value = static_cast<uint16_t>(word & ~kCambiCounts);
    run += word >= first && word <= last;
  };
  for (int x = begin + 1; x < end; x += 64) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i += Lanes16()) {
      const V16 words = hn::LoadU(d, row + x + i), before = hn::LoadU(d, row + x + i - 1);
      bits |= uint64_t{BitsOf(hn::Ne(counted(words), counted(before)))} << i;
    }
    if (end - x < 64) bits &= (uint64_t{1} << (end - x)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const int at = x + std::countr_zero(bits);
      end_run(at);
      start = at;
      word = row[at];
    }
  }
  end_run(end);
  runs.SetEnd(run);
}

/// Each of some steps is tried; of many those alone that lead to a value nearby.
constexpr int kSomeSteps = 0, kManySteps = -1, kMostOfSome = 8;

/// A strip of columns, for which the table of counts is made. kSteps: CambiComparisons::contrasts, or one of the above.
template <int kSteps>
class StripCounter {
 public:
  StripCounter(const CambiComparisons& comparisons, const CambiImage& image, const CambiPass& pass, int begin, int end,
               CambiThread& thread, const MutablePicture* heatmap)
      : comparisons_(comparisons),
        image_(image),
        heatmap_(heatmap),
        heat_scale_(CambiHeatScale(pass, comparisons.contrasts)),
        radius_(pass.window / 2),
        origin_(begin - radius_),
        columns_(end - begin),
        thread_(thread),
        short_vectors_((2 * radius_ + kShortRun + Lanes16() - 1) / Lanes16()),
        reciprocals_(CambiReciprocals().data()) {}

  void Run(RowBand band, int strip, CambiContrasts& contrasts) {
    for (int y = std::max(band.begin - radius_, 0); y < std::min(band.begin + radius_, image_.height); ++y) Enter(y);
    float* end = contrasts.Place(strip, band.begin);
    const float* summed = end;
    for (int y = band.begin; y < band.end; ++y) {
      if (y + radius_ < image_.height) Enter(y + radius_);
      float* const list = end;
      for (const CambiRun& run : RunsOf(y).all()) {
        float* const next = Compare(run, end, thread_.sums.get() + (end - list));
        if (heatmap_) {
          if constexpr (kSteps == kManySteps) Divide(end, next, thread_.sums.get() + (end - list));
          DrawHeat(run, end, next, heatmap_->Row<uint16_t>(0, y));
        }
        end = next;
      }
      if (kSteps == kManySteps && !heatmap_) Divide(list, end, thread_.sums.get());
      contrasts.lists[static_cast<size_t>(y) * contrasts.strips + strip] = {list, static_cast<int>(end - list)};
      if (strip == 0) contrasts.sums[y] = {};
      if ((y + 1 - band.begin) % kSummedRows == 0 || y + 1 == band.end) {
        hn::StoreU(hn::Zero(DF()), DF(), end);
        const CambiSum sum = SumOfLists(summed, end);
        contrasts.sums[y].whole += sum.whole;
        contrasts.sums[y].fraction += sum.fraction;
        summed = end;
      }
      if (y - radius_ >= 0) Leave(y - radius_);
    }
    Clear();
  }

 private:
  static constexpr int kShortRun = 16;
  static constexpr int kAhead = 8;  // rows between what is read and what is asked for

  CambiRuns& RunsOf(int y) { return thread_.runs[y % thread_.runs.size()]; }

  uint16_t* CountsOf(int value) {
    return thread_.counts.get() + static_cast<size_t>(value - comparisons_.first_counted) * kCambiCountStride;
  }
  int& PresentOf(int value) { return thread_.present[value - comparisons_.first_counted]; }

  void Enter(int y) {
    const int begin = std::max(origin_, 0), end = std::min(origin_ + columns_ + 2 * radius_, image_.width);
    Prefetch(y + kAhead, begin, end);
    // Most pixels of most films have no mask.
    if (!image_.HasCounted(y, begin, end)) return RunsOf(y).SetEnd(RunsOf(y).first());
    FindRuns(comparisons_, image_.Row(y), begin, end, origin_, RunsOf(y));
    for (const CambiRun& run : RunsOf(y).all()) {
      PresentOf(run.value) += run.end - run.begin;
      Note<1>(run);
      Count<1>(run);
    }
  }

  /// A strip changes the row too often for processors to foresee what it reads.
  void Prefetch(int y, int begin, int end) const {
    constexpr int kLine = 64 / sizeof(uint16_t);
    const uint16_t* row = image_.Row(std::min(y, image_.height - 1));
    for (int x = begin; x < end; x += kLine) hwy::Prefetch(row + x);
  }

  void Leave(int y) {
    for (const CambiRun& run : RunsOf(y).all()) {
      PresentOf(run.value) -= run.end - run.begin;
      Note<-1>(run);
      Count<-1>(run);
    }
  }

  /// In the blocks whose windows the run reaches.
  template <int kSign>
  HWY_INLINE void Note(const CambiRun& run) {
    if constexpr (kSteps != kManySteps) return;
    constexpr int kBlock = CambiPresence::kBlock, kReach = CambiPresence::kReach;
    const int begin = std::max(run.begin - 2 * radius_ - kReach + kBlock, 0) / kBlock;
    const int end = (std::min<int>(run.end, columns_) + kBlock - 1) / kBlock;
    for (int block = begin; block < end; ++block) {
      uint16_t& runs = thread_.presence.At(block)[run.value - comparisons_.first_counted];
      runs = static_cast<uint16_t>(runs + kSign);
    }
  }

  /// Bit i: one of the values i + 1 steps away from `value` occurs in the window of a column of a vector that begins in
  /// the block.
  HWY_INLINE uint32_t StepsNear(int value, int block) const {
    const D16 d;
    const uint16_t* const own = thread_.presence.At(block) + (value - comparisons_.first_counted);
    uint32_t bits = 0;
    for (int step = 1; step <= comparisons_.contrasts; step += Lanes16()) {
      const V16 above = hn::LoadU(d, own + step), below = hn::LoadU(d, own - (step + Lanes16() - 1));
      bits |= uint32_t{BitsOf(hn::Ne(hn::Or(above, hn::Reverse(d, below)), hn::Zero(d)))} << (step - 1);
    }
    return bits & ~uint32_t{0} >> (kCambiMaxContrasts - comparisons_.contrasts);
  }

  /// Adds to each column of the strip how many pixels of the run lie in its window. The window of column x has columns
  /// x to x + 2 radius of the strip and its halo; beyond their reach the difference is below 0 and saturates.
  template <int kSign>
  HWY_INLINE void Count(const CambiRun& run) {
    const D16 d;
    const int lanes = Lanes16();
    const int first = std::max(run.begin - 2 * radius_, 0), end = std::min<int>(run.end, columns_);
    const V16 run_begin = hn::Set(d, run.begin), run_end = hn::Set(d, run.end);
    const V16 reach = hn::Set(d, static_cast<uint16_t>(2 * radius_ + 1)),
              step = hn::Set(d, static_cast<uint16_t>(lanes));
    V16 column = hn::Add(hn::Iota(d, uint16_t{0}), hn::Set(d, static_cast<uint16_t>(first)));
    uint16_t* counts = CountsOf(run.value) + first;
    const auto count_vector = [&]() HWY_ATTR {
      const V16 pixels = hn::SaturatedSub(hn::Min(hn::Add(column, reach), run_end), hn::Max(column, run_begin));
      const V16 old = hn::LoadU(d, counts);
      hn::StoreU(kSign > 0 ? hn::Add(old, pixels) : hn::Sub(old, pixels), d, counts);
      counts += lanes;
      column = hn::Add(column, step);
    };
    // Most runs are short. As many vectors for each of them spare a branch that would often be mispredicted; beyond
    // the run's reach they add 0.
    for (int i = 0; i < short_vectors_; ++i) count_vector();
    for (int x = first + short_vectors_ * lanes; x < end; x += lanes) count_vector();
  }

  struct Fraction {
    VF product, sum;
  };

  /// Appends the contrasts of the run's pixels in the strip to `to`, unless all are 0; returns the end. With many steps
  /// products to `to` and what they are divided by to `sums`.
  HWY_INLINE float* Compare(const CambiRun& run, float* to, int32_t* sums) {
    const int begin = std::max(run.begin - radius_, 0), end = std::min(run.end - radius_, columns_);
    const int value = run.value;
    if (begin >= end || value < comparisons_.first_compared || value > comparisons_.last_compared) return to;
    if (end - begin > kShortRun && IsAlone(value)) return to;
    const DF d;
    const int steps = kSteps > 0 ? kSteps : comparisons_.contrasts;
    const float* weights = &comparisons_.weights[static_cast<size_t>(value - comparisons_.first_compared) * steps];
    const uint16_t* own = CountsOf(value) + begin;
    for (int x = begin; x < end; x += LanesF(), own += LanesF()) {
      if constexpr (kSteps != kManySteps) {
        hn::StoreU(CompareVector(own, weights, steps), d, to + (x - begin));
      } else {
        const Fraction largest = FindLargest(own, weights, StepsNear(value, x / CambiPresence::kBlock));
        hn::StoreU(largest.product, d, to + (x - begin));
        hn::StoreU(hn::ConvertTo(DI(), largest.sum), DI(), sums + (x - begin));
      }
    }
    return to + (end - begin);
  }

  /// The contrasts of a run as heat; none: they are 0.
  void DrawHeat(const CambiRun& run, const float* from, const float* end, uint16_t* row) const {
    uint16_t* to = row + origin_ + std::max<int>(run.begin, radius_);
    for (; from < end; ++from) *to++ = static_cast<uint16_t>(cambi::heat_of(*from, heat_scale_));
  }

  /// Whether none of the values that it is compared with is there.
  bool IsAlone(int value) {
    int present = 0;
    for (int i = 1; i <= comparisons_.contrasts; ++i) present |= PresentOf(value + i) | PresentOf(value - i);
    return present == 0;
  }

  /// The contrasts of a vector of columns: cambi::value_contrast. The step of the largest weight comes first, as it
  /// often decides.
  HWY_INLINE VF CompareVector(const uint16_t* own_counts, const float* weights, int steps) const {
    const DF d;
    const VF own = Number(hn::LoadU(DHalf16(), own_counts));
    VF contrasts = hn::Zero(d), limit = hn::Zero(d);
    for (int step = steps; step > 0; --step) {
      const Fraction next = FractionOf(own_counts, own, weights, step);
      // The quotient cannot pass the contrast so far, even by the rounding of four operations and of the reciprocal.
      if (hn::AllFalse(d, hn::Gt(next.product, hn::Mul(limit, next.sum)))) continue;
      contrasts = hn::Max(contrasts, Quotient(next));
      limit = hn::Mul(contrasts, hn::Set(d, 1.0f - 0x1p-20f));
    }
    return contrasts;
  }

  /// A step's fraction, whose quotient is the contrast (cambi::value_contrast).
  HWY_INLINE Fraction FractionOf(const uint16_t* own_counts, VF own, const float* weights, int step) const {
    const DHalf16 d;
    const auto above = hn::LoadU(d, own_counts + step * kCambiCountStride);
    const auto below = hn::LoadU(d, own_counts - step * kCambiCountStride);
    const VF other = Number(hn::Max(above, below));
    return {hn::Mul(hn::Set(DF(), weights[step - 1]), hn::Mul(own, other)), hn::Add(own, other)};
  }

  /// Of a vector of columns the fractions of the largest contrasts, by the steps whose bits are set.
  HWY_INLINE Fraction FindLargest(const uint16_t* own_counts, const float* weights, uint32_t steps) const {
    const DF d;
    const VF own = Number(hn::LoadU(DHalf16(), own_counts));
    Fraction largest{hn::Zero(d), own};
    auto is_near = hn::Ne(own, own);
    ForEachStep(steps, [&](int step) HWY_ATTR {
      const Fraction next = FractionOf(own_counts, own, weights, step);
      const VF left = hn::Mul(next.product, largest.sum), right = hn::Mul(largest.product, next.sum);
      // Between contrasts so near each other the rounding of products and reciprocals decides.
      const auto within = hn::Le(hn::Abs(hn::Sub(left, right)), hn::Mul(right, hn::Set(d, 0x1p-20f)));
      is_near = hn::Or(is_near, hn::And(within, hn::Ne(next.sum, largest.sum)));
      largest = Larger(hn::Gt(left, right), next, largest);
    });
    return hn::AllFalse(d, is_near) ? largest : FindLargestExactly(own_counts, weights, steps);
  }

  HWY_NOINLINE Fraction FindLargestExactly(const uint16_t* own_counts, const float* weights, uint32_t steps) const {
    const VF own = Number(hn::LoadU(DHalf16(), own_counts));
    Fraction largest{hn::Zero(DF()), own};
    ForEachStep(steps, [&](int step) HWY_ATTR {
      const Fraction next = FractionOf(own_counts, own, weights, step);
      largest = Larger(hn::Gt(Quotient(next), Quotient(largest)), next, largest);
    });
    return largest;
  }

  template <class Use>
  static HWY_INLINE void ForEachStep(uint32_t steps, Use use) {
    while (steps != 0) {
      const int step = std::bit_width(steps);
      steps ^= uint32_t{1} << (step - 1);
      use(step);
    }
  }

  static HWY_INLINE VF Number(hn::Vec<DHalf16> counts) { return hn::ConvertTo(DF(), hn::PromoteTo(DI(), counts)); }

  static HWY_INLINE Fraction Larger(hn::Mask<DF> is_first, Fraction first, Fraction second) {
    return {hn::IfThenElse(is_first, first.product, second.product), hn::IfThenElse(is_first, first.sum, second.sum)};
  }

  HWY_INLINE VF Quotient(Fraction fraction) const {
    return hn::Mul(fraction.product, hn::GatherIndex(DF(), reciprocals_, hn::ConvertTo(DI(), fraction.sum)));
  }

  /// Products become contrasts. Loads one by one: processors gather no faster.
  HWY_INLINE void Divide(float* from, const float* end, const int32_t* sums) const {
    constexpr DF d;
    HWY_ALIGN float reciprocals[hn::MaxLanes(d)];
    for (; from < end; from += LanesF(), sums += LanesF()) {
      for (int i = 0; i < LanesF(); ++i) reciprocals[i] = reciprocals_[sums[i]];
      hn::StoreU(hn::Mul(hn::LoadU(d, from), hn::Load(d, reciprocals)), d, from);
    }
  }

  /// Leaves zeros for the next strip.
  void Clear() {
    if constexpr (kSteps == kManySteps) thread_.presence.Clear();
    for (size_t i = 0; i < thread_.present.size(); ++i) {
      if (thread_.present[i] == 0) continue;
      thread_.present[i] = 0;
      std::memset(thread_.counts.get() + i * kCambiCountStride, 0, kCambiCountStride * sizeof(uint16_t));
    }
  }

  const CambiComparisons& comparisons_;
  const CambiImage& image_;
  const MutablePicture* const heatmap_;
  const double heat_scale_;
  const int radius_;
  const int origin_;  // the picture's column that is column 0 of the strip and its halo
  const int columns_;
  CambiThread& thread_;
  const int short_vectors_;  // that a run of kShortRun reaches
  const float* const reciprocals_;
};

void ContrastRows(const CambiComparisons& comparisons, const CambiImage& image, const CambiPass& pass, RowBand band,
                  CambiThread& thread, CambiContrasts& contrasts, const MutablePicture* heatmap) {
  if (comparisons.last_counted < comparisons.first_counted) return;
  for (int strip = 0; strip < contrasts.strips; ++strip) {
    const int begin = strip * contrasts.strip_width, end = std::min(begin + contrasts.strip_width, image.width);
    const auto run = [&](auto steps) {
      StripCounter<steps()>(comparisons, image, pass, begin, end, thread, heatmap).Run(band, strip, contrasts);
    };
    if (comparisons.contrasts == 4) run(std::integral_constant<int, 4>());
    else if (comparisons.contrasts <= kMostOfSome) run(std::integral_constant<int, kSomeSteps>());
    else run(std::integral_constant<int, kManySteps>());
  }
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Prepare);
HWY_EXPORT(Halve);
HWY_EXPORT(InvalidSamples);
HWY_EXPORT(ContrastRows);

void CambiPrepare(const CambiSettings& settings, const CambiPass& pass, const CambiResampling& resampling,
                  const Plane& plane, RowBand band, CambiThread& thread, CambiImage& image) {
  HWY_DYNAMIC_DISPATCH(Prepare)(settings, pass, resampling, plane, band, thread, image);
}

int64_t CambiInvalidSamples(const Plane& plane, int bit_depth, RowBand band) {
  if (bit_depth == 8 || bit_depth == 16) return 0;
  return HWY_DYNAMIC_DISPATCH(InvalidSamples)(plane, bit_depth, band);
}

void CambiHalve(const CambiImage& from, RowBand band, CambiThread& thread, CambiImage& to) {
  HWY_DYNAMIC_DISPATCH(Halve)(from, band, thread, to);
}

void CambiContrastRows(const CambiComparisons& comparisons, const CambiImage& image, const CambiPass& pass,
                       RowBand band, CambiThread& thread, CambiContrasts& contrasts, const MutablePicture* heatmap) {
  HWY_DYNAMIC_DISPATCH(ContrastRows)(comparisons, image, pass, band, thread, contrasts, heatmap);
}

}  // namespace acutance
#endif  // HWY_ONCE
