// From a picture to the words of its first scale, and from one scale to the next. Included once per instruction set.
#if defined(ACUTANCE_CAMBI_PREPARE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_CAMBI_PREPARE_INL_H_
#undef ACUTANCE_CAMBI_PREPARE_INL_H_
#else
#define ACUTANCE_CAMBI_PREPARE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "metric/cambi/cambi_frame.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::CappedTag<uint16_t, kCambiMaxLanes>;
using V16 = hn::Vec<D16>;
using D8 = hn::CappedTag<int8_t, 2 * kCambiMaxLanes>;

inline int Lanes16() { return static_cast<int>(hn::Lanes(D16())); }
inline int Lanes8() { return static_cast<int>(hn::Lanes(D8())); }

/// cambi::mode_of in each lane.
HWY_INLINE V16 ModeOf(V16 a, V16 b, V16 c) {
  const V16 smallest = hn::Min(a, hn::Min(b, c));
  const V16 b_or_smallest = hn::IfThenElse(hn::Eq(b, c), b, smallest);
  return hn::IfThenElse(hn::Or(hn::Eq(a, b), hn::Eq(a, c)), a, b_or_smallest);
}

/// The modes along a row. `row` has room for a vector before and after it.
HWY_INLINE void ModesAlong(const uint16_t* row, int width, uint16_t* modes) {
  const D16 d;
  for (int x = 0; x < width; x += Lanes16())
    hn::StoreU(ModeOf(hn::LoadU(d, row + x - 1), hn::LoadU(d, row + x), hn::LoadU(d, row + x + 1)), d, modes + x);
  modes[0] = row[0];
  modes[width - 1] = row[width - 1];
}

/// Samples of a row as 10-bit codes; those above the bit depth become its largest.
template <class Sample>
HWY_INLINE void ConvertRow(const Sample* samples, int width, int bit_depth, uint16_t* codes) {
  const D16 d;
  const hn::Rebind<Sample, D16> ds;
  const V16 largest = hn::Set(d, static_cast<uint16_t>((1 << bit_depth) - 1));
  const int left = std::max(10 - bit_depth, 0), right = std::max(bit_depth - 10, 0);
  const V16 one = hn::Set(d, static_cast<uint16_t>(right > 0 ? 1 : 0));
  const auto convert = [&](hn::Vec<decltype(ds)> loaded) HWY_ATTR {
    V16 v;
    if constexpr (sizeof(Sample) == 1) v = hn::PromoteTo(d, loaded);
    else v = hn::Min(loaded, largest);
    if (left > 0) return hn::ShiftLeftSame(v, left);
    // (v + 2^(right - 1)) >> right, without a carry out of 16 bits
    const V16 round = hn::And(hn::ShiftRightSame(v, std::max(right - 1, 0)), one);
    return hn::Add(hn::ShiftRightSame(v, right), round);
  };
  int x = 0;
  for (; x + Lanes16() <= width; x += Lanes16()) hn::StoreU(convert(hn::LoadU(ds, samples + x)), d, codes + x);
  for (; x < width; ++x)
    codes[x] = static_cast<uint16_t>(cambi::ten_bit_code(std::min<int>(samples[x], (1 << bit_depth) - 1), bit_depth));
}

/// Makes rows of words from a picture in one walk down, with a few rows of each step at hand.
class RowPreparer {
 public:
  RowPreparer(const CambiSettings& settings, const CambiPass& pass, const CambiResampling& resampling,
              const Plane& plane, CambiThread& thread)
      : settings_(settings), pass_(pass), resampling_(resampling), plane_(plane), thread_(thread) {}

  void Run(RowBand band, CambiImage& image) {
    const int first = std::max(band.begin - kReach, 0), end = std::min(band.end + kReach, pass_.height);
    std::fill_n(thread_.flat_columns.get() - kReach, pass_.width + 2 * kReach, int8_t{0});
    for (CambiRow<int8_t>& flat : thread_.flat) std::fill_n(flat.get(), pass_.width, int8_t{0});
    if (settings_.filter_dither) MakeCodes(first, thread_.codes[first % 2].get());
    MakeImage(first);
    for (int y = first; y < end + kReach; ++y) {
      if (y + 1 < pass_.height) MakeImage(y + 1);
      if (y < pass_.height) FindFlat(y);
      else std::fill_n(FlatRow(y), pass_.width, int8_t{0});
      MoveColumns(FlatRow(y), FlatRow(y + CambiThread::kRing - 2 * kReach - 1));
      const bool is_read = !settings_.half_size || (y - kReach) % 2 == 0;
      if (y - kReach >= band.begin && is_read) {
        MakeMasks(image.Counted(y - kReach));
        WriteWords(y - kReach, image.Row(y - kReach));
      }
      if (y - kReach + 1 >= band.end) break;
    }
  }

 private:
  static constexpr int kReach = 3;  // of the mask

  uint16_t* ImageRow(int y) { return thread_.images[y % CambiThread::kRing].get(); }
  int8_t* FlatRow(int y) { return thread_.flat[y % CambiThread::kRing].get(); }

