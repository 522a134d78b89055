// From planes and colour spaces of libvship's interface to pictures and options of the engine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "api/vship/abi.h"
#include "api/vship/outcome.h"
#include "image/picture.h"
#include "metric/options.h"
#include "scale/scaler.h"

namespace acutance::vship {

/// One video's planes, as a call has them.
struct Planes {
  const uint8_t* const* data;
  const int64_t* strides;  // in bytes
};

/// Reads one video's frames: samples of its own depth, then resized, then cropped.
class FrameReader {
 public:
  static Outcome Make(const Colorspace& colors, std::optional<FrameReader>& reader);

  /// What comes out.
  const PictureFormat& format() const { return format_; }
  /// Pictures come with so many bits from now on, which are no fewer.
  void RaiseTo(int bit_depth) { format_.bit_depth = bit_depth; }

  Outcome Read(const Planes& planes, Picture& picture) const;

 private:
  explicit FrameReader(const Colorspace& colors) : colors_(colors) {}
  Outcome ReadFormat();
  Outcome ReadGeometry();
  Outcome CopyPlanes(const Planes& planes, const MutablePicture& to) const;

  Colorspace colors_;
  int depth_ = 8;         // of the samples in memory
  PictureFormat source_;  // as they are copied
  PictureFormat format_;  // as they come out
  std::optional<Scaler> scaler_{};
};

/// Both videos' readers and the options by which metrics make colors of their samples.
struct FramePair {
  static Outcome Make(const Colorspace& reference, const Colorspace& distorted, std::optional<FramePair>& pair);

  FrameReader reference, distorted;
  OptionTexts colors;  // matrix, range, chroma_location
  int transfer;
};

}  // namespace acutance::vship
