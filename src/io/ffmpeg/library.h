// FFmpeg's libraries, opened when the first container is: loading them and what they need takes longer than scoring a
// short y4m clip, and a program built with them starts on machines without them.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "io/ffmpeg/layout.h"

namespace acutance {

/// The codecs that this folder treats in a way of their own.
enum class Codec {
  kAnsi,
  kAv1,
  kBintext,
  kDnxhd,
  kFfv1,
  kH264,
  kHevc,
  kIdf,
  kJpeg2000,
  kMjpeg,
  kMpeg2,
  kProres,
  kRawVideo,
  kVp8,
  kVp9,
  kXbin,
  kOther,
};

/// The functions of FFmpeg that this folder calls, under their own names, and what differs between versions.
struct FfmpegLibrary {
#define ACU_DECLARE(Returned, name, Arguments) Returned(*name) Arguments = nullptr;
  ACU_AVUTIL_FUNCTIONS(ACU_DECLARE)
  ACU_AVCODEC_FUNCTIONS(ACU_DECLARE)
  ACU_AVFORMAT_FUNCTIONS(ACU_DECLARE)
  ACU_OPTIONAL_AVCODEC_FUNCTIONS(ACU_DECLARE)
  ACU_OPTIONAL_AVFORMAT_FUNCTIONS(ACU_DECLARE)
#undef ACU_DECLARE
  AVCodecID codec_ids[static_cast<int>(Codec::kOther)] = {};  // 0, which is no codec, where there is none
  bool crops = false;                                         // its demuxers and decoders apply the crop of a container
  bool has_hardware = false;  // the fields for decoders on devices are where they are looked for
};

/// Loads a version from 5.1 to 9. The folder that ACUTANCE_FFMPEG_LIBRARIES names, or else these places in their order:
/// what the process has loaded, the folder of this program or library, the newest that the loader finds, PyAV's package
/// next to acutance's. A version whose structs are not as its layout says is refused. An error names what was found and
/// why it does not serve. The first call decides. Unless another part of the process has loaded the libraries before,
/// their log is read from then on: errors of our decoders are signs of damage, and are not printed.
const Status& LoadFfmpeg();

/// Whether their log is read.
bool ReadsFfmpegLog();

/// The loaded functions. Called only after LoadFfmpeg() was ok.
const FfmpegLibrary& Ffmpeg();

AVCodecID IdOf(Codec codec);
Codec CodecOf(AVCodecID id);

}  // namespace acutance
