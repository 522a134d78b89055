// Each lane has a pixel; chroma is filtered in whole numbers before.
#include <algorithm>
#include <vector>

#include "metric/cvvdp/cvvdp_input.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/cvvdp/cvvdp_input_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/cvvdp/cvvdp_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using namespace cvvdp_vector;

constexpr int kPadding = 32;

/// Integers of a row: luma, and chroma as wide as luma.
struct Rows {
  std::array<std::vector<int32_t>, 3> samples;
  std::vector<int32_t> narrow;  // chroma, filtered down, with the samples at its edges twice

  void Fit(int width) {
    if (static_cast<int>(narrow.size()) >= width + 2 * kPadding) return;
    for (auto& row : samples) row.resize(width + 2 * kPadding);
    narrow.resize(width + 2 * kPadding);
  }
};

template <class Sample>
void ReadLuma(const CvvdpReader& reader, const Plane& plane, int y, int32_t* HWY_RESTRICT to) {
  const Sample* from = plane.Row<Sample>(y);
  const int offset = reader.luma_offset, most = reader.most_luma;
  for (int x = 0; x < reader.source.width; ++x) to[x] = std::clamp(from[x] - offset, 0, most);
}

/// Chroma of a row, filtered down.
template <class Sample>
void ReadChroma(const CvvdpReader& reader, const Plane& plane, int y, int32_t* HWY_RESTRICT to) {
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
void ReadRows(const CvvdpReader& reader, const Picture& source, int y, Rows& rows) {
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

void ReadRow(const CvvdpReader& reader, const Picture& source, int y, const std::array<float*, 3>& row) {
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

HWY_INLINE VF Curve(const CvvdpLight& light, VF value) {
  const VF v = hn::Mul(Clamp(value, 0.0f, 1.0f), Number(static_cast<float>(light.intervals)));
  return Between(light.nodes.data(), PlaceOf(v, light.intervals - 1));
}

HWY_INLINE void ShowHlg(const CvvdpLight& light, VF (&color)[3]) {
  const VF luminance = Channel(color[0], color[1], color[2], 0.2627f, 0.6780f, 0.0593f), least = Number(0x1p-60f);
  const Many<1> power = Power(
      Many<1>{{hn::Max(luminance, least)}}, [&](int) -> const auto& { return light.gamma; });
  const VF factor = hn::IfThenZeroElse(hn::Lt(luminance, least), power[0]);
  for (VF& value : color) {
    value = hn::Mul(factor, value);
    if (light.is_exposed) value = Clamp(hn::Mul(value, Number(light.exposure)), 0.0f, 1.0f);
    value = hn::Add(hn::Mul(value, Number(light.range)), Number(light.black));
  }
}

void ChannelRow(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  const int lanes = static_cast<int>(hn::Lanes(DF()));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    VF color[3];
    for (int c = 0; c < 3; ++c) {
      const VF value = Load(row[c] + x);
      if (light.curve != CvvdpDisplay::Curve::kLinear) color[c] = Curve(light, value);
      else
        color[c] = hn::Add(Clamp(hn::Mul(value, Number(light.exposure)), light.least, light.most), Number(light.added));
    }
    if (light.curve == CvvdpDisplay::Curve::kHlg) ShowHlg(light, color);
    for (int c = 0; c < 3; ++c) {
      const auto [of_red, of_green, of_blue] = light.to_channels[c];
      Store(Channel(color[0], color[1], color[2], of_red, of_green, of_blue), row[c] + x);
    }
  }
  CvvdpChannelRowRef(light, width - x, {row[0] + x, row[1] + x, row[2] + x});
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(ReadRow);
HWY_EXPORT(ChannelRow);

void CvvdpReadRow(const CvvdpReader& reader, const Picture& source, int y, const std::array<float*, 3>& row) {
  HWY_DYNAMIC_DISPATCH(ReadRow)(reader, source, y, row);
}

void CvvdpChannelRow(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  HWY_DYNAMIC_DISPATCH(ChannelRow)(light, width, row);
}

}  // namespace acutance
#endif  // HWY_ONCE
