// Conversion of an application's planes to red, green and blue in floats, where metrics cannot read the planes.
#pragma once

#include <acutance/frame_scorer.h>

#include <array>
#include <vector>

#include "image/picture.h"
#include "metric/blocks/linear_rgb.h"

namespace acutance::frames {

using api::FramePlanes;

inline int BytesPerSample(const FrameFormat& format) { return (format.bits + 7) / 8; }

/// Fails where a plane is null or its rows overlap.
Status CheckPlane(const FramePlanes& planes, int plane, int height, int64_t row_bytes);

/// Computes encoded red, green and blue from floats, and from integers whose chroma is not that of 4:2:0, 4:2:2 or
/// 4:4:4. Chroma is filtered by Catmull and Rom's cubic along rows, then down columns; floats have no range.
class ColorPlanes {
 public:
  ColorPlanes(const FrameFormat& format, const LinearRgbSettings& settings);

  /// Fills a 4:4:4 picture of floats.
  Status Read(const FramePlanes& planes, const MutablePicture& rgb) const;

 private:
  using Levels = std::vector<float>;

  Status ReadPlane(const FramePlanes& planes, int plane, Levels& levels) const;
  Levels Widened(const Levels& levels, int width, int height) const;
  Levels Heightened(const Levels& levels, int height) const;

  const FrameFormat format_;
  const bool is_rgb_;
  const LinearRgbConversion conversion_;  // of the same colors in 4:4:4
};

/// A 4:4:4 picture of floats at another size, by the filter and the weights of convert/scaler.h.
Result<Picture> ScaleColors(const Picture& picture, int width, int height);

}  // namespace acutance::frames
