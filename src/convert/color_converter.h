// Pictures of other colors or of another range: YUV 4:4:4 of red, green and blue, and full or limited range; with more
// bits in the same step, for what is rounded twice lies further off.
#pragma once

#include <array>
#include <vector>

#include "base/status.h"
#include "convert/color_weights.h"
#include "image/picture.h"
#include "image/picture_pool.h"

namespace acutance {

/// Changes the samples of pictures of one format, which they keep except the bit depth. Threads may share it.
class ColorConverter {
 public:
  /// Weights of several planes are for pictures of 4:4:4.
  ColorConverter(const PictureFormat& source, const ColorWeights& weights);

  const PictureFormat& source_format() const { return source_format_; }
  const PictureFormat& format() const { return format_; }
  const ColorWeights& weights() const { return weights_; }
  /// The planes of the source that samples of a plane are made of.
  std::vector<int> SourcesOf(int plane) const;

  /// A picture in memory of `pool`. Planes stay empty where the source lacks one that they are made of, and those of
  /// chroma where luma alone is wanted.
  Result<Picture> Change(const Picture& source, PicturePool& pool, bool luma_only = false) const;

 private:
  void MakePlane(const Picture& source, const MutablePicture& to, int plane) const;

  const PictureFormat source_format_;
  PictureFormat format_;
  const ColorWeights weights_;
  std::array<std::vector<uint16_t>, 3> tables_;  // what becomes of each value, of planes that are made of one
};

}  // namespace acutance
