#include "io/ffmpeg/device_packets.h"

#include <array>

#include "io/ffmpeg/h264_bits.h"
#include "io/ffmpeg/layout.h"
#include "io/ffmpeg/nal_units.h"

namespace acutance {
namespace {

constexpr std::array<uint8_t, 4> kAnnexBCode = {0, 0, 0, 1};

using Bytes = std::span<const uint8_t>;

/// HEVC's record in MP4 and Matroska (ISO/IEC 14496-15, 8.3.3.1): arrays of sets.
std::vector<Bytes> SetsOfHevc(Bytes record) {
  constexpr size_t kHead = 23;
  std::vector<Bytes> sets;
  if (record.size() < kHead) return sets;
  int arrays = record[kHead - 1];
  for (Bytes rest = record.subspan(kHead); arrays > 0 && rest.size() > 2; --arrays) {
    int count = rest[1] << 8 | rest[2];
    for (rest = rest.subspan(3); count > 0 && rest.size() > 2; --count) {
      const size_t length = std::min<size_t>(rest[0] << 8 | rest[1], rest.size() - 2);
      sets.push_back(rest.subspan(2, length));
      rest = rest.subspan(2 + length);
    }
  }
  return sets;
}

}  // namespace

DevicePackets::DevicePackets(DeviceCodec codec, const AVCodecParameters& parameters) : codec_(codec) {
  const auto fields = Fields(parameters);
  const Bytes extradata(fields.extradata(), static_cast<size_t>(fields.extradata_size()));
  if (codec == DeviceCodec::kVp9) return;
  length_bytes_ = codec == DeviceCodec::kH264 ? H264LengthBytes(extradata) : HevcLengthBytes(extradata);
  const std::vector<Bytes> sets =
      codec == DeviceCodec::kH264 || length_bytes_ == 0 ? H264AllSets(extradata) : SetsOfHevc(extradata);
  for (const Bytes set : sets) Append(set);
  sets_ = std::exchange(bytes_, {});
}

void DevicePackets::Append(Bytes unit) {
  bytes_.insert(bytes_.end(), kAnnexBCode.begin(), kAnnexBCode.end());
  bytes_.insert(bytes_.end(), unit.begin(), unit.end());
}

/// Film grain characteristics are supplemental information of type 19 (H.264 D.1.21, HEVC D.2.21).
bool DevicePackets::HasGrain(Bytes unit) const {
  constexpr int kH264Messages = 6, kHevcMessages = 39, kGrain = 19;
  const bool is_h264 = codec_ == DeviceCodec::kH264;
  if (unit.size() < 4 || (is_h264 ? unit[0] & 31 : unit[0] >> 1 & 63) != (is_h264 ? kH264Messages : kHevcMessages))
    return false;
  for (Bytes rest = unit.subspan(is_h264 ? 1 : 2); rest.size() > 2;) {
    size_t type = 0, size = 0;
    for (size_t* value : {&type, &size}) {
      while (!rest.empty() && rest[0] == 255) *value += 255, rest = rest.subspan(1);
      if (rest.empty()) return false;
      *value += rest[0];
      rest = rest.subspan(1);
    }
    if (type == kGrain) return true;
    if (size >= rest.size()) return false;
    rest = rest.subspan(size);
  }
  return false;
}

Bytes DevicePackets::Convert(Bytes packet, bool starts) {
  if (codec_ == DeviceCodec::kVp9) return packet;
  bytes_.clear();
  if (starts) bytes_ = sets_;
  NalUnits units(packet, length_bytes_);
  for (Bytes unit = units.Next(); !unit.empty(); unit = units.Next()) {
    if (HasGrain(unit)) return {};
    Append(unit);
  }
  return bytes_;
}

}  // namespace acutance
