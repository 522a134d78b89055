// Where many do, pixels look up their difference among those known; of the others, each lane computes one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "metric/ciede/ciede.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ciede/ciede_cpu.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ciede/ciede_difference-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // a vector of one float holds no double; the plain loops are as good

double RowSum(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
              int y, CiedeBuffers&) {
  return CiedeRowRef(reference, distorted, bit_depth, chroma, y);
}

#else

using Integers = hn::Vec<hn::RebindToSigned<DF> >;

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

  /// Prefetches the cached colours of a vector of them: other work hides the latency.
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

  /// No branch on a cache hit, which is unpredictable: all pixels take what lies in their place, and the misses are
  /// listed.
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
    StretchA(colours, part, steps);
    FindHues(part, steps, [&](int video, int i) HWY_ATTR { find.Fetch(next[video], i); });
    sum = Combine(part, steps, sum, differences + first);
  }
  return sum;
}

template <class Sample>
void ReadLuma(const Plane& plane, int y, uint16_t* row) {
  std::copy_n(plane.Row<Sample>(y), plane.width, row);
}

/// Chroma of `width` pixels of row y.
template <class Sample>
void ReadChroma(const Plane& plane, const CiedeChroma& chroma, int y, int width, uint16_t* row) {
  if (chroma.format == PixelFormat::k444) return ReadLuma<Sample>(plane, y, row);
  if (chroma.format == PixelFormat::k420) {
    const Sample* from = plane.Row<Sample>(std::min(y / 2, plane.height - 1));
    for (int x = 0; x < plane.width; ++x) row[2 * x] = row[2 * x + 1] = from[x];
    if (width > 2 * plane.width) row[width - 1] = from[plane.width - 1];
    return;
  }
  for (int first = 0, down = 0; first < width; first += chroma.stride, ++down) {
    const Sample* from = plane.Row<Sample>(std::min(y / 2 + down, plane.height - 1));
    const int count = std::min(chroma.stride, width - first), real = std::min(count, plane.width);
    std::copy_n(from, real, row + first);
    std::fill_n(row + first + real, count - real, uint16_t{0});
  }
}

template <class Sample>
void ReadRows(const CiedePicture& picture, const CiedeChroma& chroma, int y, CiedeSampleRows& rows) {
  ReadLuma<Sample>(picture.planes[0], y, rows[0].data());
  for (int p = 1; p < 3; ++p) ReadChroma<Sample>(picture.planes[p], chroma, y, picture.planes[0].width, rows[p].data());
}

/// Puts the samples of each pixel side by side: Y and Cb of both pictures, and Cr.
void InterleaveSamples(int width, CiedeBuffers& buffers) {
  const hn::ScalableTag<uint16_t> d16;
  const auto& [r, d] = buffers.samples;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d16))) {
    const auto load = [&](const std::vector<uint16_t>& row) HWY_ATTR { return hn::LoadU(d16, row.data() + x); };
    hn::StoreInterleaved4(load(r[0]), load(d[0]), load(r[1]), load(d[1]), d16, buffers.luma_cb.data() + 4 * x);
    hn::StoreInterleaved2(load(r[2]), load(d[2]), d16, buffers.cr.data() + 2 * x);
  }
}

/// What a row has to add up, and what it lacks.
struct RowCounts {
  int pixels = 0;   // that differ
  int missing = 0;  // differences to compute
  int waiting = 0;  // pixels that wait for one
};

/// Looks up the differences of the pixels that differ; equal ones have a difference of 0.
class Lookup {
 public:
  Lookup(int bit_depth, CiedeBuffers& buffers) : depth_(static_cast<uint64_t>(bit_depth) << 32), b_(buffers) {}

  RowCounts Run(int width) {
    for (int x = 0; x < width; ++x) {
      uint64_t luma_cb;
      uint32_t cr;
      std::memcpy(&luma_cb, b_.luma_cb.data() + 4 * x, sizeof luma_cb);
      std::memcpy(&cr, b_.cr.data() + 2 * x, sizeof cr);
      if ((((luma_cb ^ luma_cb >> 16) & 0x0000ffff0000ffffu) | ((cr ^ cr >> 16) & 0xffffu)) == 0) continue;
      Find(x, luma_cb, cr | depth_);
    }
    return counts_;
  }

 private:
  void Find(int x, uint64_t luma_cb, uint64_t cr_depth) {
    const uint64_t hash = (luma_cb * 0x9e3779b97f4a7c15u) ^ (cr_depth * 0xc2b2ae3d27d4eb4fu);
    const int place = static_cast<int>(hash >> 40) & (CiedeBuffers::kKnown - 1);
    CiedeBuffers::Known& known = b_.known[place];
    if (known.luma_cb != luma_cb || known.cr_depth != cr_depth) {
      known = {luma_cb, cr_depth, 0.0f, counts_.missing};
      AddMissing(x, place);
    }
    if (known.missing >= 0) b_.waiting[counts_.waiting++] = {counts_.pixels, known.missing};
    b_.differences[counts_.pixels++] = known.difference;
  }

  void AddMissing(int x, int place) {
    for (int video = 0; video < 2; ++video)
      for (int p = 0; p < 3; ++p) b_.missing[video][p][counts_.missing] = b_.samples[video][p][x];
    b_.missing_known[counts_.missing++] = place;
  }

  const uint64_t depth_;
  CiedeBuffers& b_;
  RowCounts counts_;
};

/// Hands out the differences that were computed, and keeps those whose place no other pixel took.
void FillIn(const RowCounts& counts, CiedeBuffers& b) {
  for (int i = 0; i < counts.waiting; ++i)
    b.differences[b.waiting[i].pixel] = b.missing_differences[b.waiting[i].missing];
  for (int i = 0; i < counts.missing; ++i) {
    CiedeBuffers::Known& known = b.known[b.missing_known[i]];
    if (known.missing != i) continue;
    known.difference = b.missing_differences[i];
    known.missing = -1;
  }
}

/// The running sum of a row's differences, which come from known ones where they can.
double LookUpDifferences(int width, int bit_depth, CiedeBuffers& buffers) {
  InterleaveSamples(width, buffers);
  const RowCounts counts = Lookup(bit_depth, buffers).Run(width);
  Differences(buffers.missing, bit_depth, counts.missing, buffers.colours, buffers.missing_differences.data());
  FillIn(counts, buffers);
  if (2 * counts.missing > counts.pixels) buffers.rows_without_lookup = CiedeBuffers::kRowsWithoutLookup;
  double sum = 0;
  for (int i = 0; i < counts.pixels; ++i) sum += static_cast<double>(buffers.differences[i]);
  return sum;
}

double RowSum(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
              int y, CiedeBuffers& buffers) {
  const auto read = bit_depth > 8 ? ReadRows<uint16_t> : ReadRows<uint8_t>;
  read(reference, chroma, y, buffers.samples[0]);
  read(distorted, chroma, y, buffers.samples[1]);
  const int width = reference.planes[0].width;
  if (buffers.rows_without_lookup == 0) return LookUpDifferences(width, bit_depth, buffers);
  --buffers.rows_without_lookup;
  return Differences(buffers.samples, bit_depth, width, buffers.colours, buffers.differences.data());
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RowSum);

double CiedeRow(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
                int y, CiedeBuffers& buffers) {
  return HWY_DYNAMIC_DISPATCH(RowSum)(reference, distorted, bit_depth, chroma, y, buffers);
}

}  // namespace acutance
#endif  // HWY_ONCE
