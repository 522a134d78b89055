// Copies pictures to a device through a little memory that it reads fast. The memory is used over and over, so that it
// stays in the host's cache: what goes through large staging memory crosses the host's memory bus three times.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "exec/host_imports.h"
#include "image/picture.h"

namespace acutance {

/// May serve several queues of a device in turn, from one thread at a time. Used thus: Clear, any number of Add and
/// AddDirect, Run.
class Uploader {
 public:
  /// For batches of at most `batch_bytes`, handed over in segments of `segment_bytes` at most. `padding` is what the
  /// device sees between rows.
  static Result<std::unique_ptr<Uploader>> Make(Device& device, size_t batch_bytes, size_t segment_bytes,
                                                std::byte padding);

  void Clear();

  /// The rows of `plane`, each of `row_bytes`, to `offset` in `to` and on, `to_stride` bytes apart.
  void Add(const Plane& plane, size_t row_bytes, const Buffer& to, size_t offset, size_t to_stride);

  /// From memory that the device reads by itself.
  void AddDirect(const CopyCommand& copy);

  size_t bytes() const { return bytes_; }  // added since the last Clear

  /// Copies on the threads of `for_each` (null: on this one) and hands each segment to `queue` when it is full. When it
  /// returns nobody reads the host's pictures any more; the device may still read the memory in between.
  Status Run(Queue& queue, const ForEach& for_each);

  /// Adds what writes padding all over `to`. For before the first Run.
  void AppendFill(const Buffer& to, std::vector<CopyCommand>& copies) const;

 private:
  /// Rows to copy, few enough that several threads share a segment.
  struct Piece {
    const std::byte* from;
    std::byte* to;
    ptrdiff_t from_stride;
    size_t to_stride, row_bytes;
    int rows;
    int turn, round;  // that it belongs to; when it begins within its turn
  };
  /// One filling of a segment. Turns follow one another through the segments.
  struct Turn {
    std::vector<CopyCommand> copies;
    std::atomic<int> pieces_left = 0;
    std::atomic<bool> may_write = false;  // the device has read what its segment held before
    std::shared_ptr<Mark> end;  // of its copies; null before they are submitted, and where the queue has no marks
  };

  explicit Uploader(std::byte padding) : padding_(padding) {}

  int segments() const { return static_cast<int>(ends_before_.size()); }
  int SegmentOf(int turn) const { return (first_segment_ + turn) % segments(); }
  void AddPiece(Piece piece, const Buffer& to, size_t offset);
  void CopyRows(const Piece& piece) const;
  Status WaitForSegment(Queue& queue, int turn);
  void FinishPiece(Queue& queue, const Status& status, int turn);
  Status Submit(Queue& queue, Turn& turn);

  const std::byte padding_;
  std::unique_ptr<Buffer> staging_;
  size_t segment_bytes_ = 0;
  std::vector<Piece> pieces_;
  std::deque<Turn> turns_;                          // of this batch; a deque, for they do not move
  int first_segment_ = 0;                           // that of the first turn
  std::vector<std::shared_ptr<Mark>> ends_before_;  // for each segment, of what batches before left there
  std::vector<CopyCommand> direct_;
  size_t bytes_ = 0, used_ = 0;  // in all, and of the last turn's segment

  std::mutex mutex_;  // guards the queue, what follows, and the turns' ends
  std::condition_variable submitted_changed_;
  int submitted_ = 0;  // turns, in their order
  Status status_;
};

}  // namespace acutance
