// A video that can be read once, such as a pipe, and is read again from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

class ReplayBuffer {
 public:
  /// Keeps the pictures of `source` as long as they take less than `most_bytes`, then none.
  ReplayBuffer(std::unique_ptr<VideoSource> source, size_t most_bytes);

  /// The video from its first picture. One reading ends before the next begins. Fails where pictures of an earlier
  /// reading are not kept any more.
  Result<std::unique_ptr<VideoSource>> Open();

  /// What was read so far is kept for the next reading alone, which lets go of it where it continues. Not while a
  /// reading continues.
  void ReleaseAsRead();

  /// While a video is held, a reading that is interrupted waits for the picture that it is at: an interrupted source
  /// would be at its end.
  void Hold(bool hold);

  /// What is kept now, while a reading may continue: none of a video that takes more than it may.
  size_t bytes() const;
  int64_t frames() const;
  /// What may be kept once it is read to its end.
  size_t MostBytes() const;
  /// Keeps no more than so many bytes from now on. Not while a reading continues, nor once pictures were let go.
  void KeepUpTo(size_t most_bytes);
  /// Whether reading ended with an error, which further readings get, too. Not while a reading continues.
  bool has_failed() const;

 private:
  struct State;
  class Reading;
  std::shared_ptr<State> state_;
};

}  // namespace acutance
