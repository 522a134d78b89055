// FFmpeg's decoders that leave frames in CUDA memory (NVDEC).
#pragma once

#include "base/status.h"
#include "image/device_frame.h"
#include "io/ffmpeg/declarations.h"
#include "io/video_source.h"

namespace acutance {

/// A decoder that CUDA devices can do the work of. Null where FFmpeg's build has none for the
/// codec, and for codecs that do not define every bit of their output.
const AVCodec* FindDeviceDecoder(AVCodecID codec);

/// Whether a device decodes a stream, and if not, why.
struct DeviceStream {
  bool is_offered = false;  // whether FFmpeg asked the device to decode it
  std::string refusal;      // why the device does not decode it; empty: it does
};

/// Makes the decoder work in that CUcontext or not at all; `stream` says which. Called before
/// avcodec_open2.
Status UseDevice(AVCodecContext& decoder, void* cuda_context, DeviceStream* stream);

/// Where the samples of a frame from such a decoder lie. `format` is that of the coded video.
/// Fails where the samples differ from those of FFmpeg's own decoder.
Result<DeviceFrame> DeviceFrameOf(const AVFrame& frame, const PictureFormat& format, bool luma_only);

/// Whether the stream has film grain, which FFmpeg's own decoder would add.
bool HasFilmGrain(const AVCodecContext& decoder, const AVFrame& frame);

/// The picture of a frame of `decoder`, in the device's memory. An error where it has not that format, or where
/// FFmpeg's own decoder may give another.
Result<Picture> TakeFrame(const AVFrame& frame, const AVCodecContext& decoder, const PictureFormat& format,
                          bool luma_only, const TakeDeviceFrame& take);

}  // namespace acutance
