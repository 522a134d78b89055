// FFmpeg's decoders that leave frames in CUDA memory (NVDEC).
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
}

#include "base/status.h"
#include "image/device_frame.h"

namespace acutance {

/// A decoder that can have its work done by CUDA devices. Null where FFmpeg's build has none for the codec, and for
/// codecs that do not fix every bit.
const AVCodec* FindDeviceDecoder(AVCodecID codec);

/// What becomes of a stream that a decoder was to have a device decode.
struct DeviceStream {
  bool is_offered = false;  // FFmpeg took it for one that the device decodes
  std::string refusal;      // set: it is not decoded, and why
};

/// Before avcodec_open2: the decoder works in that CUcontext, or not at all, which it says in `stream`.
Status UseDevice(AVCodecContext& decoder, void* cuda_context, DeviceStream* stream);

/// Where the samples of a frame lie that such a decoder gave; `format` is that of the coded video. Fails where they are
/// not the samples that FFmpeg's own decoder gives.
Result<DeviceFrame> DeviceFrameOf(const AVFrame& frame, const PictureFormat& format, bool luma_only);

}  // namespace acutance
