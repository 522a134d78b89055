// Replay buffer: a video that can be read once, such as a pipe, is read again from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

class ReplayBuffer {
 public:
  /// Caches the pictures of `source` as long as they take less than `most_bytes`, then none.
  ReplayBuffer(std::unique_ptr<VideoSource> source, size_t most_bytes);

  /// The video from its first picture. One reading ends before the next begins. Fails where pictures of an earlier
  /// reading are no longer cached.
  Result<std::unique_ptr<VideoSource>> Open();

  /// What was read so far stays cached for the next reading alone, which frees it once it reads on. Not during a
  /// reading.
  void ReleaseAsRead();

  /// While a video is held, an interrupted reading waits for its current picture: an interrupted source would be at its
  /// end.
  void Hold(bool hold);

  /// What is cached now, also during a reading: none of a video that takes more than the limit.
  size_t bytes() const;
  int64_t frames() const;
  /// What may be cached once it is read to its end.
  size_t MostBytes() const;
  /// Sets the limit from now on. Not during a reading, nor once pictures were freed.
  void KeepUpTo(size_t most_bytes);
  /// Whether reading ended with an error, which further readings get, too. Not during a reading.
  bool has_failed() const;

 private:
  struct State;
  class Reading;
  std::shared_ptr<State> state_;
};

}  // namespace acutance
