#include "exec/uploader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace acutance {
namespace {

constexpr size_t kPieceBytes = size_t{512} << 10;
// Threads that touch pages of a mapped file for the first time wait for each other where a page table holds both:
// pieces that begin one after another lie so far apart at least.
constexpr size_t kPageTableBytes = size_t{2} << 20;
constexpr int kSegments = 5;  // some are written, some read by the device, some wait for it
constexpr int kBatches = 3;   // that are under way, where each is one segment

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

}  // namespace

Result<std::unique_ptr<Uploader>> Uploader::Make(Device& device, size_t batch_bytes, size_t segment_bytes,
                                                 std::byte padding) {
  std::unique_ptr<Uploader> uploader(new Uploader(padding));
  const int segments = batch_bytes > segment_bytes ? kSegments : kBatches;
  uploader->ends_before_.resize(segments);
  uploader->segment_bytes_ = std::clamp(batch_bytes, size_t{1}, segment_bytes);
  ACU_ASSIGN_OR_RETURN(uploader->staging_, device.Allocate(segments * uploader->segment_bytes_, MemoryKind::kUpload));
  std::memset(uploader->staging_->host(), static_cast<int>(padding), uploader->staging_->bytes());
  return uploader;
}

void Uploader::Clear() {
  const int turns = static_cast<int>(turns_.size());
  for (int turn = 0; turn < turns; ++turn) ends_before_[SegmentOf(turn)] = std::move(turns_[turn].end);
  first_segment_ = SegmentOf(turns);
  pieces_.clear();
  turns_.clear();
  direct_.clear();
  bytes_ = used_ = 0;
  submitted_ = 0;
  status_ = {};
}

void Uploader::Add(const Plane& plane, size_t row_bytes, const Buffer& to, size_t offset, size_t to_stride) {
  const int rows = static_cast<int>(std::max<size_t>(std::min(kPieceBytes, segment_bytes_) / to_stride, 1));
  for (int y = 0; y < plane.height; y += rows) {
    const int count = std::min(rows, plane.height - y);
    AddPiece({plane.data + y * plane.stride, nullptr, plane.stride, to_stride, row_bytes, count, 0, 0}, to,
             offset + y * to_stride);
  }
  bytes_ += row_bytes * plane.height;
}

void Uploader::AddPiece(Piece piece, const Buffer& to, size_t offset) {
  const size_t bytes = piece.to_stride * piece.rows;
  if (turns_.empty() || used_ + bytes > segment_bytes_) {
    turns_.emplace_back();
    used_ = 0;
  }
  piece.turn = static_cast<int>(turns_.size()) - 1;
  piece.round = turns_.back().pieces_left % static_cast<int>(std::max<size_t>(kPageTableBytes / bytes, 1));
  const size_t at = SegmentOf(piece.turn) * segment_bytes_ + used_;
  piece.to = staging_->host() + at;
  AddCopy({staging_.get(), at, &to, offset, bytes}, turns_.back().copies);
  ++turns_.back().pieces_left;
  used_ += bytes;
  pieces_.push_back(piece);
}

void Uploader::AddDirect(const CopyCommand& copy) {
  AddCopy(copy, direct_);
  bytes_ += copy.bytes * copy.rows;
}

/// Pieces begin in their order (ForEach), so that those of the turns before end without waiting for this one. Without
/// marks nobody could tell later when the segments may be written again.
Status Uploader::Run(Queue& queue, const ForEach& for_each) {
  if (!direct_.empty()) ACU_RETURN_IF_ERROR(queue.Copy(direct_));
  const auto copy = [&](int i) {
    const Status status = WaitForSegment(queue, pieces_[i].turn);
    if (status.ok()) CopyRows(pieces_[i]);
    FinishPiece(queue, status, pieces_[i].turn);
  };
  std::ranges::stable_sort(pieces_, {}, [](const Piece& piece) { return std::pair(piece.turn, piece.round); });
  const int count = static_cast<int>(pieces_.size());
  if (for_each) for_each(count, copy);
  else
    for (int i = 0; i < count; ++i) copy(i);
  ACU_RETURN_IF_ERROR(status_);
  return turns_.empty() || turns_.back().end ? Status() : queue.Wait();
}

/// Until the device has read what the segment held before.
Status Uploader::WaitForSegment(Queue& queue, int turn) {
  if (turns_[turn].may_write) return {};
  std::unique_lock lock(mutex_);
  const int before = turn - segments();
  submitted_changed_.wait(lock, [&] { return submitted_ > before; });
  ACU_RETURN_IF_ERROR(status_);
  const std::shared_ptr<Mark> end = before < 0 ? ends_before_[SegmentOf(turn)] : turns_[before].end;
  if (end) {
    lock.unlock();
    ACU_RETURN_IF_ERROR(end->Wait());
  } else if (before >= 0) {
    ACU_RETURN_IF_ERROR(queue.Wait());
  }
  turns_[turn].may_write = true;  // this turn alone: the one before may follow work of another queue
  return {};
}

void Uploader::CopyRows(const Piece& piece) const {
  const size_t rest = piece.to_stride - piece.row_bytes;
  if (rest == 0 && piece.from_stride == static_cast<ptrdiff_t>(piece.row_bytes))
    return void(std::memcpy(piece.to, piece.from, piece.row_bytes * piece.rows));
  for (int y = 0; y < piece.rows; ++y) {
    std::byte* to = piece.to + y * piece.to_stride;
    std::memcpy(to, piece.from + y * piece.from_stride, piece.row_bytes);
    std::memset(to + piece.row_bytes, static_cast<int>(padding_), rest);
  }
}

void Uploader::FinishPiece(Queue& queue, const Status& status, int turn) {
  const bool last = --turns_[turn].pieces_left == 0;
  if (!last && status.ok()) return;
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = status;
  for (; submitted_ < static_cast<int>(turns_.size()) && turns_[submitted_].pieces_left == 0; ++submitted_)
    if (status_.ok()) status_ = Submit(queue, turns_[submitted_]);
  submitted_changed_.notify_all();
}

Status Uploader::Submit(Queue& queue, Turn& turn) {
  ACU_RETURN_IF_ERROR(queue.Copy(turn.copies));
  ACU_ASSIGN_OR_RETURN(turn.end, queue.MarkEnd());
  return {};
}

void Uploader::AppendFill(const Buffer& to, std::vector<CopyCommand>& copies) const {
  for (size_t at = 0; at < to.bytes(); at += staging_->bytes())
    copies.push_back({staging_.get(), 0, &to, at, std::min(staging_->bytes(), to.bytes() - at)});
}

}  // namespace acutance
