#include "io/ffmpeg/h264_chroma.h"

#include <optional>

#include "io/ffmpeg/h264_bits.h"

namespace acutance {
namespace {

/// chroma_format_idc; none where the bytes end too early.
std::optional<uint32_t> ChromaFormat(H264Bytes sps) {
  H264BitReader reader(sps);
  reader.Bits(8);  // NAL unit header
  const uint32_t profile = reader.Bits(8);
  reader.Bits(16);     // constraint flags, level_idc
  reader.ExpGolomb();  // seq_parameter_set_id
  const uint32_t format = HasH264ChromaFormat(profile) ? reader.ExpGolomb() : 1;
  return reader.past_end() ? std::nullopt : std::optional(format);
}

}  // namespace

bool H264HasChroma(std::span<const uint8_t> extradata) {
  const std::vector<H264Bytes> sets = H264ParameterSets(extradata);
  for (const H264Bytes sps : sets)
    if (ChromaFormat(sps).value_or(0) == 0) return false;
  return !sets.empty();
}

}  // namespace acutance
