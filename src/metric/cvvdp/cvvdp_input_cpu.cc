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
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

using namespace cvvdp_vector;

constexpr int kPadding = 32;

/// Integers of a row: luma, and chroma as wide as luma.
struct Rows {
  std::array<std::vector<int32_t>, 3> samples;
  std::vector<int32_t> narrow;  // chroma, filtered down

  void Fit(int width) {
    if (static_cast<int>(narrow.size()) >= width + kPadding) return;
    for (auto& row : samples) row.resize(width + kPadding);
    narrow.resize(width + kPadding);
  }
};

template <class Sample>
void ReadLuma(const CvvdpReader& reader, const Plane& plane, int y, int32_t* to) {
  const Sample* from = plane.Row<Sample>(y);
  for (int x = 0; x < reader.source.width; ++x) to[x] = std::clamp(from[x] - reader.luma_offset, 0, reader.most_luma);
}

template <class Sample>
void ReadChroma(const CvvdpReader& reader, const Plane& plane, int y, int32_t* narrow, int32_t* to) {
  const auto level = [&](Sample sample) {
    return std::clamp(sample - reader.chroma_offset, -reader.most_chroma, reader.most_chroma);
  };
  const int near = reader.down ? y / 2 : y, far = reader.down ? near + (y % 2 != 0 ? 1 : -1) : y;
  const Sample* rows[2] = {plane.Row<Sample>(std::clamp(near, 0, plane.height - 1)),
                           plane.Row<Sample>(std::clamp(far, 0, plane.height - 1))};
  int32_t* down = reader.across ? narrow : to;
  if (reader.down)
    for (int x = 0; x < plane.width; ++x) down[x] = 3 * level(rows[0][x]) + level(rows[1][x]);
  else
    for (int x = 0; x < plane.width; ++x) down[x] = level(rows[0][x]);
  if (!reader.across) return;
  const int width = reader.source.width, last = plane.width - 1;
  to[0] = 4 * narrow[0];
  for (int i = 0; i < std::min(last, (width - 1) / 2); ++i) {
    to[2 * i + 1] = 3 * narrow[i] + narrow[i + 1];
    to[2 * i + 2] = 3 * narrow[i + 1] + narrow[i];
  }
  for (int x = 2 * std::min(last, (width - 1) / 2) + 1; x < width; ++x) {
    const int near_column = std::min(x / 2, last), far_column = std::min(x / 2 + (x % 2 != 0 ? 1 : -1), last);
    to[x] = 3 * narrow[near_column] + narrow[far_column];
  }
}

template <class Sample>
void ReadRows(const CvvdpReader& reader, const Picture& source, int y, Rows& rows) {
  ReadLuma<Sample>(reader, source.planes[0], y, rows.samples[0].data());
  for (int p = 1; p < 3; ++p)
    if (reader.source.PlaneCount() > 1)
      ReadChroma<Sample>(reader, source.planes[p], y, rows.narrow.data(), rows.samples[p].data());
    else std::fill_n(rows.samples[p].data(), reader.source.width, 0);
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
      const VF color = Clamp(colors[c], 0.0f, 1.0f);
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
  const VF factor = hn::IfThenZeroElse(hn::Lt(luminance, least), Pow(hn::Max(luminance, least), light.gamma));
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
}  // namespace HWY_NAMESPACE
}  // namespace acutance
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
