// FFmpeg's decoders, as this folder opens them.
#pragma once

#include <cstdint>
#include <memory>

#include "io/ffmpeg/damage_watch.h"
#include "io/ffmpeg/declarations.h"

namespace acutance {

struct FfmpegFreed {
  void operator()(AVCodecContext* decoder) const;
  void operator()(AVPacket* packet) const;
  void operator()(AVCodecParameters* parameters) const;
};
using DecoderPtr = std::unique_ptr<AVCodecContext, FfmpegFreed>;
using PacketPtr = std::unique_ptr<AVPacket, FfmpegFreed>;
using FramePtr = std::shared_ptr<AVFrame>;

/// A frame without content; null where there is no memory.
FramePtr MakeFrame();

/// A packet of a track's stream. Frames name the packet that they were decoded from by its number.
struct StreamPacket {
  PacketPtr packet;
  int64_t number = 0;
};

/// Sends the packet, with its number; null: the end of the stream. Returns FFmpeg's error code.
int SendPacket(AVCodecContext& decoder, StreamPacket* packet);
int64_t NumberOf(const AVFrame& frame);
void SetNumber(AVFrame& frame, int64_t number);
/// Makes the decoder hand on numbers, before it is opened. flags: more of them.
void NumberFrames(AVCodecContext& decoder, int flags = 0);

/// Whether the frame declares fields, and whether the upper one is shown first.
bool IsInterlaced(const AVFrame& frame);
bool IsTopFirst(const AVFrame& frame);

/// Makes the decoder leave out film grain, and describe it in the frames' side data; before it is opened.
void ExportFilmGrain(AVCodecContext& decoder);

/// Whether the decoder marks the frame as damaged.
bool IsCorrupt(const AVFrame& frame);

/// What a decoder does about errors.
enum class OnError {
  kFind,    // any sign of damage ends decoding, before a picture that it may have changed is handed out
  kRecord,  // they are recorded, and decoding continues on one thread: what a decoder conceals depends on its threads
  kIgnore,  // after a jump, where pictures may lack the references of their own
};

class HardwareDevice;

/// What decoders of a stream need. They may be made on any thread while the container is read.
struct DecoderSetup {
  const AVCodec* codec = nullptr;
  std::unique_ptr<AVCodecParameters, FfmpegFreed> parameters;
  AVRational time_base{};
  bool film_grain = true;
  std::shared_ptr<const HardwareDevice> hardware{};  // decodes; null: the CPU does
  FramePtr declarations{};  // whose colors and shape all frames declare; null: those that the decoder declares

  /// AVERROR(ENOMEM), or 0.
  int CopyParameters(const AVCodecParameters& from);
  /// A decoder that is not open yet; null where there is no memory.
  DecoderPtr Make(const AVCodec* codec, int threads) const;
  /// Opens one that is watched; an error code of FFmpeg's.
  int Open(int threads, OnError on_error, DamageWatch& watch, DecoderPtr& decoder) const;
  /// The decoder's next frame, in the host's memory. Returns FFmpeg's error code.
  int Receive(AVCodecContext& decoder, FramePtr& frame) const;
};

}  // namespace acutance
