// First frames of recordings that begin between key frames, decoded twice.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "io/ffmpeg/decoder.h"

namespace acutance {

/// Finds the packets that lead the first key frame, before it in the stream or in time: they cannot be decoded.
class FirstKey {
 public:
  /// Packets in the order of decoding.
  bool Follows(const AVPacket& packet);

 private:
  std::optional<int64_t> time_;  // not set: it has not come
};

/// Errors of packets that lead the first key frame are no damage. But several threads do not say of which packet an
/// error is, and what follows it depends on how a decoder treats errors. So the packets up to the first frame are
/// decoded as those of a damaged stream, too: frames that differ are damaged.
class RecordingStart {
 public:
  /// Holds a packet that is fed before the first frame. False: there are too many.
  bool Add(const StreamPacket& packet);

  /// Whether the next frame, in the order of output, is the one that is decoded so.
  bool Check(const AVFrame& frame, const DecoderSetup& setup);

  void Clear();

 private:
  bool Decode(const DecoderSetup& setup);

  std::vector<StreamPacket> packets_;
  std::deque<FramePtr> frames_;  // that come by then
  std::vector<FramePtr> held_;   // in the decoder, behind them
};

}  // namespace acutance
