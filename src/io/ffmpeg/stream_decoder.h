// Decoded frames of a container's video track in display order, by one decoder or by several on segments.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "io/ffmpeg/damage_watch.h"
#include "io/ffmpeg/decoder.h"
#include "io/ffmpeg/demuxer.h"
#include "io/ffmpeg/recording_start.h"
#include "io/ffmpeg/segment.h"
#include "io/ffmpeg/segment_crew.h"
#include "io/video_source.h"

namespace acutance {

/// Segments are decoded side by side once some frames were read, while the decoder that began takes the first of them.
/// Where one gives other frames than its packets declare, or where there is any sign of damage, a single decoder
/// decodes the stream again from its start: frames that were handed out before are its frames, too.
class StreamDecoder {
 public:
  /// options outlive it.
  StreamDecoder(std::unique_ptr<ByteStream> stream, const OpenOptions& options)
      : input_(std::move(stream), options.track, options.most_replayed), options_(options) {}

  Status Open();

  /// What all frames become, once the first is known. Before the second.
  void SetPictures(const PictureFormat& format, bool luma_only);

  /// Lets a device decode segments. After SetPictures, before the second frame. declarations: the first frame's.
  Status DecodeOn(const DeviceDecoding& decoding, const AVFrame& declarations);

  /// The same by FFmpeg's decoders for the machine's hardware, whose first frames are compared with its own decoder's.
  /// At any time before the end.
  Status DecodeBy(const HardwareDecoding& decoding, const FramePtr& declarations);

  /// The next frame; null: the end.
  Result<DecodedFrame> Next();

  /// Leaves out, at most, that many frames that need not be decoded, and returns how many. passed: receives the time of
  /// each, in the stream's unit.
  int64_t Skip(int64_t count, const std::function<void(int64_t)>& passed);

  /// Jumps to the key frame before that part of the stream. Errors are no damage from then on.
  bool Jump(double part);

  /// Any thread.
  void Interrupt();

  /// Whether the frame's sequence declares neither range nor colors, though FFmpeg retains those of an earlier one.
  bool LacksColors(const AVFrame& frame) const;

  /// Of a still picture's EXIF; 0: none.
  int exif_orientation() const { return exif_orientation_; }

  StreamDamage damage() const;
  Decoding decoding() const;

  Demuxer& input() { return input_; }
  const Demuxer& input() const { return input_; }

 private:
  Status Failure(std::string_view what, int error) const;
  std::string WhyOneDecoder() const;  // empty: there may be several
  std::string WhyNoSegments() const;
  Status OpenDecoder();
  Status DecodeAgain();

  // One decoder.
  Result<FramePtr> DecodeHere();
  Result<std::optional<StreamPacket>> NextPacket();
  void FeedDecoder();  // one packet, or the end
  void StopFeeding(Status reason);
  void NoteRange(const StreamPacket& packet);
  bool FindsOnThreads() const;
  void OnDamage(std::string reason, bool is_of_frame = false);
  void CheckErrors(const AVFrame& frame);
  void Await(const StreamPacket& packet);
  bool HasLost(const AVFrame* frame);

  // Segments.
  std::string_view DecoderName() const;
  Status StartWithSegments();
  Status StartAnew();
  Result<DecodedFrame> NextInOrder();
  Result<FramePtr> NextHere();
  Result<DecodedFrame> NextOfCrew();
  void FillCrew();
  size_t MostFrames() const;
  size_t MostFramesHere() const;
  int Threads() const;
  SegmentCrew::Size CrewSize() const;
  void TakeHere(std::optional<Segment> segment);
  void EndHere();

  Demuxer input_;
  std::optional<DeviceDecoding> device_;
  const OpenOptions& options_;
  DecoderSetup setup_;
  DamageWatch watch_;  // outlives the decoder
  DecoderPtr decoder_;
  std::deque<int64_t> awaited_;  // of AV1: packets whose frames have not come
  FirstKey first_key_;
  bool leads_first_key_ = false;    // the packet that was fed last
  RecordingStart start_;            // kFind
  std::map<int64_t, bool> ranges_;  // from a packet on: whether H.264 declares range and colors, where that changed
  int exif_orientation_ = 0;
  Status broken_;  // why feeding stopped early; reported after the frames that the decoder still holds
  bool fed_all_ = false;

  SegmentCutter cutter_{input_};
  DeviceCrew on_device_;  // outlives the crew
  SegmentCrew crew_{setup_};
  bool decodes_here_ = true;     // the frames that come next
  std::optional<Segment> here_;  // of the decoder here; not set: all packets that are left
  size_t fed_here_ = 0;          // of its packets
  bool is_first_ = false;        // it is the rest of what the decoder began before there were segments
  std::optional<Segment> next_;  // for which there was no room
  bool lacked_room_ = false;     // for one segment alone
  PictureFormat format_;
  int64_t segments_ = 0;    // given to the crew
  int64_t last_time_ = 0;   // of the last frame
  bool times_rise_ = true;  // all frames have times, in their order

  OnError on_error_ = OnError::kFind;
  bool is_doubtful_ = false;   // kFind: damage was found, or a segment's frames are not as declared
  bool found_damage_ = false;  // kFind
  int64_t packet_ = 0;         // fed last
  int64_t last_packet_ = 0;    // of the frames that were handed out
  bool has_ended_ = false;
  int64_t frames_ = 0;                 // handed out
  int64_t decoded_ = 0;                // frames since the start of decoding
  int64_t in_a_row_ = 0;               // those that followed one another last
  int64_t repeated_ = 0;               // those that come next and were handed out before
  std::set<int64_t> damaged_packets_;  // kRecord: those whose frames have not come
  StreamDamage damage_;
};

}  // namespace acutance
