#include "metric/cvvdp/cvvdp_input.h"

#include <algorithm>

namespace acutance {
namespace {

using namespace cvvdp;

constexpr int kIntervals = 4096, kPqIntervals = 16384;

std::string MakeKey(const CvvdpConversion& conversion, const CvvdpDisplay& display) {
  std::string key = conversion.is_common ? LinearRgbInput(conversion.common).key()
                                         : fmt::format("reader's RGB {}", conversion.reads_bt2020 ? "bt2020" : "bt709");
  key += conversion.resizing.key();
  key += fmt::format(" on a display {} {} {} {} {} {} {}", static_cast<int>(display.curve), display.power, display.peak,
                     display.black, display.reflected, display.ambient, display.exposure);
  for (const auto& row : display.to_xyz) key += fmt::format(" {} {} {}", row[0], row[1], row[2]);
  return key;
}

int SampleAt(const Plane& plane, int bit_depth, int x, int y) {
  x = std::clamp(x, 0, plane.width - 1);
  y = std::clamp(y, 0, plane.height - 1);
  return bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
}

/// The second chroma sample of a doubled position; the first is position / 2.
int Beside(int position) { return position / 2 + (position % 2 != 0 ? 1 : -1); }

int ChromaAt(const CvvdpReader& reader, const Plane& plane, int x, int y) {
  const auto at = [&](int column, int row) {
    const int sample = SampleAt(plane, reader.source.bit_depth, column, row) - reader.chroma_offset;
    return std::clamp(sample, -reader.most_chroma, reader.most_chroma);
  };
  const auto across = [&](int row) { return reader.across ? 3 * at(x / 2, row) + at(Beside(x), row) : at(x, row); };
  return reader.down ? 3 * across(y / 2) + across(Beside(y)) : across(y);
}

float Clipped(float v) { return cvvdp_clamp(v, 0.0f, 1.0f); }

float CurveAt(const CvvdpLight& light, float value) {
  const float v = Clipped(value) * static_cast<float>(light.intervals);
  const int i = std::min(static_cast<int>(v), light.intervals - 1);
  return cvvdp_between(light.nodes[i], light.nodes[i + 1], v - static_cast<float>(i));
}

float LinearLight(const CvvdpLight& light, float value) {
  return cvvdp_clamp(value * light.exposure, light.least, light.most) + light.added;
}

/// From the scene's light to the display's.
std::array<float, 3> HlgLight(const CvvdpLight& light, const std::array<float, 3>& scene) {
  constexpr float kLeast = 0x1p-60f;
  const float luminance = cvvdp_channel(scene[0], scene[1], scene[2], 0.2627f, 0.6780f, 0.0593f);
  const float factor = luminance < kLeast ? 0.0f : float_power(luminance, light.gamma);
  std::array<float, 3> shown;
  for (int c = 0; c < 3; ++c) {
    float value = factor * scene[c];
    if (light.is_exposed) value = Clipped(value * light.exposure);
    shown[c] = value * light.range + light.black;
  }
  return shown;
}

}  // namespace

CvvdpLight::CvvdpLight(const CvvdpDisplay& display)
    : curve(display.curve),
      exposure(static_cast<float>(display.exposure)),
      least(static_cast<float>(std::max(0.005, display.black))),
      most(static_cast<float>(display.peak)),
      added(static_cast<float>(display.reflected)),
      is_exposed(display.exposure != 1),
      gamma(float_exponent(curve == CvvdpDisplay::Curve::kHlg ? static_cast<float>(display.SystemGamma() - 1) : 1.0f)),
      range(static_cast<float>(display.peak - display.black)),
      black(static_cast<float>(display.black + display.reflected)) {
  const Matrix3 matrix = display.ToChannels();
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) to_channels[c][i] = static_cast<float>(matrix[c][i]);
  if (curve == CvvdpDisplay::Curve::kLinear) return;
  intervals = curve == CvvdpDisplay::Curve::kPq ? kPqIntervals : kIntervals;
  for (int i = 0; i <= intervals; ++i)
    nodes.push_back(static_cast<float>(display.Light(static_cast<double>(i) / intervals)));
}

CvvdpReader::CvvdpReader(const PictureFormat& format, bool is_bt2020, bool clips_colors)
    : source(format),
      clips(clips_colors),
      across(format.pixel_format == PixelFormat::k420 || format.pixel_format == PixelFormat::k422),
      down(format.pixel_format == PixelFormat::k420) {
  const int unit = 1 << (format.bit_depth - 8), scale = (across ? 4 : 1) * (down ? 4 : 1);
  luma_offset = 16 * unit;
  most_luma = 219 * unit;
  chroma_offset = 128 * unit;
  most_chroma = 112 * unit;
  luma_scale = static_cast<float>(1.0 / most_luma);
  chroma_scale = static_cast<float>(1.0 / (2.0 * most_chroma * scale));
  cr_red = is_bt2020 ? 1.4746f : 1.5748f;
  cb_green = is_bt2020 ? 0.16455f : 0.1873f;
  cr_green = is_bt2020 ? 0.57135f : 0.4681f;
  cb_blue = is_bt2020 ? 1.8814f : 1.8556f;
}

