// FFmpeg's libswscale, opened at run time: pictures scaled and converted as an ffmpeg command does it.
#pragma once

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// Flags of libswscale (its public header): one filter, and how exactly it computes.
enum SwsFlag {
  kSwsFastBilinear = 1,
  kSwsBilinear = 2,
  kSwsBicubic = 4,
  kSwsPoint = 0x10,
  kSwsArea = 0x20,
  kSwsLanczos = 0x200,
  kSwsSpline = 0x400,
  kSwsFullChroma = 0x2000,
  kSwsAccurateRounding = 0x40000,
};

struct SwsConversion {
  int flags = kSwsBicubic;
  bool from_full_range = false, to_full_range = false;
};

/// Whether libswscale is there; otherwise why it is not.
Status CheckFfmpegScaler();

/// The picture in another format. Chroma planes have the sizes that libvmaf reads, rounded down.
Result<Picture> ConvertByFfmpeg(const Picture& from, const PictureFormat& to, const SwsConversion& conversion);

}  // namespace acutance
