// What checks of the layout of FFmpeg's structs share.
#pragma once

#include <memory>
#include <string_view>

#include "io/ffmpeg/library.h"

namespace acutance {

inline Status ExpectField(bool is_there, std::string_view field) {
  if (is_there) return {};
  return Error(StatusCode::kUnsupported, "its {} is not where version {} of FFmpeg has it", field, g_ffmpeg_layout + 5);
}
#define ACU_EXPECT(is_there, field) ACU_RETURN_IF_ERROR(ExpectField(is_there, field))

struct FfmpegOwned {
  void operator()(AVFrame* frame) const { Ffmpeg().av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { Ffmpeg().av_packet_free(&packet); }
  void operator()(AVCodecContext* decoder) const { Ffmpeg().avcodec_free_context(&decoder); }
  void operator()(AVCodecParameters* parameters) const { Ffmpeg().avcodec_parameters_free(&parameters); }
  void operator()(AVFormatContext* container) const { Ffmpeg().avformat_close_input(&container); }
  void operator()(AVBufferRef* buffer) const { Ffmpeg().av_buffer_unref(&buffer); }
  void operator()(AVIOContext* io) const {
    Ffmpeg().av_freep(&io->buffer);
    Ffmpeg().avio_context_free(&io);
  }
};
template <class T>
using Owned = std::unique_ptr<T, FfmpegOwned>;

/// Reads a clip of y4m from memory and decodes it. Libraries without that reader and decoder pass.
Status CheckDecodedLayout();

}  // namespace acutance
