// Picture scaling in whole numbers: the same bits on every processor.
//
// Along rows first, then down columns, each a sum of neighbouring samples times weights of 14 bits
// (scale_taps.h). With samples s of b bits, and rounding to nearest:
//   h = sum w (s - 2^(b-1)) / 2^b             15 bits and a sign: a value of the full range is 2^14
//   r = sum w h / 2^(28-b) + 2^(b-1)          clamped to 0 .. 2^b - 1
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "convert/scale_taps.h"
#include "image/picture.h"

namespace acutance {

struct ScaleOptions {
  ScaleFilter filter = ScaleFilter::kBicubic;
  ChromaSiting siting{};
};

struct ScaleJob;

/// Scales pictures of one format to another size. Threads may share it.
class Scaler {
 public:
  /// `to` has the format of `from` except the size. Fails where a side becomes more than 64 times as
  /// short or as long.
  static Result<Scaler> Make(const PictureFormat& from, const PictureFormat& to, const ScaleOptions& options);

  /// Planes that `from` does not have stay as they are.
  void Scale(const Picture& from, const MutablePicture& to) const;
  /// The same in plain loops.
  void ScaleRef(const Picture& from, const MutablePicture& to) const;

  const PictureFormat& source_format() const { return from_; }
  const PictureFormat& format() const { return to_; }

  /// The filters of a plane, for devices.
  const ScaleTaps& across(int plane) const { return AxesOf(plane).across; }
  const ScaleTaps& down(int plane) const { return AxesOf(plane).down; }

 private:
  struct Axes {
    ScaleTaps across, down;
    CompactTaps across_near;
  };

  Scaler(const PictureFormat& from, const PictureFormat& to, const ScaleOptions& options);
  template <void (*kScale)(const ScaleJob&)>
  void Run(const Picture& from, const MutablePicture& to) const;
  const Axes& AxesOf(int plane) const { return plane == 0 ? luma_ : chroma_; }

  PictureFormat from_, to_;
  Axes luma_, chroma_;
};

}  // namespace acutance
