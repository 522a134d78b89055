// Where many do, pixels look up their difference among those known; of the others, each lane
// computes one.
#include <algorithm>
#include <cstring>

#include "metric/ciede/ciede.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ciede/ciede_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ciede/ciede_colours-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // a vector of one float holds no double; the plain loops are as good

double RowSum(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
              int y, CiedeBuffers&) {
  return CiedeRowRef(reference, distorted, bit_depth, chroma, y);
}

#else

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
}  // namespace HWY_NAMESPACE
}  // namespace acutance
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
