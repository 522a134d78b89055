#include "io/ffmpeg/decoder.h"

#include <utility>

#include "io/ffmpeg/hardware.h"
#include "io/ffmpeg/library.h"

namespace acutance {

void FfmpegFreed::operator()(AVCodecContext* decoder) const { Ffmpeg().avcodec_free_context(&decoder); }
void FfmpegFreed::operator()(AVPacket* packet) const { Ffmpeg().av_packet_free(&packet); }
void FfmpegFreed::operator()(AVCodecParameters* parameters) const { Ffmpeg().avcodec_parameters_free(&parameters); }

FramePtr MakeFrame() {
  AVFrame* frame = Ffmpeg().av_frame_alloc();
  return frame ? FramePtr(frame, [](AVFrame* done) { Ffmpeg().av_frame_free(&done); }) : nullptr;
}

int SendPacket(AVCodecContext& decoder, StreamPacket* packet) {
  if (!packet) return Ffmpeg().avcodec_send_packet(&decoder, nullptr);
  const auto fields = Fields(decoder);
  if (fields.has_reordered_opaque()) fields.reordered_opaque() = packet->number;
  else packet->packet->opaque = reinterpret_cast<void*>(static_cast<intptr_t>(packet->number));
  return Ffmpeg().avcodec_send_packet(&decoder, packet->packet.get());
}

int64_t NumberOf(const AVFrame& frame) {
  const auto fields = Fields(frame);
  if (fields.has_reordered_opaque()) return fields.reordered_opaque();
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(fields.opaque()));
}

void SetNumber(AVFrame& frame, int64_t number) {
  const auto fields = Fields(frame);
  if (fields.has_reordered_opaque()) fields.reordered_opaque() = number;
  else fields.opaque() = reinterpret_cast<void*>(static_cast<intptr_t>(number));
}

void NumberFrames(AVCodecContext& decoder, int flags) {
  if (!Fields(decoder).has_reordered_opaque()) flags |= AV_CODEC_FLAG_COPY_OPAQUE;
  Ffmpeg().av_opt_set_int(&decoder, "flags", flags, 0);
}

bool IsInterlaced(const AVFrame& frame) {
  const auto fields = Fields(frame);
  return fields.has_interlaced_frame() ? fields.interlaced_frame() != 0
                                       : (fields.flags() & AV_FRAME_FLAG_INTERLACED) != 0;
}

bool IsTopFirst(const AVFrame& frame) {
  const auto fields = Fields(frame);
  return fields.has_top_field_first() ? fields.top_field_first() != 0
                                      : (fields.flags() & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
}

bool IsCorrupt(const AVFrame& frame) {
  return Fields(frame).decode_error_flags() != 0 || (Fields(frame).flags() & AV_FRAME_FLAG_CORRUPT);
}

void ExportFilmGrain(AVCodecContext& decoder) {
  Ffmpeg().av_opt_set_int(&decoder, "export_side_data", AV_CODEC_EXPORT_DATA_FILM_GRAIN, 0);
}

int DecoderSetup::CopyParameters(const AVCodecParameters& from) {
  parameters.reset(Ffmpeg().avcodec_parameters_alloc());
  return parameters ? Ffmpeg().avcodec_parameters_copy(parameters.get(), &from) : AVERROR(ENOMEM);
}

DecoderPtr DecoderSetup::Make(const AVCodec* which, int threads) const {
  DecoderPtr decoder(Ffmpeg().avcodec_alloc_context3(which));
  if (!decoder || Ffmpeg().avcodec_parameters_to_context(decoder.get(), parameters.get()) < 0) return nullptr;
  Ffmpeg().av_opt_set_q(decoder.get(), "pkt_timebase", time_base, 0);
  Ffmpeg().av_opt_set_int(decoder.get(), "threads", threads, 0);
  NumberFrames(*decoder, AV_CODEC_FLAG_UNALIGNED);  // crop exactly, at the cost of aligned rows
  if (!film_grain) ExportFilmGrain(*decoder);
  return decoder;
}

int DecoderSetup::Open(int threads, OnError on_error, DamageWatch& watch, DecoderPtr& decoder) const {
  decoder = Make(codec, on_error == OnError::kRecord ? 1 : threads);
  if (!decoder) return AVERROR(ENOMEM);
  // AV_EF_CRCCHECK: HEVC's hashes of pictures. With AV_EF_EXPLODE, frame threads of FFmpeg 5.1's HEVC decoder now and
  // then read a frame that is freed: on a file with a wrong hash, 3 of 900 runs of its own command crashed, and none of
  // 500 without. Its log has these errors, too.
  const bool log_suffices = CodecOf(codec->id) == Codec::kHevc && ReadsFfmpegLog();
  const bool explodes = on_error == OnError::kFind && !log_suffices;
  Ffmpeg().av_opt_set_int(decoder.get(), "err_detect", AV_EF_CRCCHECK | (explodes ? AV_EF_EXPLODE : 0), 0);
  watch.Attach(*decoder, on_error == OnError::kRecord);
  if (hardware) hardware->Attach(*decoder);
  return Ffmpeg().avcodec_open2(decoder.get(), codec, nullptr);
}

int DecoderSetup::Receive(AVCodecContext& decoder, FramePtr& frame) const {
  int error = Ffmpeg().avcodec_receive_frame(&decoder, frame.get());
  if (error >= 0 && hardware) error = hardware->Download(frame, film_grain);
  if (error < 0 || !declarations) return error;
  const auto to = Fields(*frame);
  const auto from = Fields(std::as_const(*declarations));
  to.color_range() = from.color_range();
  to.color_primaries() = from.color_primaries();
  to.color_trc() = from.color_trc();
  to.colorspace() = from.colorspace();
  to.chroma_location() = from.chroma_location();
  to.sample_aspect_ratio() = from.sample_aspect_ratio();
  return 0;
}

}  // namespace acutance
