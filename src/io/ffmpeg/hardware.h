// FFmpeg's decoders on the machine's video hardware, whose frames are copied to the host's memory.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "image/picture.h"
#include "io/ffmpeg/decoder.h"
#include "io/video_source.h"

namespace acutance {

/// A device as FFmpeg opens it. Its decoders, on any threads, share it.
class HardwareDevice {
 public:
  /// Devices stay open until the process ends: a driver takes up to a second to open one. An error says why there is
  /// none, in FFmpeg's words where its log is read.
  static Result<std::shared_ptr<const HardwareDevice>> Open(const HardwareDecoding& which);

  /// FFmpeg's decoder that uses the device for such a codec; null: there is none.
  const AVCodec* FindDecoder(AVCodecID codec) const;

  /// Makes the decoder use the device and nothing else; before it is opened.
  void Attach(AVCodecContext& decoder) const;

  /// Replaces a frame in the device's memory by one in the host's, with its properties. A code of FFmpeg's where that
  /// fails, or where the frame lacks the film grain that FFmpeg's own decoders add. adds_grain: whether these do.
  int Download(FramePtr& frame, bool adds_grain) const;

  std::string_view name() const { return NameOf(kind_); }
  std::string_view option() const { return OptionNameOf(kind_); }

 private:
  explicit HardwareDevice(Hardware kind) : kind_(kind) {}

  const Hardware kind_;
  int type_ = 0;                    // FFmpeg's number
  AVBufferRef* context_ = nullptr;  // not freed
};

/// What opens decoders on a device that give the frames of `here`; an error where there is none for its codec, or the
/// codec leaves bits of its pictures open. declarations: a frame's of `here`.
Result<std::shared_ptr<const DecoderSetup>> SetUpHardware(const DecoderSetup& here, const HardwareDecoding& decoding,
                                                          FramePtr declarations);

/// Decodes the first packets of a segment by both: the device's frames must be the same in samples and declarations.
/// False: those that FFmpeg's own decoders give are damaged, and there is nothing to compare. An error says what
/// hinders or differs.
Result<bool> CheckHardware(const DecoderSetup& here, const DecoderSetup& there, std::span<StreamPacket> packets);

}  // namespace acutance