  /// The codes of a row, its last one repeated.
  void MakeCodes(int y, uint16_t* codes) {
    const int depth = settings_.format.bit_depth;
    if (!resampling_.columns.empty()) ConvertRow(Resampled(y), pass_.width, depth, codes);
    else if (depth == 8) ConvertRow(plane_.Row<uint8_t>(y), pass_.width, depth, codes);
    else ConvertRow(plane_.Row<uint16_t>(y), pass_.width, depth, codes);
    codes[pass_.width] = codes[pass_.width - 1];
  }

  const uint16_t* Resampled(int y) {
    uint16_t* samples = thread_.samples.get();
    const int row = resampling_.rows[y];
    const bool is_byte = settings_.format.bit_depth == 8;
    for (int x = 0; x < pass_.width; ++x)
      samples[x] = is_byte ? plane_.Row<uint8_t>(row)[resampling_.columns[x]]
                           : plane_.Row<uint16_t>(row)[resampling_.columns[x]];
    return samples;
  }

  /// Row y of the picture that is scored. At the edges the filter against dither takes the mean of two pixels, which
  /// is that of four with those repeated.
  void MakeImage(int y) {
    uint16_t* image = ImageRow(y);
    if (settings_.filter_dither) {
      const uint16_t* upper = thread_.codes[y % 2].get();
      uint16_t* lower = thread_.codes[(y + 1) % 2].get();
      if (y + 1 < pass_.height) MakeCodes(y + 1, lower);
      FilterDither(upper, y + 1 < pass_.height ? lower : upper, image);
    } else {
      MakeCodes(y, image);
    }
    image[pass_.width] = image[pass_.width - 1];
  }

  void FilterDither(const uint16_t* upper, const uint16_t* lower, uint16_t* to) {
    const D16 d;
    for (int x = 0; x < pass_.width; x += Lanes16()) {
      const V16 sum = hn::Add(hn::Add(hn::LoadU(d, upper + x), hn::LoadU(d, upper + x + 1)),
                              hn::Add(hn::LoadU(d, lower + x), hn::LoadU(d, lower + x + 1)));
      hn::StoreU(hn::ShiftRight<2>(sum), d, to + x);
    }
  }

  /// -1 for pixels of row y that are like the one on the right and the one below.
  void FindFlat(int y) {
    const D16 d;
    const hn::RebindToSigned<D16> di;
    const hn::Rebind<int8_t, D16> d8;
    const uint16_t* row = ImageRow(y);
    const uint16_t* below = y + 1 < pass_.height ? ImageRow(y + 1) : row;
    int8_t* flat = FlatRow(y);
    for (int x = 0, width = pass_.width; x < width; x += Lanes16()) {
      const V16 own = hn::LoadU(d, row + x);
      const auto is_flat = hn::And(hn::Eq(own, hn::LoadU(d, row + x + 1)), hn::Eq(own, hn::LoadU(d, below + x)));
      hn::StoreU(hn::DemoteTo(d8, hn::BitCast(di, hn::VecFromMask(d, is_flat))), d8, flat + x);
    }
  }

  /// Moves the sums of 7 rows of flat pixels down by one row.
  void MoveColumns(const int8_t* entering, const int8_t* leaving) {
    const D8 d;
    int8_t* columns = thread_.flat_columns.get();
    for (int x = 0, width = pass_.width; x < width; x += Lanes8()) {
      const auto change = hn::Sub(hn::LoadU(d, leaving + x), hn::LoadU(d, entering + x));
      hn::StoreU(hn::Add(hn::LoadU(d, columns + x), change), d, columns + x);
    }
    std::fill_n(columns + pass_.width, kReach, int8_t{0});  // vectors reached beyond the picture
  }

  /// -1 for pixels whose mask is 1, from the sums of 7 columns, and which blocks have such pixels.
  void MakeMasks(uint8_t* counted) {
    const D8 d;
    const int8_t* columns = thread_.flat_columns.get();
    int8_t* masks = thread_.masks.get();
    const auto minimum = hn::Set(d, static_cast<int8_t>(pass_.mask_minimum));
    std::fill_n(counted, CambiImage::Blocks(pass_.width), uint8_t{0});
    for (int x = 0, width = pass_.width; x < width; x += Lanes8()) {
      const auto at = [&](int i) HWY_ATTR { return hn::LoadU(d, columns + x + i); };
      const auto left = hn::Add(hn::Add(at(-3), at(-2)), at(-1)), right = hn::Add(hn::Add(at(3), at(2)), at(1));
      const auto is_counted = hn::Gt(hn::Add(hn::Add(left, at(0)), right), minimum);
      hn::StoreU(hn::VecFromMask(d, is_counted), d, masks + x);
      counted[x / CambiImage::kBlock] |= !hn::AllFalse(d, is_counted);
    }
  }

