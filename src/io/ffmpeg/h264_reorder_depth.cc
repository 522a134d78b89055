#include "io/ffmpeg/h264_reorder_depth.h"

#include "io/ffmpeg/h264_bits.h"

namespace acutance {
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

bool H264DeclaresReorderDepth(std::span<const uint8_t> extradata) {
  const std::vector<H264Bytes> sets = H264ParameterSets(extradata);
  for (const H264Bytes sps : sets)
    if (!TellsOrder(sps)) return false;
  return !sets.empty();
}

}  // namespace acutance
