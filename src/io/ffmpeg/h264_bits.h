// The bits of H.264's sequence parameter sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace acutance {

using H264Bytes = std::span<const uint8_t>;

/// The sequence parameter sets, headers included, of extradata: an MP4 file's "avcC", of which one that ends too early
/// is cut off, or NAL units after start codes.
std::vector<H264Bytes> H264ParameterSets(H264Bytes extradata);

/// All parameter sets there, those of pictures included.
std::vector<H264Bytes> H264AllSets(H264Bytes extradata);

/// Whether sets of that profile_idc have chroma_format_idc; with all others it is 1, 4:2:0.
bool HasH264ChromaFormat(uint32_t profile);

/// Reads a NAL unit without the bytes 03 that keep start codes out of it (7.4.1).
class H264BitReader {
 public:
  explicit H264BitReader(H264Bytes bytes) : bytes_(bytes) {}

  /// Whether more was read than there is; what is missing reads as 0.
  bool past_end() const { return past_end_; }

  uint32_t Bit();
  uint32_t Bits(int count);
  uint32_t ExpGolomb();       // ue(v)
  int32_t SignedExpGolomb();  // se(v)

 private:
  H264Bytes bytes_;
  size_t byte_ = 0;
  int bit_ = 0;
  bool past_end_ = false;
};

/// What comes before a set's video usability information.
struct H264SetStart {
  uint32_t profile = 0;
  uint32_t id = 0;
  bool has_own_planes = false;       // separate_colour_plane_flag
  uint32_t frame_number_bits = 0;    // log2_max_frame_num
  uint32_t order_type = 0;           // pic_order_cnt_type
  uint32_t order_bits = 0;           // log2_max_pic_order_cnt_lsb
  bool order_is_always_zero = true;  // delta_pic_order_always_zero_flag
  bool has_frames_alone = false;     // no fields
  bool has_usability = false;
};

/// Reads a set, its header included, up to there (7.3.2.1.1).
H264SetStart PassH264SetStart(H264BitReader& reader);

/// Whether the last set in a packet of NAL units after start codes declares a range; without it the range is limited.
/// nullopt: there is no set.
std::optional<bool> H264DeclaresRange(H264Bytes packet);

/// Whether every sequence parameter set of the extradata bounds the reordering (max_num_reorder_frames), so that a
/// decoder need not find it out, and has whole frames alone: no fields, and no word of how frames are shown as fields.
/// False also where there is no readable set.
bool H264DeclaresReorderDepth(H264Bytes extradata);

}  // namespace acutance
