#include "io/ffmpeg/program_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace acutance {
namespace {

constexpr uint8_t kSync = 0x47;
constexpr int kNoPid = 0x1fff;  // of packets without a meaning

int PidAt(const uint8_t* bytes) { return (bytes[0] & 0x1f) << 8 | bytes[1]; }

void SetPid(uint8_t* packet, int pid) {
  packet[1] = static_cast<uint8_t>((packet[1] & 0xe0) | pid >> 8);
  packet[2] = static_cast<uint8_t>(pid);
}

/// MPEG-1, MPEG-2, MPEG-4, H.264, HEVC, VVC, AVS and VC-1.
bool IsVideo(int type) {
  constexpr int kTypes[] = {0x01, 0x02, 0x10, 0x1b, 0x24, 0x33, 0x42, 0xea};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

uint32_t ChecksumOf(std::span<const uint8_t> bytes) {
  constexpr uint32_t kPolynomial = 0x04c11db7;
  uint32_t sum = 0xffffffff;
  for (const uint8_t byte : bytes) {
    sum ^= uint32_t{byte} << 24;
    for (int bit = 0; bit < 8; ++bit) sum = sum << 1 ^ (sum >> 31 ? kPolynomial : 0);
  }
  return sum;
}

/// The section that begins and ends in a packet, from its table on and without its checksum; empty: there is none that
/// is whole, intact and in force.
std::span<const uint8_t> SectionIn(const uint8_t* packet, int table) {
  constexpr size_t kHeader = 8, kChecksum = 4;
  const bool has_start = packet[1] & 0x40, has_payload = packet[3] & 0x10, has_more_header = packet[3] & 0x20;
  size_t at = has_more_header ? size_t{5} + packet[4] : 4;
  if (!has_start || !has_payload || at >= ProgramChanges::kPacket) return {};
  at += size_t{1} + packet[at];
  if (at + kHeader > ProgramChanges::kPacket || packet[at] != table) return {};
  const size_t size = 3 + (size_t{packet[at + 1] & 0xfu} << 8 | packet[at + 2]);
  const bool is_in_force = packet[at + 5] & 1;
  if (size < kHeader + kChecksum || at + size > ProgramChanges::kPacket || !is_in_force) return {};
  const std::span section(packet + at, size);
  return ChecksumOf(section) == 0 ? section.first(size - kChecksum) : std::span<const uint8_t>();
}

}  // namespace

ProgramChanges::ProgramChanges(std::string_view start) {
  const auto is_sync = [&](size_t at) { return start.size() > at && static_cast<uint8_t>(start[at]) == kSync; };
  is_active_ = is_sync(0) && is_sync(kPacket) && is_sync(2 * kPacket);
}

void ProgramChanges::Add(std::span<const uint8_t> bytes) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(taken_));
  ready_ -= taken_;
  taken_ = 0;
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  while (bytes_.size() > ready_ + kPacket) {
    const bool is_packet = bytes_[ready_] == kSync && bytes_[ready_ + kPacket] == kSync;
    if (is_packet) Rewrite(bytes_.data() + ready_);
    ready_ += is_packet ? kPacket : 1;
  }
}

bool ProgramChanges::End() {
  if (bytes_.size() == ready_ + kPacket && bytes_[ready_] == kSync) Rewrite(bytes_.data() + ready_);
  ready_ = bytes_.size();
  return taken_ < ready_;
}

size_t ProgramChanges::Take(uint8_t* to, size_t count) {
  count = std::min(count, ready_ - taken_);
  if (count > 0) std::memcpy(to, bytes_.data() + taken_, count);
  taken_ += count;
  return count;
}

void ProgramChanges::Jump() {
  bytes_.clear();
  ready_ = taken_ = 0;
  if (first_) current_ = announced_ = *first_;
  counter_shift_ = 0;
  has_changed_ = false;
  left_out_ = 0;
}

void ProgramChanges::Rewrite(uint8_t* packet) {
  const int pid = PidAt(packet + 1);
  if (pid == 0) ReadPrograms(SectionIn(packet, 0));
  else if (pid == announced_.table_pid) ReadVideo(SectionIn(packet, 2));
  if (!is_active_) return;
  const bool is_table = pid == 0 || pid == announced_.table_pid;
  const bool is_other = IsOther() || (first_ && announced_.table_pid != first_->table_pid);
  if (pid == current_.video_pid) RewriteVideo(packet);
  else if (is_other && (is_table || pid == first_->video_pid)) SetPid(packet, kNoPid);
}

void ProgramChanges::RewriteVideo(uint8_t* packet) {
  const int has_payload = packet[3] >> 4 & 1, counter = packet[3] & 0xf;
  if (current_.type != first_->type) {
    left_out_ += packet[1] >> 6 & 1;
    return SetPid(packet, kNoPid);
  }
  SetPid(packet, first_->video_pid);
  if (std::exchange(has_changed_, false)) counter_shift_ = counter_ + has_payload - counter;
  counter_ = (counter + counter_shift_) & 0xf;
  packet[3] = static_cast<uint8_t>((packet[3] & 0xf0) | counter_);
}

/// The program association table.
void ProgramChanges::ReadPrograms(Section section) {
  Program found;
  for (size_t at = 8; at + 4 <= section.size(); at += 4) {
    const int number = section[at] << 8 | section[at + 1];
    if (number == 0) continue;  // the network's own table
    if (found.number >= 0) is_active_ = false;
    found.number = number;
    found.table_pid = PidAt(section.data() + at + 2);
  }
  if (found.number >= 0) announced_ = found;
}

/// The program map table.
void ProgramChanges::ReadVideo(Section section) {
  if (section.size() < 12 || (section[3] << 8 | section[4]) != announced_.number) return;
  Program found = announced_;
  found.video_pid = found.type = -1;
  int videos = 0;
  for (size_t at = 12 + (size_t{section[10] & 0xfu} << 8 | section[11]); at + 5 <= section.size();
       at += 5 + (size_t{section[at + 3] & 0xfu} << 8 | section[at + 4])) {
    const int type = section[at];
    if (!IsVideo(type)) continue;
    ++videos;
    const bool is_better = first_ && type == first_->type && found.type != type;
    if (found.type < 0 || is_better) found.type = type, found.video_pid = PidAt(section.data() + at + 1);
  }
  if (!first_) {
    is_active_ &= videos == 1;
    first_ = current_ = found;
  }
  has_changed_ |= found != current_;
  current_ = announced_ = found;
}

std::string ProgramChanges::Describe() const {
  if (left_out_ == 0) return "";
  return fmt::format("changes to a program of another codec: {} of its pictures are not scored", left_out_);
}

}  // namespace acutance
