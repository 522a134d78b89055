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

bool TellsOrder(const AVCodecParameters& parameters) {
  const auto fields = Fields(parameters);
  const Codec codec = CodecOf(fields.codec_id());
  if (!fields.extradata() || fields.extradata_size() <= 0) return codec == Codec::kVp9;
  const std::span<const uint8_t> extradata(fields.extradata(), static_cast<size_t>(fields.extradata_size()));
  switch (codec) {
    case Codec::kH264:
      return H264DeclaresReorderDepth(extradata);
    case Codec::kHevc:
      return IsProgressiveHevc(extradata);
    case Codec::kAv1:
    case Codec::kVp9:
      return true;  // decoders give pictures in the order in which they are shown, and there are no fields
    default:
      return false;
  }
}

bool IsKnown(AVRational rate) { return rate.num > 0 && rate.den > 0; }

}  // namespace

bool CanSkipStreamProbe(const AVFormatContext& container) {
  const auto whole = Fields(container);
  const std::string_view format = whole.iformat()->name;
  if (!format.starts_with("mov,mp4") && !format.starts_with("matroska,webm")) return false;
  if (whole.nb_streams() != 1) return false;
  const auto stream = Fields(*whole.streams()[0]);
  if (whole.duration() <= 0 && stream.duration() <= 0) return false;
  const auto codec = Fields(*stream.codecpar());
  return codec.codec_type() == AVMEDIA_TYPE_VIDEO && codec.width() > 0 && codec.height() > 0 &&
         IsKnown(stream.r_frame_rate()) && IsKnown(stream.avg_frame_rate()) && TellsOrder(*stream.codecpar());
}

void DescribeContainer(AVFormatContext& container, int64_t first_time, int64_t file_size) {
  const auto whole = Fields(container);
  const auto stream = Fields(*whole.streams()[0]);
  // Matroska's start is not known before times of decoding are, which it does not tell.
  const int64_t start = stream.start_time() == AV_NOPTS_VALUE ? first_time : stream.start_time();
  if (start != AV_NOPTS_VALUE) whole.start_time() = Ffmpeg().av_rescale_q(start, stream.time_base(), {1, AV_TIME_BASE});
  // From FFmpeg 7 on, that of MP4 is the stream's until it is probed.
  if (whole.duration() <= 0)
    whole.duration() = Ffmpeg().av_rescale_q(stream.duration(), stream.time_base(), {1, AV_TIME_BASE});
  if (whole.bit_rate() <= 0)
    whole.bit_rate() =
        static_cast<int64_t>(static_cast<double>(file_size) * 8 * AV_TIME_BASE / static_cast<double>(whole.duration()));
}

}  // namespace acutance
