#include "metric/blocks/reader_rgb.h"

#include <algorithm>

namespace acutance {
namespace {

int SampleAt(const Plane& plane, int bit_depth, int x, int y) {
  x = std::clamp(x, 0, plane.width - 1);
  y = std::clamp(y, 0, plane.height - 1);
  return bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
}

/// The second chroma sample of a doubled position; the first is position / 2.
int Neighbour(int position) { return position / 2 + (position % 2 != 0 ? 1 : -1); }

int ChromaAt(const ReaderRgb& reader, const Plane& plane, int x, int y) {
  const auto at = [&](int column, int row) {
    const int sample = SampleAt(plane, reader.source.bit_depth, column, row) - reader.chroma_offset;
    return std::clamp(sample, -reader.most_chroma, reader.most_chroma);
  };
  const auto across = [&](int row) { return reader.across ? 3 * at(x / 2, row) + at(Neighbour(x), row) : at(x, row); };
  return reader.down ? 3 * across(y / 2) + across(Neighbour(y)) : across(y);
}

float ClippedColor(float x) {
  const float v = x > 0.0f ? x : 0.0f;
  return v < 1.0f ? v : 1.0f;
}

}  // namespace

ReaderRgb::ReaderRgb(const PictureFormat& format, bool is_bt2020, bool clips_colors)
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

void ReaderRgbRowRef(const ReaderRgb& reader, const Picture& source, int y, const std::array<float*, 3>& row) {
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
      for (float* plane : row) plane[x] = ClippedColor(plane[x]);
  }
}

}  // namespace acutance
