#include "io/ffmpeg/random_access.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

class IntraPictures : public RandomAccess {
 public:
  PacketRole Look(PacketBytes /*packet*/, bool /*is_key*/) override { return {.starts = true}; }
};

/// Key frames reset all of the coder's state. The decoder refuses to start at others.
/// Where frames have no checksums, as before version 2, which has extradata, what damaged ones show depends on those
/// before.
class Ffv1Keys : public RandomAccess {
 public:
  explicit Ffv1Keys(const AVCodecParameters& codec) {
    if (Fields(codec).extradata_size() == 0) refusal_ = "its codec's early version does not check its frames";
  }
  PacketRole Look(PacketBytes packet, bool is_key) override {
    if (!std::exchange(is_checked_, true) && refusal_.empty() && !HasChecksum(packet))
      refusal_ = "its frames have no checksums";
    return {.starts = is_key && refusal_.empty()};
  }

 private:
  /// Of the last slice, which ends with its size, a byte and the checksum (RFC 9043, 4.9).
  static bool HasChecksum(PacketBytes packet) {
    constexpr size_t kFooter = 8;
    if (packet.size() < kFooter) return false;
    const PacketBytes footer = packet.last(kFooter);
    const size_t size = static_cast<size_t>(footer[0]) << 16 | static_cast<size_t>(footer[1]) << 8 | footer[2];
    if (size > packet.size() - kFooter) return false;
    uint32_t checksum = 0;
    for (const uint8_t byte : packet.last(size + kFooter)) {
      checksum ^= static_cast<uint32_t>(byte) << 24;
      for (int bit = 0; bit < 8; ++bit) checksum = checksum << 1 ^ (checksum >> 31 ? 0x04c11db7u : 0);
    }
    return checksum == 0;
  }

  bool is_checked_ = false;
};

/// A key frame that is shown refreshes all references and contexts.
class Vp9Keys : public RandomAccess {
 public:
  PacketRole Look(PacketBytes packet, bool /*is_key*/) override {
    if (packet.empty()) return {};
    // frame_marker, profile, its reserved bit, show_existing_frame, frame_type, show_frame (VP9, 6.2)
    const bool has_reserved = (packet[0] & 0x30) == 0x30;
    const int flags = packet[0] >> (has_reserved ? 0 : 1);
    return {.starts = packet[0] >> 6 == 2 && (flags & 7) == 1};
  }
};

/// Bytes of an open bitstream unit of AV1 (5.3), and what follows it.
struct Unit {
  int type = 0;
  PacketBytes payload, rest;
};

std::optional<Unit> ReadUnit(PacketBytes bytes) {
  if (bytes.empty()) return std::nullopt;
  const bool has_extension = bytes[0] & 4, has_size = bytes[0] & 2;
  Unit unit{bytes[0] >> 3 & 15, {}, {}};
  size_t at = has_extension ? 2 : 1, size = 0;
  for (int shift = 0; has_size; shift += 7) {
    if (at >= bytes.size() || shift > 28) return std::nullopt;
    size |= static_cast<size_t>(bytes[at] & 127) << shift;
    if (bytes[at++] < 128) break;
  }
  if (at > bytes.size()) return std::nullopt;
  if (!has_size) size = bytes.size() - at;
  if (size > bytes.size() - at) return std::nullopt;
  unit.payload = bytes.subspan(at, size);
  unit.rest = bytes.subspan(at + size);
  return unit;
}

/// A key frame that is shown, after the header of its sequence.
class Av1Keys : public RandomAccess {
 public:
  PacketRole Look(PacketBytes packet, bool /*is_key*/) override {
    constexpr int kSequence = 1, kFrameHeader = 3, kFrame = 6;
    bool has_sequence = false;
    while (const std::optional<Unit> unit = ReadUnit(packet)) {
      if (unit->payload.empty() && unit->type == kSequence) return {};
      if (unit->type == kSequence) {
        has_sequence = true;
        if (unit->payload[0] & 8) return {};  // reduced_still_picture_header
      }
      // show_existing_frame, frame_type, show_frame (AV1, 5.9.2)
      if (unit->type == kFrameHeader || unit->type == kFrame)
        return {.starts = has_sequence && !unit->payload.empty() && unit->payload[0] >> 4 == 1};
      packet = unit->rest;
    }
    return {};
  }
};

/// Groups of pictures that are closed, after a header of their sequence, whose extensions are the first one's: FFmpeg
/// retains what an earlier one declares.
class Mpeg2Groups : public RandomAccess {
 public:
  PacketRole Look(PacketBytes packet, bool /*is_key*/) override {
    constexpr uint8_t kPicture = 0, kSequence = 0xb3, kExtension = 0xb5, kGroup = 0xb8, kIntra = 1;
    bool has_sequence = false, is_closed = false;
    std::vector<uint8_t> extensions;
    for (size_t at = FindCode(packet, 0); at + 8 <= packet.size();) {
      const size_t next = FindCode(packet, at + 4);
      const PacketBytes header = packet.subspan(at + 4);
      const uint8_t code = packet[at + 3];
      has_sequence |= code == kSequence;
      if (code == kExtension) extensions.insert(extensions.end(), packet.begin() + at, packet.begin() + next);
      if (code == kGroup) is_closed = (header[3] & 0x60) == 0x40;  // closed_gop, no broken_link
      if (code == kPicture) {
        if (has_sequence) NoteExtensions(extensions);
        return {.starts = refusal_.empty() && has_sequence && is_closed && (header[1] >> 3 & 7) == kIntra};
      }
      at = next;
    }
    return {};
  }

 private:
  /// The next start code, which is followed by four bytes or more; the end where there is none.
  static size_t FindCode(PacketBytes packet, size_t from) {
    for (size_t at = from; at + 8 <= packet.size(); ++at)
      if (packet[at] == 0 && packet[at + 1] == 0 && packet[at + 2] == 1) return at;
    return packet.size();
  }

  void NoteExtensions(const std::vector<uint8_t>& extensions) {
    if (extensions_.empty()) extensions_ = extensions;
    if (extensions_ != extensions) refusal_ = "the headers of its sequences change";
  }

  std::vector<uint8_t> extensions_;
};

}  // namespace

std::unique_ptr<RandomAccess> RandomAccess::Of(const AVCodecParameters& codec) {
  const auto fields = Fields(codec);
  const PacketBytes extradata(fields.extradata(), static_cast<size_t>(fields.extradata_size()));
  switch (CodecOf(fields.codec_id())) {
    case Codec::kH264:
      return MakeH264Access(extradata);
    case Codec::kHevc:
      return MakeHevcAccess(extradata);
    case Codec::kVp9:
      return std::make_unique<Vp9Keys>();
    case Codec::kAv1:
      return std::make_unique<Av1Keys>();
    case Codec::kMpeg2:
      return std::make_unique<Mpeg2Groups>();
    case Codec::kFfv1:
      return std::make_unique<Ffv1Keys>(codec);
    case Codec::kProres:
    case Codec::kDnxhd:
    case Codec::kJpeg2000:
      return std::make_unique<IntraPictures>();
    default:
      return nullptr;
  }
}

}  // namespace acutance
