#include "io/ffmpeg/layout_check.h"

#include <cstring>
#include <utility>

namespace acutance {
namespace {

int OffsetOf(void* object, const char* option) {
  const AVOption* const found = Ffmpeg().av_opt_find(object, option, nullptr, 0, 0);
  return found ? found->offset : -1;
}

/// In the order of offsets: reading stays within a struct that has another layout.
Status CheckNewFrame(const AVFrame& frame) {
  const auto fields = Fields(frame);
  ACU_EXPECT(fields.format() == AV_PIX_FMT_NONE, "AVFrame.format");
  ACU_EXPECT(fields.sample_aspect_ratio().num == 0 && fields.sample_aspect_ratio().den == 1,
             "AVFrame.sample_aspect_ratio");
  ACU_EXPECT(fields.pts() == AV_NOPTS_VALUE, "AVFrame.pts");
  ACU_EXPECT(!fields.opaque() && !fields.buf()[0] && !fields.side_data(), "AVFrame.buf");
  ACU_EXPECT(fields.nb_side_data() == 0 && fields.flags() == 0, "AVFrame.flags");
  ACU_EXPECT(fields.color_range() == AVCOL_RANGE_UNSPECIFIED && fields.color_primaries() == AVCOL_PRI_UNSPECIFIED &&
                 fields.color_trc() == AVCOL_TRC_UNSPECIFIED && fields.colorspace() == AVCOL_SPC_UNSPECIFIED &&
                 fields.chroma_location() == 0,
             "AVFrame.color_range");
  ACU_EXPECT(fields.best_effort_timestamp() == AV_NOPTS_VALUE, "AVFrame.best_effort_timestamp");
  ACU_EXPECT(!fields.metadata() && fields.decode_error_flags() == 0, "AVFrame.metadata");
  return {};
}

/// What av_frame_copy_props copies.
Status CheckCopiedFrame(Owned<AVFrame> from, AVFrame& to) {
  const auto set = Fields(*from);
  const auto got = Fields(to);
  set.opaque() = &to;
  set.flags() = AV_FRAME_FLAG_CORRUPT;
  set.decode_error_flags() = 3;
  Ffmpeg().av_dict_set(&set.metadata(), "key", "value", 0);
  if (set.has_interlaced_frame()) set.interlaced_frame() = set.top_field_first() = 1;
  Ffmpeg().av_frame_copy_props(&to, from.get());
  ACU_EXPECT(got.opaque() == &to, "AVFrame.opaque");
  ACU_EXPECT(got.flags() == AV_FRAME_FLAG_CORRUPT, "AVFrame.flags");
  ACU_EXPECT(got.decode_error_flags() == 3, "AVFrame.decode_error_flags");
  const AVDictionaryEntry* const entry = Ffmpeg().av_dict_get(got.metadata(), "key", nullptr, 0);
  ACU_EXPECT(entry && std::string_view(entry->value) == "value", "AVFrame.metadata");
  ACU_EXPECT(!set.has_interlaced_frame() || (got.interlaced_frame() == 1 && got.top_field_first() == 1),
             "AVFrame.interlaced_frame");
  return {};
}

Status CheckFrameMemory(AVFrame& frame) {
  constexpr int kWidth = 32, kHeight = 16;
  const auto fields = Fields(frame);
  fields.width() = kWidth;
  fields.height() = kHeight;
  fields.format() = 0;  // yuv420p
  if (Ffmpeg().av_frame_get_buffer(&frame, 0) < 0) return Error(StatusCode::kOutOfMemory, "no memory");
  const AVBufferRef* const buffer = fields.buf()[0];
  uint8_t* const start = fields.data()[0];
  ACU_EXPECT(start && fields.data()[2] && fields.linesize()[0] >= kWidth, "AVFrame.data");
  ACU_EXPECT(buffer && buffer->data <= start && start < buffer->data + buffer->size, "AVFrame.buf");
  AVFrameSideData* const data = Ffmpeg().av_frame_new_side_data(&frame, AV_FRAME_DATA_ICC_PROFILE, 5);
  ACU_EXPECT(data && fields.nb_side_data() == 1 && fields.side_data()[0] == data && data->size == 5 &&
                 data->type == AV_FRAME_DATA_ICC_PROFILE,
             "AVFrame.side_data");
  return {};
}

Status CheckFrames() {
  Owned<AVFrame> frame(Ffmpeg().av_frame_alloc()), other(Ffmpeg().av_frame_alloc());
  if (!frame || !other) return Error(StatusCode::kOutOfMemory, "no memory");
  ACU_RETURN_IF_ERROR(CheckNewFrame(*frame));
  ACU_RETURN_IF_ERROR(CheckFrameMemory(*other));
  return CheckCopiedFrame(std::move(frame), *other);
}

Status CheckParameters(AVCodecContext& from, AVCodecParameters& parameters) {
  const auto fields = Fields(parameters);
  Ffmpeg().av_opt_set_int(&from, "b", 54321, 0);
  Ffmpeg().av_opt_set(&from, "video_size", "48x64", 0);
  Ffmpeg().av_opt_set_q(&from, "aspect", {4, 3}, 0);
  Ffmpeg().av_opt_set_int(&from, "field_order", AV_FIELD_TB, 0);
  Ffmpeg().avcodec_parameters_from_context(&parameters, &from);
  ACU_EXPECT(fields.codec_type() == AVMEDIA_TYPE_VIDEO && fields.codec_id() == Fields(from).codec_id(),
             "AVCodecParameters.codec_id");
  ACU_EXPECT(fields.bit_rate() == 54321, "AVCodecParameters.bit_rate");
  ACU_EXPECT(fields.width() == 48 && fields.height() == 64, "AVCodecParameters.width");
  ACU_EXPECT(fields.sample_aspect_ratio().num == 4 && fields.sample_aspect_ratio().den == 3,
             "AVCodecParameters.sample_aspect_ratio");
  ACU_EXPECT(fields.field_order() == AV_FIELD_TB, "AVCodecParameters.field_order");

  constexpr int kBytes = 3, kPadded = kBytes + 64;
  fields.extradata() = static_cast<uint8_t*>(Ffmpeg().av_malloc(kPadded));
  if (!fields.extradata()) return Error(StatusCode::kOutOfMemory, "no memory");
  std::memset(fields.extradata(), 7, kPadded);
  fields.extradata_size() = kBytes;
  if (Ffmpeg().av_packet_side_data_new && fields.has_coded_side_data())
    Ffmpeg().av_packet_side_data_new(&fields.coded_side_data(), &fields.nb_coded_side_data(), AV_PKT_DATA_DISPLAYMATRIX,
                                     36, 0);
  const Owned<AVCodecParameters> copy(Ffmpeg().avcodec_parameters_alloc());
  if (!copy || Ffmpeg().avcodec_parameters_copy(copy.get(), &parameters) < 0)
    return Error(StatusCode::kOutOfMemory, "no memory");
  const auto copied = Fields(*copy);
  ACU_EXPECT(copied.extradata() && copied.extradata() != fields.extradata() && copied.extradata()[kBytes - 1] == 7 &&
                 copied.extradata_size() == kBytes,
             "AVCodecParameters.extradata");
  if (fields.has_coded_side_data())
    ACU_EXPECT(copied.nb_coded_side_data() == 1 && copied.coded_side_data() &&
                   copied.coded_side_data()->type == AV_PKT_DATA_DISPLAYMATRIX && copied.coded_side_data()->size == 36,
               "AVCodecParameters.coded_side_data");
  Ffmpeg().avcodec_parameters_to_context(&from, &parameters);
  const auto context = Fields(from);
  ACU_EXPECT(context.extradata_size() == kBytes && context.extradata() && context.extradata()[kBytes - 1] == 7,
             "AVCodecContext.extradata");
  return {};
}

Status CheckDecoders() {
  void* place = nullptr;
  const AVCodec* codec = nullptr;
  do codec = Ffmpeg().av_codec_iterate(&place);
  while (codec && !(Ffmpeg().av_codec_is_decoder(codec) && codec->type == AVMEDIA_TYPE_VIDEO));
  const Owned<AVCodecContext> decoder(codec ? Ffmpeg().avcodec_alloc_context3(codec) : nullptr);
  const Owned<AVCodecParameters> parameters(Ffmpeg().avcodec_parameters_alloc());
  if (!codec) return Error(StatusCode::kUnsupported, "it has no decoder of videos");
  if (!decoder || !parameters) return Error(StatusCode::kOutOfMemory, "no memory");
  const auto fields = Fields(*decoder);
  ACU_EXPECT(fields.codec() == codec && fields.codec_id() == codec->id, "AVCodecContext.codec");
  ACU_EXPECT(fields.k_opaque[g_ffmpeg_layout] + sizeof(void*) == static_cast<size_t>(OffsetOf(decoder.get(), "b")),
             "AVCodecContext.opaque");
  ACU_EXPECT(!fields.extradata() && fields.extradata_size() == 0, "AVCodecContext.extradata");
  ACU_EXPECT(fields.get_buffer2() == Ffmpeg().avcodec_default_get_buffer2, "AVCodecContext.get_buffer2");
  return CheckParameters(*decoder, *parameters);
}

Status CheckHardwareFields(AVCodecContext& decoder) {
  const auto fields = Fields(decoder);
  ACU_EXPECT(fields.get_format() == Ffmpeg().avcodec_default_get_format, "AVCodecContext.get_format");
  ACU_EXPECT(fields.k_hw_device_ctx[g_ffmpeg_layout] + static_cast<int>(sizeof(void*)) ==
                     OffsetOf(&decoder, "hwaccel_flags") &&
                 !fields.hw_device_ctx(),
             "AVCodecContext.hw_device_ctx");
  return {};
}

Status CheckStreams(AVFormatContext& container) {
  AVStream* const first = Ffmpeg().avformat_new_stream(&container, nullptr);
  AVStream* const second = Ffmpeg().avformat_new_stream(&container, nullptr);
  if (!first || !second) return Error(StatusCode::kOutOfMemory, "no memory");
  const auto whole = Fields(container);
  ACU_EXPECT(whole.nb_streams() == 2 && whole.streams() && whole.streams()[0] == first && whole.streams()[1] == second,
             "AVFormatContext.streams");
  const auto stream = Fields(*second);
  ACU_EXPECT(stream.time_base().num >= 0 && stream.discard() == 0 && stream.disposition() == 0 && !stream.metadata(),
             "AVStream.disposition");
  ACU_EXPECT(stream.codecpar() && Fields(*stream.codecpar()).codec_type() == -1, "AVStream.codecpar");
  for (AVStream* const each : {first, second}) Fields(*Fields(*each).codecpar()).codec_type() = AVMEDIA_TYPE_VIDEO;
  stream.disposition() = AV_DISPOSITION_DEFAULT;
  ACU_EXPECT(Ffmpeg().av_find_best_stream(&container, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0) == 1,
             "AVStream.disposition");
  stream.r_frame_rate() = {240, 1};  // FFmpeg takes it for fields of telecine
  stream.avg_frame_rate() = {24, 1};
  const AVRational average = Ffmpeg().av_guess_frame_rate(&container, second, nullptr);
  stream.r_frame_rate() = {50, 1};
  const AVRational rate = Ffmpeg().av_guess_frame_rate(&container, second, nullptr);
  ACU_EXPECT(average.num == 24, "AVStream.avg_frame_rate");
  ACU_EXPECT(rate.num == 50, "AVStream.r_frame_rate");
  if (!stream.has_side_data() || !Ffmpeg().av_stream_new_side_data) return {};
  Ffmpeg().av_stream_new_side_data(second, AV_PKT_DATA_DISPLAYMATRIX, 36);
  ACU_EXPECT(stream.nb_side_data() == 1 && stream.side_data() &&
                 stream.side_data()->type == AV_PKT_DATA_DISPLAYMATRIX && stream.side_data()->size == 36,
             "AVStream.side_data");
  return {};
}

Status CheckContainers() {
  Owned<AVFormatContext> container(Ffmpeg().avformat_alloc_context());
  if (!container) return Error(StatusCode::kOutOfMemory, "no memory");
  const auto fields = Fields(*container);
  const auto place = [](uint16_t offset) { return static_cast<int>(offset); };
  ACU_EXPECT(place(fields.k_bit_rate[g_ffmpeg_layout]) + 8 == OffsetOf(container.get(), "packetsize"),
             "AVFormatContext.bit_rate");
  ACU_EXPECT(place(fields.k_opaque[g_ffmpeg_layout]) + 16 == OffsetOf(container.get(), "output_ts_offset"),
             "AVFormatContext.opaque");
  ACU_RETURN_IF_ERROR(CheckStreams(*container));
  static thread_local bool is_asked;
  is_asked = false;
  container.reset(Ffmpeg().avformat_alloc_context());
  if (!container || !Fields(*container).io_open()) return ExpectField(false, "AVFormatContext.io_open");
  Fields(*container).io_open() = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
    is_asked = true;
    return AVERROR(EPERM);
  };
  AVFormatContext* opened = container.release();  // freed as opening fails
  if (Ffmpeg().avformat_open_input(&opened, "", nullptr, nullptr) >= 0) Ffmpeg().avformat_close_input(&opened);
  return ExpectField(is_asked, "AVFormatContext.io_open");
}

}  // namespace

Status CheckHardwareLayout() {
  const Owned<AVCodecContext> decoder(Ffmpeg().avcodec_alloc_context3(nullptr));
  return decoder ? CheckHardwareFields(*decoder) : Error(StatusCode::kOutOfMemory, "no memory");
}

Status CheckFfmpegLayout() {
  ACU_RETURN_IF_ERROR(CheckFrames());
  ACU_RETURN_IF_ERROR(CheckDecoders());
  ACU_RETURN_IF_ERROR(CheckContainers());
  return CheckDecodedLayout();
}

}  // namespace acutance
