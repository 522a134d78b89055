#include "io/ffmpeg/h264_bits.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

namespace acutance {
namespace {

constexpr int kSpsNal = 7;

std::vector<H264Bytes> NalsOfRecord(H264Bytes record) {
  constexpr size_t kFirstSps = 6;
  std::vector<H264Bytes> nals;
  if (record.size() < kFirstSps) return nals;
  int count = record[kFirstSps - 1] & 31;
  for (H264Bytes rest = record.subspan(kFirstSps); count > 0 && rest.size() > 2; --count) {
    const size_t length = std::min<size_t>(rest[0] << 8 | rest[1], rest.size() - 2);
    nals.push_back(rest.subspan(2, length));
    rest = rest.subspan(2 + length);
  }
  return nals;
}

/// Annex B: what stands between start codes.
std::vector<H264Bytes> NalsAfterStartCodes(H264Bytes bytes) {
  constexpr std::array<uint8_t, 3> kStartCode = {0, 0, 1};
  const auto find = [&](auto from) { return std::search(from, bytes.end(), kStartCode.begin(), kStartCode.end()); };
  std::vector<H264Bytes> nals;
  for (auto code = find(bytes.begin()); code != bytes.end();) {
    const auto begin = code + kStartCode.size();
    code = find(begin);
    nals.emplace_back(begin, code);
  }
  return nals;
}

}  // namespace

std::vector<H264Bytes> H264ParameterSets(H264Bytes extradata) {
  const bool is_record = !extradata.empty() && extradata[0] == 1;
  std::vector<H264Bytes> nals = is_record ? NalsOfRecord(extradata) : NalsAfterStartCodes(extradata);
  std::erase_if(nals, [](H264Bytes nal) { return nal.empty() || (nal[0] & 31) != kSpsNal; });
  return nals;
}

bool HasH264ChromaFormat(uint32_t profile) {
  constexpr uint32_t kProfiles[] = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};  // 7.3.2.1.1
  return std::ranges::find(kProfiles, profile) != std::end(kProfiles);
}

uint32_t H264BitReader::Bit() {
  if (bit_ == 0 && byte_ >= 2 && byte_ < bytes_.size() && bytes_[byte_] == 3 && bytes_[byte_ - 1] == 0 &&
      bytes_[byte_ - 2] == 0)
    ++byte_;
  past_end_ |= byte_ >= bytes_.size();
  if (past_end_) return 0;
  const uint32_t bit = bytes_[byte_] >> (7 - bit_) & 1;
  bit_ = (bit_ + 1) % 8;
  if (bit_ == 0) ++byte_;
  return bit;
}

uint32_t H264BitReader::Bits(int count) {
  uint32_t value = 0;
  for (; count > 0; --count) value = value << 1 | Bit();
  return value;
}

uint32_t H264BitReader::ExpGolomb() {
  int zeros = 0;
  while (Bit() == 0)
    if (past_end_ || ++zeros == 32) return ~0u;
  return (1u << zeros) - 1 + Bits(zeros);
}

int32_t H264BitReader::SignedExpGolomb() {
  const int64_t code = ExpGolomb();
  const int64_t value = code % 2 == 0 ? -(code / 2) : code / 2 + 1;
  // One above what fits into 32 bits where no number can be read.
  return static_cast<int32_t>(std::min<int64_t>(value, std::numeric_limits<int32_t>::max()));
}

}  // namespace acutance
