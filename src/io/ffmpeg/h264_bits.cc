#include "io/ffmpeg/h264_bits.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

namespace acutance {
namespace {

constexpr int kSpsNal = 7;

/// Sets of sequences, then those of pictures, each list after its length.
std::vector<H264Bytes> NalsOfRecord(H264Bytes record) {
  constexpr size_t kLists = 5;
  std::vector<H264Bytes> nals;
  H264Bytes rest = record.subspan(std::min(kLists, record.size()));
  for (const int mask : {31, 255}) {
    if (rest.empty()) break;
    int count = rest[0] & mask;
    for (rest = rest.subspan(1); count > 0 && rest.size() > 2; --count) {
      const size_t length = std::min<size_t>(rest[0] << 8 | rest[1], rest.size() - 2);
      nals.push_back(rest.subspan(2, length));
      rest = rest.subspan(2 + length);
    }
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

std::vector<H264Bytes> H264AllSets(H264Bytes extradata) {
  const bool is_record = !extradata.empty() && extradata[0] == 1;
  return is_record ? NalsOfRecord(extradata) : NalsAfterStartCodes(extradata);
}

std::vector<H264Bytes> H264ParameterSets(H264Bytes extradata) {
  std::vector<H264Bytes> nals = H264AllSets(extradata);
  std::erase_if(nals, [](H264Bytes nal) { return nal.empty() || (nal[0] & 31) != kSpsNal; });
  return nals;
}

bool HasH264ChromaFormat(uint32_t profile) {
  constexpr uint32_t kProfiles[] = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};  // 7.3.2.1.1
  return std::ranges::find(kProfiles, profile) != std::end(kProfiles);
}

namespace {

// H.264, 7.3.2.1.1.1.
void PassScalingList(H264BitReader& reader, int size) {
  int last = 8, next = 8;
  for (int i = 0; i < size && next != 0; ++i) {
    next = (last + reader.SignedExpGolomb() % 256 + 256) % 256;
    if (next != 0) last = next;
  }
}

void PassFormat(H264BitReader& reader, H264SetStart& start) {
  const uint32_t chroma_format = reader.ExpGolomb();
  if (chroma_format == 3) start.has_own_planes = reader.Bit() != 0;
  reader.ExpGolomb();  // bit depths
  reader.ExpGolomb();
  reader.Bit();                   // qpprime_y_zero_transform_bypass_flag
  if (reader.Bit() == 0) return;  // seq_scaling_matrix_present_flag
  for (int list = 0; list < (chroma_format == 3 ? 12 : 8); ++list)
    if (reader.Bit() != 0) PassScalingList(reader, list < 6 ? 16 : 64);
}

void PassOrderCount(H264BitReader& reader, H264SetStart& start) {
  start.order_type = reader.ExpGolomb();
  if (start.order_type == 0) start.order_bits = reader.ExpGolomb() + 4;
  if (start.order_type != 1) return;
  start.order_is_always_zero = reader.Bit() != 0;
  reader.ExpGolomb();  // two offsets
  reader.ExpGolomb();
  for (uint32_t left = reader.ExpGolomb(); left > 0 && !reader.past_end(); --left) reader.ExpGolomb();
}

}  // namespace

H264SetStart PassH264SetStart(H264BitReader& reader) {
  H264SetStart start;
  reader.Bits(8);  // NAL unit header
  start.profile = reader.Bits(8);
  reader.Bits(16);  // constraint flags, level_idc
  start.id = reader.ExpGolomb();
  if (HasH264ChromaFormat(start.profile)) PassFormat(reader, start);
  start.frame_number_bits = reader.ExpGolomb() + 4;
  PassOrderCount(reader, start);
  reader.ExpGolomb();  // max_num_ref_frames
  reader.Bit();        // gaps_in_frame_num_value_allowed_flag
  reader.ExpGolomb();  // width, height
  reader.ExpGolomb();
  start.has_frames_alone = reader.Bit() != 0;  // frame_mbs_only_flag
  if (!start.has_frames_alone) reader.Bit();   // mb_adaptive_frame_field_flag
  reader.Bit();                                // direct_8x8_inference_flag
  if (reader.Bit() != 0)                       // frame_cropping_flag
    for (int i = 0; i < 4; ++i) reader.ExpGolomb();
  start.has_usability = reader.Bit() != 0;  // vui_parameters_present_flag
  return start;
}

std::optional<bool> H264DeclaresRange(H264Bytes packet) {
  const std::vector<H264Bytes> sets = H264ParameterSets(packet);
  if (sets.empty()) return std::nullopt;
  H264BitReader reader(sets.back());
  if (!PassH264SetStart(reader).has_usability) return reader.past_end() ? std::nullopt : std::optional(false);
  constexpr uint32_t kOwnAspect = 255;
  if (reader.Bit() != 0 && reader.Bits(8) == kOwnAspect) reader.Bits(32);
  if (reader.Bit() != 0) reader.Bit();      // overscan
  const bool declares = reader.Bit() != 0;  // video_signal_type_present_flag
  return reader.past_end() ? std::nullopt : std::optional(declares);
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

namespace {

// H.264, E.1.2.
void PassHrd(H264BitReader& reader) {
  const uint32_t count = reader.ExpGolomb() + 1;
  reader.Bits(8);  // scales
  for (uint32_t i = 0; i < count && !reader.past_end(); ++i) {
    reader.ExpGolomb();
    reader.ExpGolomb();
    reader.Bit();
  }
  reader.Bits(20);  // lengths
}

/// Up to the decoder's parameters (E.1.1).
void PassColors(H264BitReader& reader) {
  constexpr uint32_t kOwnAspect = 255;
  if (reader.Bit() != 0 && reader.Bits(8) == kOwnAspect) reader.Bits(32);
  if (reader.Bit() != 0) reader.Bit();  // overscan
  if (reader.Bit() != 0) {              // video_signal_type_present_flag
    reader.Bits(4);
    if (reader.Bit() != 0) reader.Bits(24);
  }
  if (reader.Bit() != 0) {  // chroma_loc_info_present_flag
    reader.ExpGolomb();
    reader.ExpGolomb();
  }
  if (reader.Bit() != 0) {  // timing_info_present_flag
    reader.Bits(32);
    reader.Bits(33);
  }
}

/// Whether there is bitstream_restriction, and no pic_struct.
bool BoundsOrder(H264BitReader& reader) {
  PassColors(reader);
  const bool has_nal = reader.Bit() != 0;
  if (has_nal) PassHrd(reader);
  const bool has_vcl = reader.Bit() != 0;
  if (has_vcl) PassHrd(reader);
  if (has_nal || has_vcl) reader.Bit();  // low_delay_hrd_flag
  const bool has_pic_struct = reader.Bit() != 0;
  if (reader.Bit() == 0) return false;  // bitstream_restriction_flag
  reader.Bit();                         // motion_vectors_over_pic_boundaries_flag
  for (int i = 0; i < 6; ++i) reader.ExpGolomb();
  return !has_pic_struct && !reader.past_end();
}

bool TellsOrder(H264Bytes sps) {
  H264BitReader reader(sps);
  const H264SetStart start = PassH264SetStart(reader);
  return start.has_frames_alone && start.has_usability && BoundsOrder(reader);
}

}  // namespace

bool H264DeclaresReorderDepth(H264Bytes extradata) {
  const std::vector<H264Bytes> sets = H264ParameterSets(extradata);
  for (const H264Bytes sps : sets)
    if (!TellsOrder(sps)) return false;
  return !sets.empty();
}

}  // namespace acutance
