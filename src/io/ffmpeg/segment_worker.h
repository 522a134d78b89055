// Decoder of segments on one thread of the caller's, on the CPU or on a device.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "image/device_decoder.h"
#include "io/ffmpeg/segment.h"

namespace acutance {

/// Decoding segments on a device: by FFmpeg's decoders there, or by those that `open` opens, whose frames have these
/// declarations.
struct DeviceCrew {
  std::shared_ptr<const DecoderSetup> hardware{};  // null: `open` decodes
  OpenDeviceDecoder open;
  CodedVideo video{};
  FramePtr declarations;  // a frame's, without its time
};

/// A frame, and where a device decoded it, its picture: then it has declarations and its time, and no samples.
struct DecodedFrame {
  FramePtr frame;
  std::optional<Picture> picture{};
};

class SegmentWorker {
 public:
  enum class Outcome {
    kDone,
    kDoubt,   // the next frames may not be those of a decoder from the stream's start
    kUnable,  // there is no decoder of such a stream
  };
  /// Receives frames in their order. False: there is no use for more.
  using Give = std::function<bool(DecodedFrame)>;

  virtual ~SegmentWorker() = default;
  /// Decodes a segment from its start, whose packets stay as they are.
  virtual Outcome Decode(Segment& segment, const Give& give) = 0;
};

/// setup outlives both.
std::unique_ptr<SegmentWorker> MakeFfmpegWorker(const DecoderSetup& setup, int threads);
std::unique_ptr<SegmentWorker> MakeDeviceWorker(const DecoderSetup& setup, const DeviceCrew& device);

}  // namespace acutance
