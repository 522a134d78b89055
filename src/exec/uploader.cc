#include "exec/uploader.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

constexpr size_t kPieceBytes = size_t{512} << 10;
// Threads that touch pages of a mapped file for the first time wait for each other where a page table holds both:
// pieces that begin one after another lie so far apart at least.
constexpr size_t kPageTableBytes = size_t{2} << 20;
constexpr int kSegments = 6;       // some are written, some read by the device, some wait for it
constexpr int kBatchSegments = 4;  // that are under way, where each is one segment

/// Adds a copy; those that lie side by side, or at equal distances, become one.
void AddCopy(const CopyCommand& copy, std::vector<CopyCommand>& copies) {
  if (!copies.empty() && copies.back().from == copy.from && copies.back().to == copy.to && copy.rows == 1) {
    CopyCommand& last = copies.back();
    const size_t from = copy.from_offset - last.from_offset, to = copy.to_offset - last.to_offset;
    if (last.rows == 1 && from == last.bytes && to == last.bytes) return void(last.bytes += copy.bytes);
    const bool first = last.rows == 1;
    const size_t from_stride = first ? from : last.from_stride, to_stride = first ? to : last.to_stride;
    if (copy.bytes == last.bytes && from == last.rows * from_stride && to == last.rows * to_stride &&
        copy.from_offset > last.from_offset && from_stride >= copy.bytes && to_stride >= copy.bytes) {
      last = {last.from, last.from_offset, last.to, last.to_offset, last.bytes, last.rows + 1, from_stride, to_stride};
      return;
    }
  }
  copies.push_back(copy);
}

/// Spins until `value` is `wanted`, which usually takes some microseconds, less than waking a thread.
void WaitUntil(const std::atomic<int64_t>& value, int64_t wanted) {
  constexpr int kLooks = 32;
  constexpr std::chrono::microseconds kSpin{100};
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (value == wanted) return;
      hwy::Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  for (int64_t now = value; now != wanted; now = value) value.wait(now);
}

}  // namespace

size_t Upload::bytes() const {
  size_t bytes = 0;
  for (const PlaneCopy& copy : planes) bytes += copy.row_bytes * copy.plane.height;
  for (const CopyCommand& copy : direct) bytes += copy.bytes * copy.rows;
  return bytes;
}

/// The state of one call of Run.
class Uploader::Batch {
 public:
  Batch(Uploader& uploader, Queue& queue) : uploader_(uploader), queue_(queue) {}

  void Cut(const Upload::PlaneCopy& copy) {
    const size_t most = std::min(kPieceBytes, uploader_.segment_bytes_);
    const int rows = static_cast<int>(std::max<size_t>(most / copy.to_stride, 1));
    for (int y = 0; y < copy.plane.height; y += rows) Add(copy, y, std::min(rows, copy.plane.height - y));
  }

  /// Pieces begin in their order (ForEach), so that those of the turns before end without waiting for this one.
  Status Run(const ForEach& for_each) {
    std::ranges::stable_sort(pieces_, {}, [](const Piece& piece) { return std::pair(piece.turn, piece.round); });
    first_turn_ = uploader_.next_turn_.fetch_add(std::ssize(turns_));
    const int count = static_cast<int>(pieces_.size());
    const auto copy = [this](int i) { Copy(pieces_[i]); };
    if (for_each) ACU_RETURN_IF_ERROR(for_each(count, copy));
    else
      for (int i = 0; i < count; ++i) copy(i);
    return uploader_.status();
  }

 private:
  /// Rows to copy, few enough that several threads share a segment.
  struct Piece {
    const std::byte* from;
    ptrdiff_t from_stride;
    size_t at, to_stride, row_bytes;  // at: in its segment
    int rows;
    int turn, round;  // that it belongs to; when it begins within its turn
  };
  struct Turn {
    std::vector<CopyCommand> copies;  // from places in the segment
    std::atomic<int> pieces_left = 0;
  };

  void Add(const Upload::PlaneCopy& copy, int y, int rows) {
    const size_t bytes = copy.to_stride * rows;
    if (turns_.empty() || used_ + bytes > uploader_.segment_bytes_) {
      turns_.emplace_back();
      used_ = 0;
    }
    Turn& turn = turns_.back();
    const int round = turn.pieces_left % static_cast<int>(std::max<size_t>(kPageTableBytes / bytes, 1));
    pieces_.push_back({copy.plane.data + y * copy.plane.stride, copy.plane.stride, used_, copy.to_stride,
                       copy.row_bytes, rows, static_cast<int>(turns_.size()) - 1, round});
    AddCopy({uploader_.staging_.get(), used_, copy.to, copy.offset + y * copy.to_stride, bytes}, turn.copies);
    ++turn.pieces_left;
    used_ += bytes;
  }

  void Copy(const Piece& piece) {
    const int64_t turn = first_turn_ + piece.turn;
    uploader_.Claim(turn);
    if (!uploader_.is_broken_) CopyRows(piece, uploader_.staging_->host() + SegmentOffset(turn) + piece.at);
    if (--turns_[piece.turn].pieces_left == 0) HandOver(turn);
  }

