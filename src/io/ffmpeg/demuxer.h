// Packets of the video track of a container, read by FFmpeg's libavformat.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "io/byte_stream.h"
#include "io/ffmpeg/container_facts.h"
#include "io/ffmpeg/damage_watch.h"
#include "io/ffmpeg/layout.h"
#include "io/ffmpeg/program_changes.h"

namespace acutance {

/// FFmpeg's text for an error code.
std::string FfmpegReason(int error);

class Demuxer {
 public:
  /// most_replayed: bytes of a pipe that are held for Reopen.
  Demuxer(std::unique_ptr<ByteStream> stream, std::string track, size_t most_replayed);

  /// Opens the container and its best video track. always_probe: FFmpeg decodes the first pictures, even where the
  /// container describes the track.
  Status Open(bool always_probe);
  /// Opens it again, from its first byte. Pipes of more than `most_replayed` bytes cannot; what was declared stays.
  Status Reopen(bool always_probe);

  /// One packet of any track; whether it belongs to the video. kBadData where the container breaks off or is truncated;
  /// nullopt at the end.
  Result<std::optional<bool>> Read(AVPacket& packet);

  /// Goes to the key frame before that part (0 to 1) of the video.
  bool Jump(double part);

  /// Ends reading: at the next packet of a file, since FFmpeg takes half a packet for damage, and at once of a pipe,
  /// which may never give the rest.
  void Interrupt();

  /// Bits/s of the video track: the bytes of its packets over their duration. Reads the packets that are left, unless
  /// they may be more than 1 GB: then it is that of those that were read.
  std::optional<int64_t> BitRate();

  /// An error of FFmpeg, or of the byte stream where that caused it.
  Status Failure(std::string_view what, int error) const;

  const ByteStream& stream() const { return *stream_; }
  const std::string& name() const { return stream_->name(); }
  AVFormatContext& container() const { return *container_; }
  AVStream& track() const { return *Fields(*container_).streams()[track_]; }
  /// Those of the track.
  const AVCodecParameters& parameters() const { return *Fields(track()).codecpar(); }
  const AVCodec* codec() const { return codec_; }
  std::optional<double> frame_rate() const;
  /// Pictures of the track that are not read, in a sentence without the file's name; empty: none.
  std::string left_out() const { return programs_ ? programs_->Describe() : ""; }
  /// Which of several video tracks is read; empty where there is one.
  const std::string& track_note() const { return track_note_; }
  /// Whether the clock may jump and packets may be lost in between, as in recordings.
  bool is_transport_stream() const { return Fields(*container_).iformat()->flags & AVFMT_TS_DISCONT; }
  bool starts_between_keys() const { return starts_between_keys_; }
  /// Nullopt where there is none, or where the decoder applies it.
  const std::optional<ContainerCrop>& crop() const { return crop_; }
  /// The first error that libavformat logged; empty: none.
  std::string error() const { return watch_.error(); }
  /// Once the first packet was read: completes what FFmpeg leaves open where it did not probe.
  void DescribeUnprobed();

 private:
  struct Freed {
    void operator()(AVIOContext* io) const;
    void operator()(AVFormatContext* container) const;
  };

  static int ReadBytes(void* self, uint8_t* to, int count);
  static int64_t SeekBytes(void* self, int64_t offset, int whence);
  Result<size_t> ReadStream(uint8_t* to, size_t count);
  Result<size_t> ReadRewritten(uint8_t* to, size_t count);
  bool IsReadingTooLong(int count);
  Status OpenAgain(bool always_probe);
  Status OpenIo();
  Status OpenContainer(bool always_probe);
  Status NotReadable(int error) const;
  Status ChooseTrack();
  Result<int> FindTrack(const std::vector<int>& videos) const;
  AVStream& Stream(int number) const { return *Fields(*container_).streams()[number]; }
  std::string DescribeTrack(int stream) const;
  Status CheckWhole() const;
  void Count(const AVPacket& packet);
  void NoteJump(int64_t decoding_time);

  std::unique_ptr<ByteStream> stream_;
  std::string start_;  // the first bytes
  std::optional<int64_t> declared_end_;
  std::optional<ContainerCrop> crop_;
  const std::string wanted_track_;
  std::string track_note_;
  DamageWatch watch_;  // outlives the container
  Status io_error_;    // of the byte stream; FFmpeg knows only that there was one
  std::unique_ptr<AVIOContext, Freed> io_;
  std::unique_ptr<AVFormatContext, Freed> container_;
  const AVCodec* codec_ = nullptr;
  int track_ = 0;
  bool is_probed_ = true;

  const size_t most_replayed_;
  std::optional<ProgramChanges> programs_;  // of a transport stream
  std::vector<uint8_t> replay_;             // of a pipe, while it is short
  size_t replayed_ = 0;
  bool can_replay_ = false;
  std::atomic<bool> interrupted_ = false;
  int64_t read_since_ = 0;  // bytes, since it was interrupted

  bool starts_between_keys_ = false;
  bool has_ended_ = false;
  bool has_jumped_ = false;
  struct TrackCount {
    int64_t packets = 0, bytes = 0;
    int64_t first_packet_time = AV_NOPTS_VALUE;                      // of the packet that came first
    int64_t decoding_time = AV_NOPTS_VALUE;                          // of the last packet
    int64_t first_time = AV_NOPTS_VALUE, end_time = AV_NOPTS_VALUE;  // in display order, since the clock jumped
    int64_t duration = 0;                                            // before that
  } count_;
};

}  // namespace acutance
