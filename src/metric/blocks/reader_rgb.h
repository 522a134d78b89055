// A video's pictures as encoded red, green and blue, as ColorVideoVDP's command reads videos (docs/spec/cvvdp.md 1.2).
#pragma once

#include <array>

#include "image/picture.h"

namespace acutance {

/// The reader for pictures of one format: limited range, chroma between luma samples, bilinear.
struct ReaderRgb {
  ReaderRgb(const PictureFormat& format, bool is_bt2020, bool clips = true);

  PictureFormat source;
  bool clips;         // colors to 0 to 1
  bool across, down;  // chroma is doubled
  int luma_offset, most_luma, chroma_offset, most_chroma;
  float luma_scale, chroma_scale;
  float cr_red, cb_green, cr_green, cb_blue;
};

/// Row y of encoded red, green and blue, with SIMD (Highway); and in plain loops.
void ReaderRgbRow(const ReaderRgb& reader, const Picture& source, int y, const std::array<float*, 3>& row);
void ReaderRgbRowRef(const ReaderRgb& reader, const Picture& source, int y, const std::array<float*, 3>& row);

}  // namespace acutance
