// Planes of a client as red, green and blue in floats, where the metrics do not read the planes as they are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "api/vship/abi.h"
#include "api/vship/call_status.h"
#include "image/picture.h"
#include "metric/blocks/linear_rgb.h"

namespace acutance::vship {

/// One video's planes, as a call has them.
struct Planes {
  const uint8_t* const* data;
  const int64_t* strides;  // in bytes
};

/// How a client's samples lie in memory.
struct SampleKind {
  int bytes = 1;
  int depth = 8;          // of integers; bits above it do not count
  bool is_float = false;  // of 4 bytes, or of 2
};

/// Fails where a plane is null or its rows overlap.
Outcome CheckPlane(const Planes& planes, int plane, int height, int64_t row_bytes);

/// Makes encoded red, green and blue of floats, and of chroma that is subsampled otherwise than in 4:2:0 and 4:2:2.
/// Chroma is filtered by Catmull and Rom's cubic along rows, then down columns; floats have no range.
class ColorPlanes {
 public:
  ColorPlanes(const Colorspace& colors, const SampleKind& samples, const LinearRgbSettings& settings);

  /// All of a 4:4:4 picture of floats.
  Outcome Read(const Planes& planes, const MutablePicture& rgb) const;

 private:
  using Levels = std::vector<float>;

  Outcome ReadPlane(const Planes& planes, int plane, Levels& levels) const;
  Levels Widened(const Levels& levels, int width, int height) const;
  Levels Heightened(const Levels& levels, int height) const;

  const int width_, height_, sub_width_, sub_height_;
  const SampleKind samples_;
  const bool is_rgb_;
  const LinearRgbConversion conversion_;  // of the same colors in 4:4:4
};

/// A 4:4:4 picture of floats at another size, by the filter and the weights of convert/scaler.h.
Outcome ScaleColors(const Picture& picture, int width, int height, Picture& scaled);

}  // namespace acutance::vship
