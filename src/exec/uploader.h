// Uploader of pictures to a device through a small memory that the device reads fast. The memory is reused all the
// time, so that it stays in the host's cache: data that goes through large staging memory crosses the host's memory bus
// three times.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "base/threads/parallel_for.h"
#include "exec/device.h"
#include "image/picture.h"

namespace acutance {

/// The planes that a batch copies to the device.
struct Upload {
  /// Copies the rows of `plane`, each of `row_bytes`, to `to` from `offset` on, `to_stride` bytes apart.
  struct PlaneCopy {
    Plane plane;
    size_t row_bytes;
    const Buffer* to;
    size_t offset, to_stride;
  };

  size_t bytes() const;

  std::vector<PlaneCopy> planes;
  std::vector<CopyCommand> direct;  // from memory that the device reads by itself
};

/// Several batches may be under way at once, from different threads: threads that find no piece of one batch left to
/// copy begin with the next. After any failure all of them fail.
class Uploader {
 public:
  /// An uploader of batches of at most `batch_bytes`, handed over in segments of at most `segment_bytes`. The device
  /// sees `padding` between rows.
  static Result<std::unique_ptr<Uploader>> Make(Device& device, size_t batch_bytes, size_t segment_bytes,
                                                std::byte padding);

  /// Copies on the threads of `for_each` (null: on this one) and hands each segment to `queue` when it is full. When it
  /// returns, the host's pictures are no longer read; the device may still read the segments.
  Status Run(const Upload& upload, Queue& queue, const ForEach& for_each);

  /// Adds copies that fill all of `to` with padding. Called before the first Run.
  void AppendFill(const Buffer& to, std::vector<CopyCommand>& copies) const;

 private:
  class Batch;

  /// A part of the upload memory. A turn is one use of a segment; turn n, counted from 0, uses segment n modulo their
  /// number.
  struct Segment {
    std::atomic<int64_t> handed_over;      // the last turn whose writers are done
    std::atomic<int64_t> writable;         // the turn that may write now
    std::atomic<bool> is_waiting = false;  // whether a thread waits for the device
    std::unique_ptr<Mark> end;             // end of the copies of `handed_over`; null: none
  };

  Uploader(std::byte padding, int segments, size_t segment_bytes);

  int segments() const { return static_cast<int>(segments_.size()); }
  void Claim(int64_t turn) noexcept;
  void Break(const Status& status) noexcept;
  Status status();

  const std::byte padding_;
  const size_t segment_bytes_;
  std::unique_ptr<Buffer> staging_;
  std::deque<Segment> segments_;  // a deque: elements cannot be moved
  std::atomic<int64_t> next_turn_ = 0;

  std::atomic<bool> is_broken_ = false;
  std::mutex mutex_;  // guards what follows
  Status status_;
};

}  // namespace acutance
