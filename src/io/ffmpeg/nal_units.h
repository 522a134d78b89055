// NAL units of H.264 and HEVC in a packet.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace acutance {

/// The bytes of the length before each unit, as the extradata says; 0: units follow start codes.
inline size_t H264LengthBytes(std::span<const uint8_t> extradata) {
  return extradata.size() > 4 && extradata[0] == 1 ? (extradata[4] & 3) + 1 : 0;
}

/// Records of HEVC do not begin with a start code, as FFmpeg distinguishes them.
inline size_t HevcLengthBytes(std::span<const uint8_t> extradata) {
  constexpr size_t kLengthSize = 21;
  const bool is_record = extradata.size() > kLengthSize && (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1);
  return is_record ? (extradata[kLengthSize] & 3) + 1 : 0;
}

/// A packet's units, one after another.
class NalUnits {
 public:
  NalUnits(std::span<const uint8_t> packet, size_t length_bytes) : rest_(packet), length_bytes_(length_bytes) {
    if (length_bytes_ == 0) PassStartCode();
  }

  /// The next unit; empty: there is none.
  std::span<const uint8_t> Next() {
    return Next([](std::span<const uint8_t> /*unit*/) { return false; });
  }

  /// The same, with all that follows it where it `is_last`.
  template <class IsLast>
  std::span<const uint8_t> Next(const IsLast& is_last) {
    if (length_bytes_ > 0) return NextByLength();
    if (rest_.empty()) return {};
    if (is_last(rest_)) return rest_;
    const std::span<const uint8_t> from = rest_;
    PassStartCode();
    size_t size = from.size() - rest_.size();
    if (!rest_.empty()) size -= kStartCode.size();
    while (size > 0 && from[size - 1] == 0) --size;
    return from.first(size);
  }

 private:
  static constexpr std::array<uint8_t, 3> kStartCode = {0, 0, 1};

  void PassStartCode() {
    const auto code = std::search(rest_.begin(), rest_.end(), kStartCode.begin(), kStartCode.end());
    rest_ = {code == rest_.end() ? code : code + kStartCode.size(), rest_.end()};
  }

  std::span<const uint8_t> NextByLength() {
    if (rest_.size() <= length_bytes_) return {};
    size_t size = 0;
    for (size_t i = 0; i < length_bytes_; ++i) size = size << 8 | rest_[i];
    const std::span<const uint8_t> unit = rest_.subspan(length_bytes_);
    if (size == 0 || size > unit.size()) return {};
    rest_ = unit.subspan(size);
    return unit.first(size);
  }

  std::span<const uint8_t> rest_;
  const size_t length_bytes_;
};

}  // namespace acutance
