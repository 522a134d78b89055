// Chroma conversion between 4:0:0, 4:2:0, 4:2:2 and 4:4:4: luma stays as it is, and chroma goes through the scaler's
// filters (convert/scaler.h).
#pragma once

#include "base/status.h"
#include "convert/scaler.h"
#include "image/picture.h"
#include "image/picture_pool.h"

namespace acutance {

struct ChromaChange {
  PixelFormat to = PixelFormat::k420;
  ChromaSiting siting{};     // of the source's samples
  ChromaSiting to_siting{};  // of the result's
  ScaleFilter filter = ScaleFilter::kBicubic;
};

/// Converts the chroma of pictures of one format. Threads may share it.
class ChromaScaler {
 public:
  /// Fails where a picture is so small that one of the formats has no chroma samples.
  static Result<ChromaScaler> Make(const PictureFormat& from, const ChromaChange& change);

  const PictureFormat& source_format() const { return from_; }
  const PictureFormat& format() const { return to_; }
  /// Whether the source has no chroma, and the result has one without color.
  bool adds() const { return from_.PlaneCount() == 1 && to_.PlaneCount() > 1; }

  /// A picture with the source's luma in its place, and chroma in memory of `pool`. Chroma stays empty where luma alone
  /// is requested, and planes that a source of a format with chroma does not have do.
  Result<Picture> Scale(const Picture& source, PicturePool& pool, bool luma_only = false) const;

  /// The filters of both chroma planes, where both formats have some.
  const ScaleTaps& across() const { return across_; }
  const ScaleTaps& down() const { return down_; }

 private:
  ChromaScaler(const PictureFormat& from, const ChromaChange& change);

  PictureFormat from_, to_;
  ScaleTaps across_, down_;
  CompactTaps across_near_;
};

}  // namespace acutance
