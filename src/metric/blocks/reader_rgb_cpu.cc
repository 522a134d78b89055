// Each lane has a pixel; chroma is filtered in whole numbers before.
#include <algorithm>
#include <array>

#include "metric/blocks/reader_rgb.h"
#include "simd/aligned_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/blocks/reader_rgb_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/blocks/float_power-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using namespace float_vector;

constexpr int kPadding = 32;

/// Integers of a row: luma, and chroma as wide as luma.
struct Rows {
  std::array<AlignedArray<int32_t>, 3> samples;
  AlignedArray<int32_t> narrow;  // chroma, filtered down, with the samples at its edges twice

  void Fit(int width) {
    if (static_cast<int>(narrow.size()) >= width + 2 * kPadding) return;
    const auto count = static_cast<size_t>(width) + 2 * kPadding;
    for (auto& row : samples) row = AlignedArray<int32_t>(count);
    narrow = AlignedArray<int32_t>(count);
  }
};

template <class Sample>
void ReadLuma(const ReaderRgb& reader, const Plane& plane, int y, int32_t* HWY_RESTRICT to) {
  const Sample* from = plane.Row<Sample>(y);
  const int offset = reader.luma_offset, most = reader.most_luma;
  for (int x = 0; x < reader.source.width; ++x) to[x] = std::clamp(from[x] - offset, 0, most);
}

/// Chroma of a row, filtered down.
template <class Sample>
void ReadChroma(const ReaderRgb& reader, const Plane& plane, int y, int32_t* HWY_RESTRICT to) {
  const int offset = reader.chroma_offset, most = reader.most_chroma;
  const auto level = [&](Sample sample) { return std::clamp(sample - offset, -most, most); };
  const int near = reader.down ? y / 2 : y, far = near + (y % 2 != 0 ? 1 : -1);
  const Sample* row = plane.Row<Sample>(std::min(near, plane.height - 1));
  const Sample* beside = plane.Row<Sample>(std::clamp(far, 0, plane.height - 1));
  if (reader.down)
    for (int x = 0; x < plane.width; ++x) to[x] = 3 * level(row[x]) + level(beside[x]);
  else
    for (int x = 0; x < plane.width; ++x) to[x] = level(row[x]);
}

/// Twice as many samples, of a row whose `count` samples have room for one more at each end.
void Widen(int32_t* from, int count, int width, int32_t* HWY_RESTRICT to) {
  const DI d;
  from[-1] = from[0];
  std::fill_n(from + count, width / 2 + 2 - count, from[count - 1]);
  for (int i = 0; 2 * i < width; i += static_cast<int>(hn::Lanes(d))) {
    const VI centre = hn::LoadU(d, from + i), three = hn::Add(hn::Add(centre, centre), centre);
    hn::StoreInterleaved2(hn::Add(three, hn::LoadU(d, from + i - 1)), hn::Add(three, hn::LoadU(d, from + i + 1)), d,
                          to + 2 * i);
  }
}

template <class Sample>
void ReadRows(const ReaderRgb& reader, const Picture& source, int y, Rows& rows) {
  const int width = reader.source.width;
  ReadLuma<Sample>(reader, source.planes[0], y, rows.samples[0].data());
  for (int p = 1; p < 3; ++p) {
    const Plane plane = source.planes[p].Whole();
    int32_t* to = rows.samples[p].data();
    if (reader.source.PlaneCount() == 1) {
      std::fill_n(to, width, 0);
    } else if (!reader.across) {
      ReadChroma<Sample>(reader, plane, y, to);
    } else {
      ReadChroma<Sample>(reader, plane, y, rows.narrow.data() + 1);
      Widen(rows.narrow.data() + 1, plane.width, width, to);
    }
  }
}

void ReadRow(const ReaderRgb& reader, const Picture& source, int y, const std::array<float*, 3>& row) {
  static thread_local Rows rows;
  const int width = reader.source.width, lanes = static_cast<int>(hn::Lanes(DF()));
  rows.Fit(width);
  if (reader.source.bit_depth > 8) ReadRows<uint16_t>(reader, source, y, rows);
  else ReadRows<uint8_t>(reader, source, y, rows);
  for (int x = 0; x < width; x += lanes) {
    const auto level = [&](int p, float scale) {
      return hn::Mul(hn::ConvertTo(DF(), hn::LoadU(DI(), rows.samples[p].data() + x)), Number(scale));
    };
    const VF luma = level(0, reader.luma_scale), u = level(1, reader.chroma_scale), v = level(2, reader.chroma_scale);
    const VF colors[3] = {
        hn::Add(luma, hn::Mul(Number(reader.cr_red), v)),
        hn::Sub(hn::Sub(luma, hn::Mul(Number(reader.cb_green), u)), hn::Mul(Number(reader.cr_green), v)),
        hn::Add(luma, hn::Mul(Number(reader.cb_blue), u))};
    for (int c = 0; c < 3; ++c) {
      HWY_ALIGN float last[hn::MaxLanes(DF())];
      const VF color = reader.clips ? Clamp(colors[c], 0.0f, 1.0f) : colors[c];
      if (x + lanes <= width) {
        Store(color, row[c] + x);
      } else {
        Store(color, last);
        std::copy_n(last, width - x, row[c] + x);
      }
    }
  }
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(ReadRow);

void ReaderRgbRow(const ReaderRgb& reader, const Picture& source, int y, const std::array<float*, 3>& row) {
  HWY_DYNAMIC_DISPATCH(ReadRow)(reader, source, y, row);
}

}  // namespace acutance
#endif  // HWY_ONCE
