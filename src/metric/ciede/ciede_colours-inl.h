// The colours of pixels, and their differences: a colour is kept for later pixels of the same
// samples. Included once per instruction set.
#if defined(ACUTANCE_CIEDE_COLOURS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_CIEDE_COLOURS_INL_H_
#undef ACUTANCE_CIEDE_COLOURS_INL_H_
#else
#define ACUTANCE_CIEDE_COLOURS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "metric/ciede/ciede.h"
#include "metric/ciede/ciede_difference-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

using Integers = hn::Vec<hn::RebindToSigned<DF>>;

/// Samples less `middle`.
HWY_INLINE Doubles Centred(Integers samples, int middle) {
  const hn::RebindToSigned<DF> d32;
  const hn::Half<decltype(d32)> half;
  const Integers centred = hn::Sub(samples, hn::Set(d32, middle));
  return {hn::PromoteTo(DD(), hn::LowerHalf(centred)), hn::PromoteTo(DD(), hn::UpperHalf(half, centred))};
}

/// Pixels whose colours are needed next.
struct NextColours {
  std::array<const uint16_t*, 3> samples{};
  int count = 0;
  alignas(64) std::array<uint32_t, CiedeColours::kChunk> keys{}, places{};  // up to 10 bits
};

class Colours {
 public:
  Colours(int bit_depth, CiedeColours& kept)
      : depth_(bit_depth), unit_(1 << (bit_depth - 8)), steps_(ciede::steps_of(unit_)), kept_(kept) {}

  /// Says which pixels come next: `count` of them, at most kChunk. Whole vectors are read and written.
  void Prepare(const CiedeSampleRows& samples, int first, int count, NextColours& next) const {
    for (int p = 0; p < 3; ++p) next.samples[p] = samples[p].data() + first;
    next.count = count;
    if (depth_ <= 10) MakeKeys(next);
  }

  /// Asks for what is kept for a vector of them: other work hides how long it takes.
  HWY_INLINE void Fetch(const NextColours& next, int first) const {
    if (depth_ > 10 || first >= next.count) return;
    for (int i = first; i < first + kLanes; ++i) {
      hwy::Prefetch(&kept_.keys[next.places[i]]);
      hwy::Prefetch(&kept_.colours[next.places[i]]);
    }
  }

  /// Their colours; whole vectors are written.
  void Find(const NextColours& next, CiedeColour* colours) {
    if (depth_ > 10) Compute(next.samples, next.count, colours);
    else FindKept(next, colours);
  }

 private:
  static constexpr int kLanes = hn::MaxLanes(DF());

  void Compute(const std::array<const uint16_t*, 3>& from, int count, CiedeColour* colours) const {
    const hn::Rebind<uint16_t, DF> d16;
    const hn::RebindToSigned<DF> d32;
    for (int i = 0; i < count; i += kLanes) {
      const auto load = [&](int p) HWY_ATTR { return hn::PromoteTo(d32, hn::LoadU(d16, from[p] + i)); };
      Store(load(0), load(1), load(2), colours + i);
    }
  }

  /// `keys` hold the samples in ten bits each.
  HWY_NOINLINE void Compute(const uint32_t* keys, int count, CiedeColour* colours) const {
    const hn::RebindToSigned<DF> d32;
    const hn::RebindToUnsigned<DF> du;
    const auto low = hn::Set(d32, 0x3ff);
    for (int i = 0; i < count; i += kLanes) {
      const Integers key = hn::BitCast(d32, hn::LoadU(du, keys + i));
      Store(hn::And(key, low), hn::And(hn::ShiftRight<10>(key), low), hn::And(hn::ShiftRight<20>(key), low),
            colours + i);
    }
  }

  HWY_INLINE void Store(Integers y, Integers cb, Integers cr, CiedeColour* colours) const {
    const Lab lab = LabOf({Centred(y, 16 * unit_), Centred(cb, 128 * unit_), Centred(cr, 128 * unit_)}, steps_);
    hn::StoreInterleaved4(lab.l, lab.a, lab.b, lab.chroma, DF(), colours->data());
  }

