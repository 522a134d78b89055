// FFmpeg's libraries, opened when the first container is: loading them and what they need takes longer than scoring a
// short y4m clip, and a program built with them starts on machines without them.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <string>

#include "base/status.h"

#define ACU_AVUTIL_FUNCTIONS(F) \
  F(av_buffer_ref)              \
  F(av_buffer_unref)            \
  F(av_dict_free)               \
  F(av_dict_get)                \
  F(av_dict_set)                \
  F(av_frame_alloc)             \
  F(av_frame_copy_props)        \
  F(av_frame_free)              \
  F(av_free)                    \
  F(av_freep)                   \
  F(av_hwdevice_ctx_alloc)      \
  F(av_hwdevice_ctx_init)       \
  F(av_image_get_linesize)      \
  F(av_log_default_callback)    \
  F(av_log_set_callback)        \
  F(av_malloc)                  \
  F(av_pix_fmt_desc_get)        \
  F(av_rescale_q)               \
  F(av_strerror)

#define ACU_AVCODEC_FUNCTIONS(F)   \
  F(av_codec_is_decoder)           \
  F(av_codec_iterate)              \
  F(av_packet_alloc)               \
  F(av_packet_clone)               \
  F(av_packet_free)                \
  F(av_packet_unref)               \
  F(avcodec_alloc_context3)        \
  F(avcodec_default_get_buffer2)   \
  F(avcodec_flush_buffers)         \
  F(avcodec_free_context)          \
  F(avcodec_get_hw_config)         \
  F(avcodec_get_name)              \
  F(avcodec_open2)                 \
  F(avcodec_parameters_alloc)      \
  F(avcodec_parameters_copy)       \
  F(avcodec_parameters_free)       \
  F(avcodec_parameters_to_context) \
  F(avcodec_receive_frame)         \
  F(avcodec_send_packet)

#define ACU_AVFORMAT_FUNCTIONS(F)   \
  F(av_find_best_stream)            \
  F(av_guess_frame_rate)            \
  F(av_read_frame)                  \
  F(av_seek_frame)                  \
  F(av_write_frame)                 \
  F(av_write_trailer)               \
  F(avformat_alloc_context)         \
  F(avformat_alloc_output_context2) \
  F(avformat_close_input)           \
  F(avformat_find_stream_info)      \
  F(avformat_free_context)          \
  F(avformat_new_stream)            \
  F(avformat_open_input)            \
  F(avformat_write_header)          \
  F(avio_alloc_context)             \
  F(avio_context_free)

namespace acutance {

/// The functions of FFmpeg that this folder calls, under their own names.
struct FfmpegLibrary {
#define ACU_DECLARE(name) decltype(&::name) name = nullptr;
  ACU_AVUTIL_FUNCTIONS(ACU_DECLARE)
  ACU_AVCODEC_FUNCTIONS(ACU_DECLARE)
  ACU_AVFORMAT_FUNCTIONS(ACU_DECLARE)
#undef ACU_DECLARE
};

/// Loads the libraries of the versions that this build was made for. An error names the missing file. The first call
/// decides. Unless another part of the process has loaded the libraries before, their log is read from then on: errors
/// of our decoders are signs of damage, and are not printed.
const Status& LoadFfmpeg();

/// Whether their log is read.
bool ReadsFfmpegLog();

/// The loaded functions. Called only after LoadFfmpeg() was ok.
const FfmpegLibrary& Ffmpeg();

/// The first error since the last call, in the words of the libraries on this thread; empty: there was none.
std::string TakeLastFfmpegError();

}  // namespace acutance