  void CopyRows(const Piece& piece, std::byte* to) {
    const size_t rest = piece.to_stride - piece.row_bytes;
    if (rest == 0 && piece.from_stride == static_cast<ptrdiff_t>(piece.row_bytes))
      return void(std::memcpy(to, piece.from, piece.row_bytes * piece.rows));
    for (int y = 0; y < piece.rows; ++y, to += piece.to_stride) {
      std::memcpy(to, piece.from + y * piece.from_stride, piece.row_bytes);
      std::memset(to + piece.row_bytes, static_cast<int>(uploader_.padding_), rest);
    }
  }

  void HandOver(int64_t turn) {
    Segment& segment = uploader_.segments_[turn % uploader_.segments()];
    if (!uploader_.is_broken_) {
      const std::lock_guard lock(queue_mutex_);
      // The turn is handed over in any case, for other batches wait for it.
      const Status status = CatchExceptions([&] { return Submit(turn, segment.end); });
      if (!status.ok()) uploader_.Break(status);
    }
    segment.handed_over = turn;
    segment.handed_over.notify_all();
  }

  /// Hands a turn's copies to the queue. A queue without marks is waited for, because later no thread could know when
  /// the segment may be written again.
  Status Submit(int64_t turn, std::unique_ptr<Mark>& end) {
    std::vector<CopyCommand>& copies = turns_[turn - first_turn_].copies;
    for (CopyCommand& copy : copies) copy.from_offset += SegmentOffset(turn);
    ACU_RETURN_IF_ERROR(queue_.Copy(copies));
    ACU_ASSIGN_OR_RETURN(end, queue_.MarkEnd());
    return end ? Status() : queue_.Wait();
  }

  size_t SegmentOffset(int64_t turn) const { return turn % uploader_.segments() * uploader_.segment_bytes_; }

  Uploader& uploader_;
  Queue& queue_;
  std::vector<Piece> pieces_;
  std::deque<Turn> turns_;  // a deque: push_back keeps element addresses valid
  size_t used_ = 0;         // of the last turn's segment
  int64_t first_turn_ = 0;

  std::mutex queue_mutex_;
};

Uploader::Uploader(std::byte padding, int segments, size_t segment_bytes)
    : padding_(padding), segment_bytes_(segment_bytes) {
  for (int i = 0; i < segments; ++i) {
    Segment& segment = segments_.emplace_back();
    segment.handed_over = i - segments;
    segment.writable = i - segments;
  }
}

Result<std::unique_ptr<Uploader>> Uploader::Make(Device& device, size_t batch_bytes, size_t segment_bytes,
                                                 std::byte padding) {
  const int segments = batch_bytes > segment_bytes ? kSegments : kBatchSegments;
  segment_bytes = std::clamp(batch_bytes, size_t{1}, segment_bytes);
  std::unique_ptr<Uploader> uploader(new Uploader(padding, segments, segment_bytes));
  ACU_ASSIGN_OR_RETURN(uploader->staging_, device.Allocate(segments * segment_bytes, MemoryKind::kUpload));
  std::memset(uploader->staging_->host(), static_cast<int>(padding), uploader->staging_->bytes());
  return uploader;
}

Status Uploader::Run(const Upload& upload, Queue& queue, const ForEach& for_each) {
  if (!upload.direct.empty()) ACU_RETURN_IF_ERROR(queue.Copy(upload.direct));
  Batch batch(*this, queue);
  for (const Upload::PlaneCopy& copy : upload.planes) batch.Cut(copy);
  return batch.Run(for_each);
}

/// Waits until the device has read the previous contents of the turn's segment. One thread waits for the device, the
/// others for that thread.
void Uploader::Claim(int64_t turn) noexcept {
  Segment& segment = segments_[turn % segments()];
  if (segment.writable == turn) return;
  WaitUntil(segment.handed_over, turn - segments());
  if (segment.is_waiting.exchange(true)) return WaitUntil(segment.writable, turn);
  if (segment.writable != turn) {
    const Status status = CatchExceptions([&] { return segment.end ? segment.end->Wait() : Status(); });
    if (!status.ok()) Break(status);
    segment.end.reset();
    segment.writable = turn;
  }
  segment.is_waiting = false;
  segment.writable.notify_all();
}

/// Fails all batches: it is unknown which segments the device has read, so that none may be written. Other batches wait
/// for the turn that breaks, so that nothing here may throw.
void Uploader::Break(const Status& status) noexcept {
  Status kept = CatchExceptions([&] { return status; });  // or that there is no memory for a copy
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = std::move(kept);
  is_broken_ = true;
}

Status Uploader::status() {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Uploader::AppendFill(const Buffer& to, std::vector<CopyCommand>& copies) const {
  for (size_t at = 0; at < to.bytes(); at += staging_->bytes())
    copies.push_back({staging_.get(), 0, &to, at, std::min(staging_->bytes(), to.bytes() - at)});
}

}  // namespace acutance
