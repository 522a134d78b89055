#include "io/ffmpeg/segment.h"

#include <algorithm>
#include <utility>

#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

// Segments beyond are decoded by a single decoder as their packets are read.
constexpr size_t kMostPackets = 1024;
constexpr size_t kMostBytes = size_t{64} << 20;

/// Why a packet hinders cuts; empty: it does not.
std::string HindranceOf(const AVPacket& packet) {
  if (packet.flags & AV_PKT_FLAG_CORRUPT) return "the container lost bytes";
  if (packet.pts == AV_NOPTS_VALUE) return "its packets have no times";
  for (int i = 0; i < packet.side_data_elems; ++i)
    if (packet.side_data[i].type == AV_PKT_DATA_NEW_EXTRADATA) return "its parameter sets change";
  return "";
}

void AddTime(const AVPacket& packet, std::vector<int64_t>& times) {
  if (!(packet.flags & AV_PKT_FLAG_DISCARD)) times.push_back(packet.pts);
}

}  // namespace

FrameOrder::FrameOrder(std::vector<int64_t> times, std::optional<int64_t> beyond)
    : times_(std::move(times)), beyond_(beyond) {
  std::ranges::sort(times_);
}

FrameOrder::Verdict FrameOrder::Check(const AVFrame& frame) {
  if (beyond_ && Fields(frame).pts() >= *beyond_) return is_complete() ? Verdict::kBeyond : Verdict::kWrong;
  if (is_complete() || Fields(frame).pts() != times_[next_]) return Verdict::kWrong;
  ++next_;
  return Verdict::kNext;
}

void SegmentCutter::Start(std::string refusal) {
  has_doubts_ = false;
  ahead_.clear();
  ahead_bytes_ = 0;
  times_.clear();
  end_.reset();
  first_error_.reset();
  packets_ = 0;
  refusal_ = std::move(refusal);
  access_ = refusal_.empty() ? RandomAccess::Of(input_.parameters()) : nullptr;
  if (refusal_.empty() && !access_) refusal_ = "no places are known where decoders of its codec can start";
}

void SegmentCutter::Refuse(std::string reason) {
  refusal_ = std::move(reason);
  access_.reset();
  times_ = {};
}

void SegmentCutter::Doubt(std::string reason) {
  Refuse(std::move(reason));
  has_doubts_ = true;
}

bool SegmentCutter::ReadAhead() {
  while (!end_) {
    StreamPacket next{PacketPtr(Ffmpeg().av_packet_alloc())};
    if (!next.packet) throw std::bad_alloc();
    const Result<std::optional<bool>> is_ours = input_.Read(*next.packet);
    if (!first_error_ && !input_.error().empty()) first_error_ = packets_ + 1;
    if (!is_ours.ok() || !*is_ours) {
      end_ = is_ours.ok() ? Status() : is_ours.status();
    } else if (**is_ours) {
      next.number = ++packets_;
      const AVPacket& packet = *next.packet;
      PacketRole role;
      if (access_) {
        role = access_->Look({packet.data, static_cast<size_t>(packet.size)}, packet.flags & AV_PKT_FLAG_KEY);
        if (packets_ == 1) starts_surely_ = role.starts;
        else if (packets_ == 2) starts_surely_ &= !role.is_leading;
        std::string reason = HindranceOf(packet);
        if (reason.empty()) reason = access_->refusal();
        if (!reason.empty()) {
          if (packet.flags & AV_PKT_FLAG_CORRUPT) Doubt(std::move(reason));
          else Refuse(std::move(reason));
          role = {};
        }
      }
      ahead_bytes_ += static_cast<size_t>(packet.size);
      ahead_.push_back({std::move(next), role});
      return true;
    }
  }
  return false;
}

bool SegmentCutter::HasRead(size_t count) {
  while (ahead_.size() < count)
    if (!ReadAhead()) return false;
  return true;
}

Result<std::optional<StreamPacket>> SegmentCutter::Read() {
  if (!HasRead(1)) return end_->ok() ? Result<std::optional<StreamPacket>>(std::nullopt) : *end_;
  StreamPacket next = std::move(ahead_.front().packet);
  ahead_.pop_front();
  ahead_bytes_ -= static_cast<size_t>(next.packet->size);
  if (access_) AddTime(*next.packet, times_);
  return std::optional(std::move(next));
}

std::optional<Segment> SegmentCutter::Cut(size_t least) {
  for (size_t count = 0; access_; ++count) {
    if (!HasRead(count + 1)) {
      if (!end_->ok()) Doubt("the stream breaks off");
      else if (count > 0 || !times_.empty()) return Take(count);
      return std::nullopt;
    }
    if (access_ && count >= least && ahead_[count].role.starts && HasLeading(count)) return Take(count);
    if (access_ && (count >= kMostPackets || ahead_bytes_ > kMostBytes))
      Refuse("its decoder can start at too few places");
  }
  return std::nullopt;
}

/// Whether all pictures that lead the start are found, and those and what precedes it in the stream come before it in
/// time, and nothing else.
bool SegmentCutter::HasLeading(size_t start) {
  if (!ahead_[start].role.is_open) return true;
  const int64_t time = ahead_[start].packet.packet->pts;
  bool is_in_order = std::ranges::all_of(times_, [&](int64_t earlier) { return earlier < time; });
  for (size_t k = 0; k < start; ++k) is_in_order &= ahead_[k].packet.packet->pts < time;
  for (size_t next = start + 1; HasRead(next + 1) && access_; ++next) {
    const bool is_leading = ahead_[next].role.is_leading;
    is_in_order &= is_leading == (ahead_[next].packet.packet->pts < time);
    if (!is_leading) break;
  }
  if (end_ && !end_->ok()) Doubt("the stream breaks off");
  else if (!is_in_order) Doubt("its times contradict the order of its pictures");
  return access_ != nullptr;
}

/// The pictures that lead an open start follow it; they belong to the segment before it, which needs that start.
Segment SegmentCutter::Take(size_t count) {
  Segment segment;
  std::vector<int64_t> times = std::exchange(times_, {});
  const auto take = [&](size_t at) {
    StreamPacket& next = ahead_[at].packet;
    ahead_bytes_ -= static_cast<size_t>(next.packet->size);
    AddTime(*next.packet, times);
    segment.packets.push_back(std::move(next));
    ahead_.erase(ahead_.begin() + static_cast<ptrdiff_t>(at));
  };
  for (; count > 0; --count) take(0);
  std::optional<int64_t> beyond;
  if (!ahead_.empty() && ahead_.front().role.is_open) {
    const StreamPacket& start = ahead_.front().packet;
    beyond = start.packet->pts;
    segment.packets.push_back({PacketPtr(Ffmpeg().av_packet_clone(start.packet.get())), start.number});
    if (!segment.packets.back().packet) throw std::bad_alloc();
    while (HasRead(2) && ahead_[1].role.is_leading) take(1);
  }
  segment.is_last = ahead_.empty();
  segment.order = FrameOrder(std::move(times), beyond);
  return segment;
}

}  // namespace acutance
