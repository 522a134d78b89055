#include "io/ffmpeg/decoder.h"

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
#if LIBAVCODEC_VERSION_MAJOR >= 60
  packet->packet->opaque = reinterpret_cast<void*>(static_cast<intptr_t>(packet->number));
#else
  decoder.reordered_opaque = packet->number;
#endif
  return Ffmpeg().avcodec_send_packet(&decoder, packet->packet.get());
}

int64_t NumberOf(const AVFrame& frame) {
#if LIBAVCODEC_VERSION_MAJOR >= 60
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(frame.opaque));
#else
  return frame.reordered_opaque;
#endif
}

bool IsCorrupt(const AVFrame& frame) { return frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT); }

int DecoderSetup::CopyParameters(const AVCodecParameters& from) {
  parameters.reset(Ffmpeg().avcodec_parameters_alloc());
  return parameters ? Ffmpeg().avcodec_parameters_copy(parameters.get(), &from) : AVERROR(ENOMEM);
}

DecoderPtr DecoderSetup::Make(const AVCodec* which, int threads) const {
  DecoderPtr decoder(Ffmpeg().avcodec_alloc_context3(which));
  if (!decoder || Ffmpeg().avcodec_parameters_to_context(decoder.get(), parameters.get()) < 0) return nullptr;
  decoder->pkt_timebase = time_base;
  decoder->thread_count = threads;
#if LIBAVCODEC_VERSION_MAJOR >= 60
  decoder->flags |= AV_CODEC_FLAG_COPY_OPAQUE;
#endif
  decoder->flags |= AV_CODEC_FLAG_UNALIGNED;  // crop exactly, at the cost of aligned rows
  if (!film_grain) decoder->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
  return decoder;
}

int DecoderSetup::Open(int threads, OnError on_error, DamageWatch& watch, DecoderPtr& decoder) const {
  decoder = Make(codec, on_error == OnError::kRecord ? 1 : threads);
  if (!decoder) return AVERROR(ENOMEM);
  decoder->err_recognition |= AV_EF_CRCCHECK;  // HEVC's hashes of pictures
  // With AV_EF_EXPLODE, frame threads of FFmpeg 5.1's HEVC decoder now and then read a frame that is freed: on a file
  // with a wrong hash, 3 of 900 runs of its own command crashed, and none of 500 without. Its log has these errors,
  // too.
  const bool log_suffices = codec->id == AV_CODEC_ID_HEVC && ReadsFfmpegLog();
  if (on_error == OnError::kFind && !log_suffices) decoder->err_recognition |= AV_EF_EXPLODE;
  watch.Attach(*decoder, on_error == OnError::kRecord);
  return Ffmpeg().avcodec_open2(decoder.get(), codec, nullptr);
}

}  // namespace acutance