void CvvdpReadRowRef(const CvvdpReader& reader, const Picture& source, int y, const std::array<float*, 3>& row) {
  const bool has_chroma = reader.source.PlaneCount() > 1;
  for (int x = 0; x < reader.source.width; ++x) {
    const int sample = SampleAt(source.planes[0], reader.source.bit_depth, x, y) - reader.luma_offset;
    const float luma = static_cast<float>(std::clamp(sample, 0, reader.most_luma)) * reader.luma_scale;
    const float u =
        has_chroma ? static_cast<float>(ChromaAt(reader, source.planes[1].Whole(), x, y)) * reader.chroma_scale : 0.0f;
    const float v =
        has_chroma ? static_cast<float>(ChromaAt(reader, source.planes[2].Whole(), x, y)) * reader.chroma_scale : 0.0f;
    row[0][x] = luma + reader.cr_red * v;
    row[1][x] = (luma - reader.cb_green * u) - reader.cr_green * v;
    row[2][x] = luma + reader.cb_blue * u;
    if (reader.clips)
      for (float* plane : row) plane[x] = Clipped(plane[x]);
  }
}

void CvvdpChannelRowRef(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  const bool is_linear = light.curve == CvvdpDisplay::Curve::kLinear;
  for (int x = 0; x < width; ++x) {
    std::array<float, 3> color;
    for (int c = 0; c < 3; ++c) color[c] = is_linear ? LinearLight(light, row[c][x]) : CurveAt(light, row[c][x]);
    if (light.curve == CvvdpDisplay::Curve::kHlg) color = HlgLight(light, color);
    for (int c = 0; c < 3; ++c) {
      const auto [of_red, of_green, of_blue] = light.to_channels[c];
      row[c][x] = cvvdp_channel(color[0], color[1], color[2], of_red, of_green, of_blue);
    }
  }
}

CvvdpInput::CvvdpInput(const CvvdpConversion& conversion, const CvvdpDisplay& display)
    : conversion_(conversion), light_(display), key_(MakeKey(conversion, display)) {}

PictureFormat CvvdpInput::Format(const PictureFormat& source) const {
  const PictureSize size = conversion_.SizeOf(source);
  return {size.width, size.height, kFloatDepth, PixelFormat::k444};
}

namespace {

/// Encoded red, green and blue: the reader's before they are clipped, as its reference resizes them.
std::array<std::vector<float>, 3> EncodedPlanes(const CvvdpConversion& conversion, const Picture& source) {
  const LinearRgbConversion common(conversion.common, source.format);
  std::array<std::vector<float>, 3> planes;
  const auto width = static_cast<size_t>(source.format.width);
  for (auto& plane : planes) plane.resize(width * source.format.height);
  for (int y = 0; y < source.format.height; ++y) {
    std::array<float*, 3> row{};
    for (int p = 0; p < 3; ++p) row[p] = planes[p].data() + width * y;
    if (conversion.is_common) LinearRgbRow(common, source, y, row);
    else CvvdpReadRow(CvvdpReader(source.format, conversion.reads_bt2020, false), source, y, row);
  }
  return planes;
}

}  // namespace

void CvvdpInput::ComputeResized(const Picture& source, const MutablePicture& derived) const {
  const std::array<std::vector<float>, 3> planes = EncodedPlanes(conversion_, source);
  const PictureSize from = {source.format.width, source.format.height}, to = conversion_.SizeOf(source.format);
  CvvdpResizer resizer(conversion_.resizing.filter, from, to);
  for (int y = 0; y < to.height; ++y) {
    std::array<float*, 3> row{};
    for (int p = 0; p < 3; ++p) {
      row[p] = derived.Row<float>(p, y);
      resizer.MakeRow(planes[p], y, row[p]);
      if (conversion_.clips()) std::transform(row[p], row[p] + to.width, row[p], Clipped);
    }
    CvvdpChannelRow(light_, to.width, row);
  }
}

void CvvdpInput::Compute(const Picture& source, const MutablePicture& derived) const {
  if (conversion_.resizing.filter != CvvdpResizing::Filter::kNone) return ComputeResized(source, derived);
  const LinearRgbConversion common(conversion_.common, source.format);
  const CvvdpReader reader(source.format, conversion_.reads_bt2020);
  for (int y = 0; y < source.format.height; ++y) {
    const std::array<float*, 3> row = {derived.Row<float>(0, y), derived.Row<float>(1, y), derived.Row<float>(2, y)};
    if (conversion_.is_common) LinearRgbRow(common, source, y, row);
    else CvvdpReadRow(reader, source, y, row);
    CvvdpChannelRow(light_, source.format.width, row);
  }
}

/// Devices convert a picture again in each batch that reads it: stored channels would take eight times the memory of
/// its samples.
Status CvvdpInput::AddLaunches(Plan&, const PlanContext&, Video) const { return {}; }

}  // namespace acutance
