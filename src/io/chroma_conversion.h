// Chroma resampling of 4:1:1 and of the 4:2:0 of PAL DV (docs/spec/system.md 5.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace acutance {

/// A plane of 8-bit samples without gaps between rows.
struct BytePlane {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> samples;
};

/// Widens a plane of half the width to `width` columns (at most 2 * half_width).
BytePlane WidenTwice(std::span<const uint8_t> half, int half_width, int height, int width);

/// Moves a chroma plane from PAL DV sample positions to those of MPEG-1: Cb and Cr in opposite directions.
BytePlane MovePaldvChroma(std::span<const uint8_t> plane, int width, int height, bool is_cb);

}  // namespace acutance
