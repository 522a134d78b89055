#include "io/ffmpeg/h264_reorder_depth.h"

#include "io/ffmpeg/h264_bits.h"

namespace acutance {
namespace {

// H.264, 7.3.2.1.1.1.
void PassScalingList(H264BitReader& reader, int size) {
  int last = 8, next = 8;
  for (int i = 0; i < size && next != 0; ++i) {
    next = (last + reader.SignedExpGolomb() % 256 + 256) % 256;
    if (next != 0) last = next;
  }
}

void PassFormat(H264BitReader& reader) {
  const uint32_t chroma_format = reader.ExpGolomb();
  if (chroma_format == 3) reader.Bit();  // separate_colour_plane_flag
  reader.ExpGolomb();                    // bit depths
  reader.ExpGolomb();
  reader.Bit();                   // qpprime_y_zero_transform_bypass_flag
  if (reader.Bit() == 0) return;  // seq_scaling_matrix_present_flag
  for (int list = 0; list < (chroma_format == 3 ? 12 : 8); ++list)
    if (reader.Bit() != 0) PassScalingList(reader, list < 6 ? 16 : 64);
}

void PassOrderCount(H264BitReader& reader) {
  const uint32_t type = reader.ExpGolomb();
  if (type == 0) reader.ExpGolomb();  // log2_max_pic_order_cnt_lsb_minus4
  if (type != 1) return;
  reader.Bit();        // delta_pic_order_always_zero_flag
  reader.ExpGolomb();  // two offsets
  reader.ExpGolomb();
  for (uint32_t left = reader.ExpGolomb(); left > 0 && !reader.past_end(); --left) reader.ExpGolomb();
}

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
  reader.Bits(8);  // NAL unit header
  const uint32_t profile = reader.Bits(8);
  reader.Bits(16);     // constraint flags, level_idc
  reader.ExpGolomb();  // seq_parameter_set_id
  if (HasH264ChromaFormat(profile)) PassFormat(reader);
  reader.ExpGolomb();  // log2_max_frame_num_minus4
  PassOrderCount(reader);
  reader.ExpGolomb();  // max_num_ref_frames
  reader.Bit();        // gaps_in_frame_num_value_allowed_flag
  reader.ExpGolomb();  // width, height
  reader.ExpGolomb();
  const bool has_frames_alone = reader.Bit() != 0;  // frame_mbs_only_flag
  if (!has_frames_alone) return false;
  reader.Bit();           // direct_8x8_inference_flag
  if (reader.Bit() != 0)  // frame_cropping_flag
    for (int i = 0; i < 4; ++i) reader.ExpGolomb();
  return reader.Bit() != 0 && BoundsOrder(reader);
}

}  // namespace

bool H264DeclaresReorderDepth(std::span<const uint8_t> extradata) {
  const std::vector<H264Bytes> sets = H264ParameterSets(extradata);
  for (const H264Bytes sps : sets)
    if (!TellsOrder(sps)) return false;
  return !sets.empty();
}

}  // namespace acutance