  /// Row y with its mask, and its modes unless the picture is halved first. Then no odd row is read.
  void WriteWords(int y, uint16_t* words) {
    const bool has_modes = !settings_.half_size && y > 0 && y + 1 < pass_.height;
    if (!has_modes) return WriteMasked(ImageRow(y), words);
    if (modes_end_ < y - 1) modes_end_ = y - 1;
    for (; modes_end_ <= y + 1; ++modes_end_)
      ModesAlong(ImageRow(modes_end_), pass_.width, thread_.modes[modes_end_ % 3].get());
    WriteMasked(thread_.modes[(y + 2) % 3].get(), thread_.modes[y % 3].get(), thread_.modes[(y + 1) % 3].get(), words);
  }

  /// The mode of three rows, with its mask.
  void WriteMasked(const uint16_t* above, const uint16_t* row, const uint16_t* below, uint16_t* words) {
    const D16 d;
    for (int x = 0; x < pass_.width; x += Lanes16()) {
      const V16 mode = ModeOf(hn::LoadU(d, above + x), hn::LoadU(d, row + x), hn::LoadU(d, below + x));
      hn::StoreU(hn::Or(mode, MaskAt(x)), d, words + x);
    }
  }

  void WriteMasked(const uint16_t* row, uint16_t* words) {
    const D16 d;
    for (int x = 0; x < pass_.width; x += Lanes16()) hn::StoreU(hn::Or(hn::LoadU(d, row + x), MaskAt(x)), d, words + x);
  }

  /// The mask of a vector of pixels.
  HWY_INLINE V16 MaskAt(int x) const {
    const D16 d;
    const auto masks = hn::LoadU(hn::Rebind<int8_t, D16>(), thread_.masks.get() + x);
    return hn::And(hn::BitCast(d, hn::PromoteTo(hn::RebindToSigned<D16>(), masks)), hn::Set(d, kCambiCounts));
  }

  const CambiSettings& settings_;
  const CambiPass& pass_;
  const CambiResampling& resampling_;
  const Plane& plane_;
  CambiThread& thread_;
  int modes_end_ = 0;  // rows of modes along rows are made up to here
};

void Prepare(const CambiSettings& settings, const CambiPass& pass, const CambiResampling& resampling,
             const Plane& plane, RowBand band, CambiThread& thread, CambiImage& image) {
  RowPreparer(settings, pass, resampling, plane, thread).Run(band, image);
}

int64_t InvalidSamples(const Plane& plane, int bit_depth, RowBand band) {
  const D16 d;
  const V16 largest = hn::Set(d, static_cast<uint16_t>((1 << bit_depth) - 1));
  int64_t invalid = 0;
  for (int y = band.begin; y < band.end; ++y) {
    const uint16_t* row = plane.Row<uint16_t>(y);
    int x = 0;
    for (; x + Lanes16() <= plane.width; x += Lanes16())
      invalid += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(hn::LoadU(d, row + x), largest)));
    for (; x < plane.width; ++x) invalid += row[x] >> bit_depth != 0;
  }
  return invalid;
}

/// Every second word, without its mask. Reads a vector beyond the row's end.
HWY_INLINE void HalveRow(const uint16_t* from, int width, uint16_t* to) {
  const D16 d;
  const V16 code = hn::Set(d, static_cast<uint16_t>(~kCambiCounts));
  for (int x = 0; x < width; x += Lanes16()) {
    V16 even, odd;
    hn::LoadInterleaved2(d, from + 2 * x, even, odd);
    hn::StoreU(hn::And(even, code), d, to + x);
  }
}

void Halve(const CambiImage& from, RowBand band, CambiThread& thread, CambiImage& to) {
  if (band.begin == band.end) return;
  const D16 d;
  const V16 counts = hn::Set(d, kCambiCounts);
  const int first = std::max(band.begin - 1, 0), last = std::min(band.end, to.height - 1);
  for (int y = first, next = first; y < band.end; ++y) {
    for (; next <= std::min(y + 1, last); ++next) {
      uint16_t* row = thread.images[next % 3].get();
      HalveRow(from.Row(2 * next), to.width, row);
      ModesAlong(row, to.width, thread.modes[next % 3].get());
    }
    if (y < band.begin) continue;
    const bool is_edge = y == 0 || y + 1 == to.height;
    uint16_t* rows[3];
    for (int i = 0; i < 3; ++i) rows[i] = is_edge ? thread.images[y % 3].get() : thread.modes[(y + 2 + i) % 3].get();
    for (int block = 0; block < CambiImage::Blocks(to.width); ++block)
      to.Counted(y)[block] = from.Counted(2 * y)[2 * block] | from.Counted(2 * y)[2 * block + 1];
    const uint16_t* masks = from.Row(2 * y);
    uint16_t* words = to.Row(y);
    for (int x = 0; x < to.width; x += Lanes16()) {
      const V16 mode = ModeOf(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[1] + x), hn::LoadU(d, rows[2] + x));
      V16 even, odd;
      hn::LoadInterleaved2(d, masks + 2 * x, even, odd);
      hn::StoreU(hn::Or(mode, hn::And(even, counts)), d, words + x);
    }
  }
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_CAMBI_PREPARE_INL_H_
