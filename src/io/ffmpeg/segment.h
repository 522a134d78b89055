// Segments of a stream: packets between two places at which decoders can start.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "io/ffmpeg/decoder.h"
#include "io/ffmpeg/demuxer.h"
#include "io/ffmpeg/layout.h"
#include "io/ffmpeg/random_access.h"

namespace acutance {

/// The times of a segment's frames as its packets declare them. A decoder that gives others, or in another order, may
/// give others than one that decodes the stream from its start.
class FrameOrder {
 public:
  FrameOrder() = default;
  /// beyond: the time of the picture that begins the next segment, where that is decoded, too, for others.
  FrameOrder(std::vector<int64_t> times, std::optional<int64_t> beyond);

  enum class Verdict { kNext, kBeyond, kWrong };
  Verdict Check(const AVFrame& frame);
  void Restart() { next_ = 0; }
  /// Of a decoder from the stream's start, which may leave out frames that it cannot decode.
  Verdict CheckEnd(const AVFrame& frame) const {
    return beyond_ && Fields(frame).pts() >= *beyond_ ? Verdict::kBeyond : Verdict::kNext;
  }
  bool is_complete() const { return next_ == times_.size(); }
  const std::vector<int64_t>& times() const { return times_; }
  size_t size() const { return times_.size(); }

 private:
  std::vector<int64_t> times_;  // in the order in which they are shown
  std::optional<int64_t> beyond_;
  size_t next_ = 0;
};

struct Segment {
  std::vector<StreamPacket> packets;
  FrameOrder order;
  bool is_last = false;  // the stream ends with it
};

/// Reads a stream's packets and cuts them into segments. What a single decoder has read belongs to the segment that
/// Cut() returns the rest of.
class SegmentCutter {
 public:
  explicit SegmentCutter(Demuxer& input) : input_(input) {}

  /// Begins with the first packet. refusal: why there will be no segments; empty: there may be.
  void Start(std::string refusal);

  /// The next packet for a single decoder; nullopt at the end of the stream. An error as of Demuxer::Read.
  Result<std::optional<StreamPacket>> Read();

  /// The packets up to the next place where a decoder can start, at least `least`, with what earlier frames need of
  /// those after it, or up to the end. nullopt: there is none, nor from here on: Read() has what is left.
  std::optional<Segment> Cut(size_t least);

  /// Whether the frames up to the first cut are those that their packets declare: a decoder leaves out pictures that
  /// lead the first one or come before it.
  bool starts_surely() const { return starts_surely_; }

  /// Cuts no more.
  void Refuse(std::string reason);
  /// Whether it cuts no more since the stream may be damaged from there on.
  bool has_doubts() const { return has_doubts_; }

  /// Why Cut() found none; empty: the stream has ended.
  const std::string& refusal() const { return refusal_; }

  /// The number of the packet with which the container reported its first error; nullopt: none so far.
  std::optional<int64_t> first_error() const { return first_error_; }

 private:
  struct Ahead {
    StreamPacket packet;
    PacketRole role;
  };

  bool ReadAhead();  // false: there are no more packets
  bool HasRead(size_t count);
  bool HasLeading(size_t start);
  void Doubt(std::string reason);
  Segment Take(size_t count);

  Demuxer& input_;
  std::unique_ptr<RandomAccess> access_;  // null: there are no segments
  std::string refusal_;
  bool has_doubts_ = false;
  std::deque<Ahead> ahead_;
  size_t ahead_bytes_ = 0;
  std::optional<Status> end_;  // how reading ended
  int64_t packets_ = 0;
  std::optional<int64_t> first_error_;
  bool starts_surely_ = false;
  std::vector<int64_t> times_;  // of what Read() returned since the last cut
};

}  // namespace acutance
