#include "io/h264_chroma.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace acutance {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr int kSpsNal = 7;
// The profiles whose parameter sets have chroma_format_idc (H.264, 7.3.2.1.1); with all others it is 1, 4:2:0.
constexpr int kChromaProfiles[] = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};

class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  bool past_end() const { return past_end_; }

  uint32_t Bits(int count) {
    uint32_t value = 0;
    for (; count > 0; --count) value = value << 1 | Bit();
    return value;
  }

  uint32_t ExpGolomb() {
    int zeros = 0;
    while (Bit() == 0)
      if (past_end_ || ++zeros == 32) return ~0u;
    return (1u << zeros) - 1 + Bits(zeros);
  }

 private:
  uint32_t Bit() {
    past_end_ |= position_ / 8 >= bytes_.size();
    if (past_end_) return 0;
    const uint32_t bit = bytes_[position_ / 8] >> (7 - position_ % 8) & 1;
    ++position_;
    return bit;
  }

  Bytes bytes_;
  size_t position_ = 0;
  bool past_end_ = false;
};

/// chroma_format_idc; none where the bytes end too early.
std::optional<uint32_t> ChromaFormat(Bytes sps) {
  // No 00 00 03, whose 03 would have to be skipped, stands before it: profile and level are not 0, the ids are small.
  BitReader reader(sps);
  reader.Bits(8);  // NAL unit header
  const int profile = static_cast<int>(reader.Bits(8));
  reader.Bits(16);     // constraint flags, level_idc
  reader.ExpGolomb();  // seq_parameter_set_id
  const bool is_written = std::ranges::find(kChromaProfiles, profile) != std::end(kChromaProfiles);
  const uint32_t format = is_written ? reader.ExpGolomb() : 1;
  return reader.past_end() ? std::nullopt : std::optional(format);
}

/// AVCDecoderConfigurationRecord (ISO/IEC 14496-15): the parameter sets after their lengths. One that ends too early is
/// cut off.
std::vector<Bytes> NalsOfRecord(Bytes record) {
  constexpr size_t kFirstSps = 6;
  std::vector<Bytes> nals;
  if (record.size() < kFirstSps) return nals;
  int count = record[kFirstSps - 1] & 31;
  for (Bytes rest = record.subspan(kFirstSps); count > 0 && rest.size() > 2; --count) {
    const size_t length = std::min<size_t>(rest[0] << 8 | rest[1], rest.size() - 2);
    nals.push_back(rest.subspan(2, length));
    rest = rest.subspan(2 + length);
  }
  return nals;
}

/// H.264, annex B: what stands between start codes.
std::vector<Bytes> NalsAfterStartCodes(Bytes bytes) {
  constexpr std::array<uint8_t, 3> kStartCode = {0, 0, 1};
  const auto find = [&](auto from) { return std::search(from, bytes.end(), kStartCode.begin(), kStartCode.end()); };
  std::vector<Bytes> nals;
  for (auto code = find(bytes.begin()); code != bytes.end();) {
    const auto begin = code + kStartCode.size();
    code = find(begin);
    nals.emplace_back(begin, code);
  }
  return nals;
}

}  // namespace

bool H264HasChroma(Bytes extradata) {
  const bool is_record = !extradata.empty() && extradata[0] == 1;
  int read = 0;
  for (Bytes nal : is_record ? NalsOfRecord(extradata) : NalsAfterStartCodes(extradata)) {
    if (nal.empty() || (nal[0] & 31) != kSpsNal) continue;
    if (ChromaFormat(nal).value_or(0) == 0) return false;
    ++read;
  }
  return read > 0;
}

}  // namespace acutance
