#include "io/ffmpeg/stream_probe.h"

#include <string_view>

#include "io/ffmpeg/h264_bits.h"

namespace acutance {
namespace {

/// "hvcC" (ISO/IEC 14496-15) of a stream that its profile says is progressive and of frames alone. How far HEVC's
/// pictures are reordered its parameter sets always say.
bool IsProgressiveHevc(std::span<const uint8_t> record) {
  constexpr size_t kLeastBytes = 23, kConstraintFlags = 6;
  constexpr uint8_t kProgressive = 0x80, kInterlaced = 0x40, kFramesOnly = 0x10;
  if (record.size() < kLeastBytes || record[0] != 1) return false;
  const uint8_t flags = record[kConstraintFlags];
  return (flags & (kProgressive | kInterlaced | kFramesOnly)) == (kProgressive | kFramesOnly);
}

bool TellsOrder(const AVCodecParameters& codec) {
  if (codec.extradata == nullptr || codec.extradata_size <= 0) return codec.codec_id == AV_CODEC_ID_VP9;
  const std::span extradata(codec.extradata, static_cast<size_t>(codec.extradata_size));
  switch (codec.codec_id) {
    case AV_CODEC_ID_H264:
      return H264DeclaresReorderDepth(extradata);
    case AV_CODEC_ID_HEVC:
      return IsProgressiveHevc(extradata);
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_VP9:
      return true;  // decoders give pictures in the order in which they are shown, and there are no fields
    default:
      return false;
  }
}

bool IsKnown(AVRational rate) { return rate.num > 0 && rate.den > 0; }

}  // namespace

bool CanSkipStreamProbe(const AVFormatContext& container) {
  const std::string_view format = container.iformat->name;
  if (!format.starts_with("mov,mp4") && !format.starts_with("matroska,webm")) return false;
  if (container.nb_streams != 1 || container.duration <= 0) return false;
  const AVStream& stream = *container.streams[0];
  const AVCodecParameters& codec = *stream.codecpar;
  return codec.codec_type == AVMEDIA_TYPE_VIDEO && codec.width > 0 && codec.height > 0 &&
         IsKnown(stream.r_frame_rate) && IsKnown(stream.avg_frame_rate) && TellsOrder(codec);
}

void DescribeContainer(AVFormatContext& container, int64_t first_time, int64_t file_size) {
  const AVStream& stream = *container.streams[0];
  // Matroska's start is not known before times of decoding are, which it does not tell.
  const int64_t start = stream.start_time == AV_NOPTS_VALUE ? first_time : stream.start_time;
  if (start != AV_NOPTS_VALUE) container.start_time = Ffmpeg().av_rescale_q(start, stream.time_base, {1, AV_TIME_BASE});
  if (container.bit_rate <= 0)
    container.bit_rate = static_cast<int64_t>(static_cast<double>(file_size) * 8 * AV_TIME_BASE /
                                              static_cast<double>(container.duration));
}

}  // namespace acutance
