// A hypothesis about how a log was made: which frames formed pairs, and what was done to their pictures.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/status.h"
#include "image/picture.h"
#include "run/explain/ffmpeg_scaler.h"

namespace acutance {

/// What a filter did to one video's range.
enum class RangeChange { kNone, kToFull, kToLimited };

/// Frame i of a log compares frame first + i * step of a video.
struct FrameMap {
  int64_t first = 0;
  int step = 1;    // 2: every second frame
  int repeat = 1;  // 2: every frame twice

  int64_t At(int64_t i) const { return first + i * step / repeat; }
  bool operator==(const FrameMap&) const = default;
};

/// Luma samples that a picture loses at its edges.
struct Margins {
  int left = 0, top = 0, right = 0, bottom = 0;

  bool operator==(const Margins&) const = default;
};

struct Hypothesis {
  bool swapped = false;  // the distorted video stood where the reference belongs
  FrameMap reference, distorted;
  int flags = kSwsBicubic;                         // of the scaling, where sizes differ
  bool scales_reference = false;                   // to the distorted video's size
  Margins reference_margins, distorted_margins{};  // of one video, before it is scaled
  Margins margins{};                               // of both, after scaling
  RangeChange reference_range = RangeChange::kNone, distorted_range = RangeChange::kNone;
  int bit_depth = 0;               // both are converted to; 0: as the reference is
  bool has_chroma_format = false;  // both are converted to:
  PixelFormat chroma = PixelFormat::k420;

  bool operator==(const Hypothesis&) const = default;
};

/// The format without the margins.
PictureFormat Cropped(PictureFormat format, const Margins& margins);

/// What differs from a plain comparison: "the reference one frame late; bilinear 960x540 to 1920x1080". "" where
/// nothing does.
std::string Describe(const Hypothesis& hypothesis, const PictureFormat& reference, const PictureFormat& distorted);

/// The pictures that libvmaf got.
Result<std::pair<Picture, Picture>> ApplyHypothesis(const Hypothesis& hypothesis, const Picture& reference,
                                                    const Picture& distorted);

}  // namespace acutance
