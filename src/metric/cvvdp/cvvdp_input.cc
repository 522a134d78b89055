#include "metric/cvvdp/cvvdp_input.h"

#include <algorithm>

namespace acutance {
namespace {

using namespace cvvdp;

constexpr Matrix3 kXyzToCones = {{{0.187596268556126, 0.585168649077728, -0.026384263306304},
                                  {-0.133397430663221, 0.405505777260049, 0.034502127690364},
                                  {0.000244379021663, -0.000542995890619, 0.019406849066323}}};
constexpr Matrix3 kConesToChannels = {
    {{1.0, 1.0, 0.0}, {1.0, -2.311130179947035, 0.0}, {-1.0, -1.0, 50.97757132871878}}};

Matrix3 Product(const Matrix3& a, const Matrix3& b) {
  Matrix3 product = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) product[i][j] += a[i][k] * b[k][j];
  return product;
}

std::string MakeKey(const CvvdpConversion& conversion, const Display& display) {
  std::string key = conversion.is_common ? LinearRgbInput(conversion.common).key()
                                         : fmt::format("reader's RGB {}", conversion.reads_bt2020 ? "bt2020" : "bt709");
  key += conversion.resizing.key();
  return key + " on " + DisplayLightKey(display);
}

float Clipped(float v) { return cvvdp_clamp(v, 0.0f, 1.0f); }

}  // namespace

CvvdpLight::CvvdpLight(const Display& display) : DisplayLight(display) {
  const Matrix3 matrix = Product(Product(kConesToChannels, kXyzToCones), display.to_xyz);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) to_channels[c][i] = static_cast<float>(matrix[c][i]);
}

void CvvdpChannelRowRef(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  DisplayLightRowRef(light, width, row);
  CvvdpToChannelsRef(light, width, row);
}

void CvvdpToChannelsRef(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  for (int x = 0; x < width; ++x) {
    const std::array<float, 3> color = {row[0][x], row[1][x], row[2][x]};
    for (int c = 0; c < 3; ++c) {
      const auto [of_red, of_green, of_blue] = light.to_channels[c];
      row[c][x] = cvvdp_channel(color[0], color[1], color[2], of_red, of_green, of_blue);
    }
  }
}

CvvdpInput::CvvdpInput(const CvvdpConversion& conversion, const Display& display)
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
    if (conversion.is_common) LinearRgbRow(common, source, y, {0, source.format.width}, row);
    else ReaderRgbRow(ReaderRgb(source.format, conversion.reads_bt2020, false), source, y, row);
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
  const ReaderRgb reader(source.format, conversion_.reads_bt2020);
  for (int y = 0; y < source.format.height; ++y) {
    const std::array<float*, 3> row = {derived.Row<float>(0, y), derived.Row<float>(1, y), derived.Row<float>(2, y)};
    if (conversion_.is_common) LinearRgbRow(common, source, y, {0, source.format.width}, row);
    else ReaderRgbRow(reader, source, y, row);
    CvvdpChannelRow(light_, source.format.width, row);
  }
}

/// Devices convert a picture again in each batch that reads it: stored channels would take eight times the memory of
/// its samples.
Status CvvdpInput::AddLaunches(Plan&, const PlanContext&, Video) const { return {}; }

}  // namespace acutance