  /// No branch on whether a colour is kept, which goes like chance: all pixels take what lies in their place, and those
  /// for which it is another colour's are listed.
  HWY_NOINLINE void FindKept(const NextColours& next, CiedeColour* colours) {
    const auto& [samples, count, keys, places] = next;
    std::array<uint32_t, CiedeColours::kChunk> waiting;
    size_t waits = 0;
    for (int i = 0; i < count; ++i) {
      const uint32_t place = places[i];
      waiting[waits] = static_cast<uint32_t>(i);
      waits += size_t{kept_.keys[place] != keys[i]};
      colours[i] = kept_.colours[place];
    }
    if (waits == 0) return;

    // Neighbours often have one colour.
    std::array<uint32_t, CiedeColours::kChunk + kLanes> missing;
    std::array<uint32_t, CiedeColours::kChunk> numbers;
    uint32_t number = 0;
    missing[0] = keys[waiting[0]];
    for (size_t w = 0; w < waits; ++w) {
      const uint32_t key = keys[waiting[w]];
      number += uint32_t{missing[number] != key};
      missing[number] = key;
      numbers[w] = number;
    }
    const int found = static_cast<int>(number) + 1;
    std::fill_n(missing.begin() + found, kLanes, 0u);
    std::array<CiedeColour, CiedeColours::kChunk + kLanes> computed;
    Compute(missing.data(), found, computed.data());
    for (size_t w = 0; w < waits; ++w) {
      const uint32_t i = waiting[w], place = places[i];
      kept_.keys[place] = keys[i];
      kept_.colours[place] = colours[i] = computed[numbers[w]];
    }
  }

  HWY_NOINLINE void MakeKeys(NextColours& next) const {
    const hn::RebindToUnsigned<DF> d;
    const hn::Rebind<uint16_t, DF> d16;
    const auto depth = hn::Set(d, static_cast<uint32_t>(depth_ - 8) << 30);
    for (int i = 0; i < next.count; i += kLanes) {
      const auto load = [&](int p) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d16, next.samples[p] + i)); };
      const auto chroma = hn::Or(hn::ShiftLeft<10>(load(1)), hn::ShiftLeft<20>(load(2)));
      const auto key = hn::Or(hn::Or(load(0), depth), chroma);
      const auto group = hn::Mul(hn::ShiftRight<CiedeColours::kSideBits>(key), hn::Set(d, CiedeColours::kFactor));
      const auto side = hn::And(key, hn::Set(d, (1u << CiedeColours::kSideBits) - 1));
      const auto first = hn::ShiftLeft<CiedeColours::kSideBits>(hn::ShiftRight<CiedeColours::kGroupShift>(group));
      hn::Store(key, d, next.keys.data() + i);
      hn::Store(hn::Or(first, side), d, next.places.data() + i);
    }
  }

  const int depth_;
  const int unit_;
  const ciede::CiedeSteps steps_;
  CiedeColours& kept_;
};

/// The colour differences of `count` pixels, and their running sum; whole vectors are written.
inline double Differences(const std::array<CiedeSampleRows, 2>& samples, int bit_depth, int count, CiedeColours& kept,
                          float* differences) {
  alignas(64) Colours2 colours;
  std::array<NextColours, 2> next;
  Steps steps;
  Colours find(bit_depth, kept);
  const auto prepare = [&](int first) {
    for (int video = 0; video < 2; ++video)
      find.Prepare(samples[video], first, std::min(std::max(count - first, 0), kChunk), next[video]);
  };
  double sum = 0;
  prepare(0);
  for (int first = 0; first < count; first += kChunk) {
    const int part = next[0].count;
    for (int video = 0; video < 2; ++video) find.Find(next[video], colours[video].data());
    prepare(first + kChunk);
    MappedRange(colours, part, steps);
    FindHues(part, steps, [&](int video, int i) HWY_ATTR { find.Fetch(next[video], i); });
    sum = Combine(part, steps, sum, differences + first);
  }
  return sum;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_CIEDE_COLOURS_INL_H_
