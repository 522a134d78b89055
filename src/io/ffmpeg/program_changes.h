// Program changes of MPEG transport streams: FFmpeg takes the video of another program, or of other packet identifiers
// (PIDs), for another track. Here it continues under the PID of the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace acutance {

/// Rewrites the headers of packets of 188 bytes (ISO/IEC 13818-1, 2.4.3), whose number and places stay. A stream of
/// several programs at a time, or of several videos in the first one, passes as it is.
class ProgramChanges {
 public:
  static constexpr size_t kPacket = 188;

  /// start: the first bytes of the file, two packets and one byte if it has them.
  explicit ProgramChanges(std::string_view start);

  /// Whether the file is such a stream; another one does not need to pass.
  bool is_active() const { return is_active_; }
  /// Adds bytes that follow those before; all that were rewritten have been taken.
  void Add(std::span<const uint8_t> bytes);
  /// The file has ended: whether there are still bytes to take.
  bool End();
  /// Takes up to `count` bytes that have been rewritten.
  size_t Take(uint8_t* to, size_t count);
  /// The bytes added next are of another place in the file, or of the same file once more.
  void Jump();

  /// Sentences without the file's name, about pictures in programs of another codec, which are left out; empty: none.
  std::string Describe() const;

 private:
  struct Program {
    int number = -1, table_pid = -1, video_pid = -1, type = -1;  // -1: none

    bool operator==(const Program&) const = default;
  };
  using Section = std::span<const uint8_t>;

  void Rewrite(uint8_t* packet);
  void RewriteVideo(uint8_t* packet);
  void ReadPrograms(Section section);
  void ReadVideo(Section section);
  bool IsOther() const { return first_ && current_ != *first_; }

  bool is_active_;
  std::vector<uint8_t> bytes_;
  size_t ready_ = 0, taken_ = 0;  // of bytes_
  std::optional<Program> first_;
  Program current_, announced_;          // announced_: its video is not known yet
  int counter_ = 0, counter_shift_ = 0;  // the last continuity counter of the video; what is added to it
  bool has_changed_ = false;             // since the last packet of the video
  int64_t left_out_ = 0;                 // pictures of another codec
};

}  // namespace acutance
