#include <algorithm>
#include <cstring>
#include <string>

#include "io/ffmpeg/decoder.h"
#include "io/ffmpeg/layout_check.h"

namespace acutance {
namespace {

constexpr int kWidth = 48, kHeight = 16, kFrames = 2;
constexpr int kTopFirst = 2;  // a field order

/// A clip in memory.
struct Clip {
  std::string bytes = "YUV4MPEG2 W48 H16 F30000:1001 It A4:3 Cmono\n";
  size_t position = 0;

  Clip() {
    for (int i = 0; i < kFrames; ++i) bytes += "FRAME\n" + std::string(kWidth * kHeight, static_cast<char>('a' + i));
  }
  static int Read(void* self, uint8_t* to, int count) {
    auto& clip = *static_cast<Clip*>(self);
    const size_t got = std::min(static_cast<size_t>(count), clip.bytes.size() - clip.position);
    std::memcpy(to, clip.bytes.data() + clip.position, got);
    clip.position += got;
    return got == 0 ? AVERROR_EOF : static_cast<int>(got);
  }
};

bool Is(AVRational number, int num, int den) { return number.num == num && number.den == den; }

Status CheckOpened(const AVFormatContext& container, const AVInputFormat* format) {
  const auto whole = Fields(container);
  ACU_EXPECT(whole.iformat() == format, "AVFormatContext.iformat");
  ACU_EXPECT(whole.nb_streams() == 1 && whole.streams(), "AVFormatContext.streams");
  ACU_EXPECT(whole.start_time() == 0, "AVFormatContext.start_time");
  const auto stream = Fields(*whole.streams()[0]);
  ACU_EXPECT(Is(stream.time_base(), 1001, 30000), "AVStream.time_base");
  ACU_EXPECT(stream.start_time() == 0 && stream.nb_frames() >= 0 && stream.nb_frames() <= kFrames,
             "AVStream.start_time");
  ACU_EXPECT(Is(stream.sample_aspect_ratio(), 4, 3), "AVStream.sample_aspect_ratio");
  ACU_EXPECT(Is(stream.avg_frame_rate(), 30000, 1001), "AVStream.avg_frame_rate");
  const auto codec = Fields(*stream.codecpar());
  ACU_EXPECT(codec.codec_type() == AVMEDIA_TYPE_VIDEO && CodecOf(codec.codec_id()) == Codec::kRawVideo,
             "AVCodecParameters.codec_id");
  ACU_EXPECT(codec.width() == kWidth && codec.height() == kHeight, "AVCodecParameters.width");
  ACU_EXPECT(codec.field_order() == kTopFirst, "AVCodecParameters.field_order");
  return {};
}

Status CheckFrame(const AVFrame& frame) {
  const auto fields = Fields(frame);
  ACU_EXPECT(fields.width() == kWidth && fields.height() == kHeight && fields.data()[0] && fields.data()[0][0] == 'a' &&
                 fields.linesize()[0] >= kWidth,
             "AVFrame.data");
  const AVPixFmtDescriptor* const samples = Ffmpeg().av_pix_fmt_desc_get(fields.format());
  ACU_EXPECT(samples && samples->nb_components == 1 && samples->comp[0].depth == 8, "AVFrame.format");
  ACU_EXPECT(fields.pts() == 7 && fields.best_effort_timestamp() == 7, "AVFrame.pts");
  ACU_EXPECT(fields.color_range() == AVCOL_RANGE_JPEG, "AVFrame.color_range");
  ACU_EXPECT(fields.color_primaries() == AVCOL_PRI_BT2020, "AVFrame.color_primaries");
  ACU_EXPECT(fields.color_trc() == AVCOL_TRC_SMPTE2084, "AVFrame.color_trc");
  ACU_EXPECT(fields.colorspace() == AVCOL_SPC_FCC, "AVFrame.colorspace");
  ACU_EXPECT(fields.chroma_location() == AVCHROMA_LOC_BOTTOM, "AVFrame.chroma_location");
  ACU_EXPECT(NumberOf(frame) == 5, "AVFrame.opaque");
  ACU_EXPECT(IsInterlaced(frame) && IsTopFirst(frame), "AVFrame.flags");
  return {};
}

/// Decodes with options that frames declare.
Status CheckDecoder(AVFormatContext& container, const AVCodec* codec) {
  const Owned<AVCodecContext> decoder(Ffmpeg().avcodec_alloc_context3(codec));
  const Owned<AVFrame> frame(Ffmpeg().av_frame_alloc());
  StreamPacket packet{PacketPtr(Ffmpeg().av_packet_alloc()), 5};
  if (!decoder || !frame || !packet.packet ||
      Ffmpeg().avcodec_parameters_to_context(decoder.get(), Fields(*Fields(container).streams()[0]).codecpar()) < 0)
    return Error(StatusCode::kOutOfMemory, "no memory");
  const std::pair<const char*, int> options[] = {{"color_range", AVCOL_RANGE_JPEG},
                                                 {"color_primaries", AVCOL_PRI_BT2020},
                                                 {"color_trc", AVCOL_TRC_SMPTE2084},
                                                 {"colorspace", AVCOL_SPC_FCC},
                                                 {"chroma_sample_location", AVCHROMA_LOC_BOTTOM},
                                                 {"threads", 1}};
  for (const auto& [name, value] : options) Ffmpeg().av_opt_set_int(decoder.get(), name, value, 0);
  NumberFrames(*decoder);
  const bool is_decoded = Ffmpeg().avcodec_open2(decoder.get(), codec, nullptr) >= 0 &&
                          Ffmpeg().av_read_frame(&container, packet.packet.get()) >= 0 &&
                          ((packet.packet->pts = packet.packet->dts = 7), SendPacket(*decoder, &packet) >= 0) &&
                          Ffmpeg().avcodec_receive_frame(decoder.get(), frame.get()) >= 0;
  return is_decoded ? CheckFrame(*frame) : Error(StatusCode::kUnsupported, "it does not decode a clip of y4m");
}

}  // namespace

Status CheckDecodedLayout() {
  const AVInputFormat* const format = Ffmpeg().av_find_input_format("yuv4mpegpipe");
  const AVCodec* const codec = Ffmpeg().avcodec_find_decoder(IdOf(Codec::kRawVideo));
  if (!format || !codec) return {};
  constexpr int kBuffer = 4096;
  Clip clip;
  auto* buffer = static_cast<uint8_t*>(Ffmpeg().av_malloc(kBuffer));
  const Owned<AVIOContext> io(
      buffer ? Ffmpeg().avio_alloc_context(buffer, kBuffer, 0, &clip, Clip::Read, nullptr, nullptr) : nullptr);
  AVFormatContext* container = Ffmpeg().avformat_alloc_context();
  if (!io || !container) return Error(StatusCode::kOutOfMemory, "no memory");
  Fields(*container).pb() = io.get();
  ACU_EXPECT(Ffmpeg().avformat_open_input(&container, "", format, nullptr) >= 0, "AVFormatContext.pb");
  const Owned<AVFormatContext> opened(container);
  if (Ffmpeg().avformat_find_stream_info(container, nullptr) < 0)
    return Error(StatusCode::kUnsupported, "it does not read a clip of y4m");
  ACU_RETURN_IF_ERROR(CheckOpened(*container, format));
  return CheckDecoder(*container, codec);
}

}  // namespace acutance
