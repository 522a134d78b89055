#include "io/ffmpeg_facts.h"

extern "C" {
#include <libavutil/dovi_meta.h>
}

#include <cstring>

#include "io/ffmpeg_library.h"

namespace acutance {
namespace {

/// The stream's side data of a type; null: it has none.
const AVPacketSideData* SideDataOf(const AVStream& stream, AVPacketSideDataType type) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  const AVPacketSideData* all = stream.codecpar->coded_side_data;
  const int count = stream.codecpar->nb_coded_side_data;
#else
  const AVPacketSideData* all = stream.side_data;
  const int count = stream.nb_side_data;
#endif
  for (int i = 0; i < count; ++i)
    if (all[i].type == type) return &all[i];
  return nullptr;
}

std::optional<ChromaSiting> SitingOf(AVChromaLocation location) {
  switch (location) {
    case AVCHROMA_LOC_LEFT:
      return ChromaSiting{0, 0.5};
    case AVCHROMA_LOC_CENTER:
      return ChromaSiting{0.5, 0.5};
    case AVCHROMA_LOC_TOPLEFT:
      return ChromaSiting{0, 0};
    case AVCHROMA_LOC_TOP:
      return ChromaSiting{0.5, 0};
    case AVCHROMA_LOC_BOTTOMLEFT:
      return ChromaSiting{0, 1};
    case AVCHROMA_LOC_BOTTOM:
      return ChromaSiting{0.5, 1};
    default:
      return std::nullopt;
  }
}

bool IsInterlaced(const AVStream& stream, const AVFrame& frame) {
#if LIBAVUTIL_VERSION_MAJOR >= 59
  const bool frame_says_so = frame.flags & AV_FRAME_FLAG_INTERLACED;
#else
  const bool frame_says_so = frame.interlaced_frame;
#endif
  const AVFieldOrder order = stream.codecpar->field_order;
  return frame_says_so || (order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE);
}

}  // namespace

Orientation OrientationOf(const int32_t* matrix) {
  // The shown place of a stored one is (a x + c y, b x + d y), up to where the picture's corner lies.
  const int32_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  if (a == 0 && d == 0 && b != 0 && c != 0) return {true, c < 0, b < 0};
  if (b == 0 && c == 0 && a != 0 && d != 0) return {false, a < 0, d < 0};
  return {};
}

VideoFacts FactsOf(const AVFormatContext& container, const AVStream& stream, const AVFrame& frame) {
  VideoFacts facts;
  const AVCodecParameters& codec = *stream.codecpar;
  if (codec.codec_id != AV_CODEC_ID_RAWVIDEO) facts.codec = Ffmpeg().avcodec_get_name(codec.codec_id);
  const int64_t bit_rate = codec.bit_rate > 0 ? codec.bit_rate : container.bit_rate;
  if (bit_rate > 0) facts.bit_rate = bit_rate;
  for (const AVRational aspect : {frame.sample_aspect_ratio, codec.sample_aspect_ratio, stream.sample_aspect_ratio})
    if (aspect.num > 0 && aspect.den > 0) facts.pixel_aspect = av_q2d(aspect);
  if (const AVPacketSideData* data = SideDataOf(stream, AV_PKT_DATA_DISPLAYMATRIX);
      data && data->size >= 9 * sizeof(int32_t)) {
    int32_t matrix[9];
    std::memcpy(matrix, data->data, sizeof matrix);
    facts.orientation = OrientationOf(matrix);
  }
  if (const AVPacketSideData* data = SideDataOf(stream, AV_PKT_DATA_DOVI_CONF))
    facts.dolby_vision_profile = reinterpret_cast<const AVDOVIDecoderConfigurationRecord*>(data->data)->dv_profile;
  facts.siting = SitingOf(frame.chroma_location);
  facts.is_interlaced = IsInterlaced(stream, frame);
  return facts;
}

}  // namespace acutance
