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

class Colours {
 public:
  Colours(int bit_depth, CiedeColours& kept)
      : depth_(bit_depth), unit_(1 << (bit_depth - 8)), steps_(ciede::steps_of(unit_)), kept_(kept) {}

  /// Of `count` pixels, at most kChunk; whole vectors are read and written.
  void Find(const CiedeSampleRows& samples, int first, int count, CiedeColour* colours) {
    const std::array<const uint16_t*, 3> from = {samples[0].data() + first, samples[1].data() + first,
                                                 samples[2].data() + first};
    if (depth_ > 10) Compute(from, count, colours);
    else FindKept(from, count, colours);
  }

 private:
  static constexpr int kLanes = hn::MaxLanes(DF());
  static constexpr int kAhead = 32;  // places whose slots are fetched before they are needed

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

  HWY_NOINLINE void FindKept(const std::array<const uint16_t*, 3>& from, int count, CiedeColour* colours) {
    std::array<uint32_t, CiedeColours::kChunk> keys, places;
    std::array<uint32_t, CiedeColours::kChunk + kAhead> slots;
    std::array<uint32_t, CiedeColours::kChunk + kLanes> missing;
    const uint32_t depth = static_cast<uint32_t>(depth_ - 8) << 30;
    for (int i = 0; i < count; ++i) {
      keys[i] = from[0][i] | uint32_t{from[1][i]} << 10 | uint32_t{from[2][i]} << 20 | depth;
      slots[i] = CiedeColours::SlotOf(keys[i]);
    }
    std::fill_n(slots.begin() + count, kAhead, 0u);

    // No branch: whether a colour is kept goes like chance. Slot 0 takes what changes nothing, so that no
    // pixel waits for the store of one before.
    const uint32_t first = kept_.MakeRoom();
    uint32_t next = first;
    for (int i = 0; i < count; ++i) {
      hwy::Prefetch(&kept_.slots[slots[i + kAhead]]);
      const uint64_t slot = kept_.slots[slots[i]];
      const uint32_t kept_number = static_cast<uint32_t>(slot);
      const auto age = static_cast<int32_t>(first - kept_number);  // negative: from this call
      const uint32_t is_new = uint32_t{slot >> 32 != keys[i]} | uint32_t{age >= CiedeColours::kAge};
      const uint32_t number = kept_number + ((next - kept_number) & (0 - is_new));
      kept_.slots[slots[i] & (0 - is_new)] = uint64_t{keys[i]} << 32 | number;
      places[i] = number % CiedeColours::kKept;
      hwy::Prefetch(&kept_.colours[places[i]]);
      missing[next - first] = keys[i];
      next += is_new;
    }
    const int missed = static_cast<int>(next - first);
    std::fill_n(missing.begin() + missed, kLanes, 0u);
    Compute(missing.data(), missed, kept_.colours.data() + first % CiedeColours::kKept);
    kept_.next = next;
    for (int i = 0; i < count; ++i) colours[i] = kept_.colours[places[i]];
  }

  const int depth_;
  const int unit_;
  const ciede::CiedeSteps steps_;
  CiedeColours& kept_;
};

/// The colour differences of `count` pixels; whole vectors are written.
inline void Differences(const std::array<CiedeSampleRows, 2>& samples, int bit_depth, int count, CiedeColours& kept,
                        float* differences) {
  alignas(64) Colours2 colours;
  Steps steps;
  for (int first = 0; first < count; first += kChunk) {
    const int part = std::min(count - first, kChunk);
    for (int video = 0; video < 2; ++video)
      Colours(bit_depth, kept).Find(samples[video], first, part, colours[video].data());
    Stretch(colours, part, steps);
    FindHues(part, steps);
    Combine(part, steps, differences + first);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_CIEDE_COLOURS_INL_H_
