// Copies pictures to a device through a little memory that it reads fast. The memory is used over and over, so that it
// stays in the host's cache: what goes through large staging memory crosses the host's memory bus three times.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "exec/for_each.h"
#include "image/picture.h"

namespace acutance {

/// What a batch brings to the device.
struct Upload {
  /// The rows of `plane`, each of `row_bytes`, to `offset` in `to` and on, `to_stride` bytes apart.
  struct PlaneCopy {
    Plane plane;
    size_t row_bytes;
    const Buffer* to;
    size_t offset, to_stride;
    int pack_depth = 0;  // rows are packed samples of so many bits (exec/pack_samples.h); 0: as they are
  };

  size_t bytes() const;

  std::vector<PlaneCopy> planes;
  std::vector<CopyCommand> direct;  // from memory that the device reads by itself
};

/// Several batches may be under way at once, from different threads: the next one begins where threads find nothing
/// left to copy of the one before. After any failure all of them fail.
class Uploader {
 public:
  /// For batches of at most `batch_bytes`, handed over in segments of `segment_bytes` at most. `padding` is what the
  /// device sees between rows.
  static Result<std::unique_ptr<Uploader>> Make(Device& device, size_t batch_bytes, size_t segment_bytes,
                                                std::byte padding);

  /// Copies on the threads of `for_each` (null: on this one) and hands each segment to `queue` when it is full. When it
  /// returns nobody reads the host's pictures any more; the device may still read the memory in between. False: a
  /// sample did not fit its pack_depth, and what the device got is unspecified.
  Result<bool> Run(const Upload& upload, Queue& queue, const ForEach& for_each);

  /// Adds what writes padding all over `to`. For before the first Run.
  void AppendFill(const Buffer& to, std::vector<CopyCommand>& copies) const;

 private:
  class Batch;

  /// Turns, each one filling of a segment, follow one another through the segments; they are numbered from 0.
  struct Segment {
    std::atomic<int64_t> handed_over;      // the last turn of which nobody writes any more
    std::atomic<int64_t> writable;         // the turn that may write: the device has read what was there before
    std::atomic<bool> is_waiting = false;  // somebody does, for the device
    std::unique_ptr<Mark> end;             // of the copies of `handed_over`; null when there is nothing to wait for
  };

  Uploader(std::byte padding, int segments, size_t segment_bytes);

  int segments() const { return static_cast<int>(segments_.size()); }
  void Claim(int64_t turn);
  void Break(const Status& status);
  Status status();

  const std::byte padding_;
  const size_t segment_bytes_;
  std::unique_ptr<Buffer> staging_;
  std::deque<Segment> segments_;  // a deque, for they do not move
  std::atomic<int64_t> next_turn_ = 0;

  std::atomic<bool> is_broken_ = false;
  std::mutex mutex_;  // guards what follows
  Status status_;
};

}  // namespace acutance
