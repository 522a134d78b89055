// What this folder uses of FFmpeg's libraries, declared here: a build needs none of their headers, and runs with
// whichever version is there. Only what is the same in all versions from 5.1 to 9 is declared as it is; layout.h has
// the structs that differ. The test `ffmpeg_layout_test.cc` compares both with the headers that the build machine has.
#pragma once

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace acutance {

// Structs whose fields lie elsewhere in other versions (layout.h), and those that are only handed on.
struct AVCodecContext;
struct AVCodecParameters;
struct AVDictionary;
struct AVFormatContext;
struct AVFrame;
struct AVStream;

// FFmpeg's enumerations are ints. The numbers of codecs differ: see Codec in library.h.
using AVChromaLocation = int;
using AVCodecID = int;
using AVColorPrimaries = int;
using AVColorSpace = int;
using AVFieldOrder = int;
using AVFrameSideDataType = int;
using AVPacketSideDataType = int;
using AVPixelFormat = int;

struct AVRational {
  int num, den;
};

inline double av_q2d(AVRational number) { return number.num / static_cast<double>(number.den); }

// The first fields of structs that FFmpeg allocates: later ones are not used.
struct AVBufferRef {
  void* buffer;
  uint8_t* data;
  size_t size;
};

struct AVClass {
  const char* class_name;
};

struct AVCodec {
  const char *name, *long_name;
  int type;
  AVCodecID id;
  int capabilities;
};

struct AVCodecHWConfig {
  AVPixelFormat pix_fmt;
  int methods, device_type;
};

struct AVCodecDescriptor {
  AVCodecID id;
};

struct AVDictionaryEntry {
  char *key, *value;
};

struct AVFrameSideData {
  AVFrameSideDataType type;
  uint8_t* data;
  size_t size;
};

struct AVInputFormat {
  const char *name, *long_name;
  int flags;
};

struct AVIOContext {
  const AVClass* av_class;
  unsigned char* buffer;
};

struct AVOption {
  const char *name, *help;
  int offset;
};

struct AVPacketSideData {
  uint8_t* data;
  size_t size;
  AVPacketSideDataType type;
};

struct AVPacket {
  AVBufferRef* buf;
  int64_t pts, dts;
  uint8_t* data;
  int size, stream_index, flags;
  AVPacketSideData* side_data;
  int side_data_elems;
  int64_t duration, pos;
  void* opaque;
};

struct AVComponentDescriptor {
  int plane, step, offset, shift, depth;
};

struct AVPixFmtDescriptor {
  const char* name;
  uint8_t nb_components, log2_chroma_w, log2_chroma_h;
  uint64_t flags;
  AVComponentDescriptor comp[4];
};

// Side data.
struct AVContentLightMetadata {
  unsigned MaxCLL, MaxFALL;
};

struct AVDOVIDecoderConfigurationRecord {
  uint8_t dv_version_major, dv_version_minor, dv_profile, dv_level, rpu_present_flag, el_present_flag, bl_present_flag,
      dv_bl_signal_compatibility_id;
};

struct AVMasteringDisplayMetadata {
  AVRational display_primaries[3][2], white_point[2], min_luminance, max_luminance;
  int has_primaries, has_luminance;
};

using AVLogCallback = void (*)(void*, int, const char*, va_list);
using AVReadBytes = int (*)(void*, uint8_t*, int);
using AVWriteBytes = int (*)(void*, const uint8_t*, int);
using AVSeekBytes = int64_t (*)(void*, int64_t, int);
using AVFreeBuffer = void (*)(void*, uint8_t*);

/// An error number of the system as FFmpeg returns it.
constexpr int AVERROR(int error) { return -error; }

constexpr int64_t AV_NOPTS_VALUE = INT64_MIN;

// Constants, in X-macros so that a test can compare them.
#define ACU_FFMPEG_CONSTANTS(C)                   \
  C(AVCHROMA_LOC_LEFT, 1)                         \
  C(AVCHROMA_LOC_CENTER, 2)                       \
  C(AVCHROMA_LOC_TOPLEFT, 3)                      \
  C(AVCHROMA_LOC_TOP, 4)                          \
  C(AVCHROMA_LOC_BOTTOMLEFT, 5)                   \
  C(AVCHROMA_LOC_BOTTOM, 6)                       \
  C(AVCOL_PRI_RESERVED0, 0)                       \
  C(AVCOL_PRI_BT709, 1)                           \
  C(AVCOL_PRI_UNSPECIFIED, 2)                     \
  C(AVCOL_PRI_RESERVED, 3)                        \
  C(AVCOL_PRI_BT470BG, 5)                         \
  C(AVCOL_PRI_SMPTE170M, 6)                       \
  C(AVCOL_PRI_SMPTE240M, 7)                       \
  C(AVCOL_PRI_BT2020, 9)                          \
  C(AVCOL_PRI_SMPTE431, 11)                       \
  C(AVCOL_PRI_SMPTE432, 12)                       \
  C(AVCOL_RANGE_UNSPECIFIED, 0)                   \
  C(AVCOL_RANGE_JPEG, 2)                          \
  C(AVCOL_SPC_RGB, 0)                             \
  C(AVCOL_SPC_BT709, 1)                           \
  C(AVCOL_SPC_UNSPECIFIED, 2)                     \
  C(AVCOL_SPC_RESERVED, 3)                        \
  C(AVCOL_SPC_FCC, 4)                             \
  C(AVCOL_SPC_BT470BG, 5)                         \
  C(AVCOL_SPC_SMPTE170M, 6)                       \
  C(AVCOL_SPC_SMPTE240M, 7)                       \
  C(AVCOL_SPC_BT2020_NCL, 9)                      \
  C(AVCOL_TRC_UNSPECIFIED, 2)                     \
  C(AVCOL_TRC_LINEAR, 8)                          \
  C(AVCOL_TRC_LOG, 9)                             \
  C(AVCOL_TRC_LOG_SQRT, 10)                       \
  C(AVCOL_TRC_SMPTE2084, 16)                      \
  C(AVCOL_TRC_SMPTE428, 17)                       \
  C(AVCOL_TRC_ARIB_STD_B67, 18)                   \
  C(AVDISCARD_ALL, 48)                            \
  C(AVERROR_DECODER_NOT_FOUND, -1128613112)       \
  C(AVERROR_EOF, -541478725)                      \
  C(AVERROR_EXIT, -1414092869)                    \
  C(AVERROR_INVALIDDATA, -1094995529)             \
  C(AVFMT_TS_DISCONT, 0x200)                      \
  C(AVMEDIA_TYPE_VIDEO, 0)                        \
  C(AVSEEK_FLAG_BACKWARD, 1)                      \
  C(AVSEEK_FORCE, 0x20000)                        \
  C(AVSEEK_SIZE, 0x10000)                         \
  C(AV_CODEC_CAP_DR1, 2)                          \
  C(AV_CODEC_EXPORT_DATA_FILM_GRAIN, 8)           \
  C(AV_CODEC_FLAG_UNALIGNED, 1)                   \
  C(AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX, 1)   \
  C(AV_DISPOSITION_ATTACHED_PIC, 0x400)           \
  C(AV_DISPOSITION_DEFAULT, 1)                    \
  C(AV_EF_CRCCHECK, 1)                            \
  C(AV_EF_EXPLODE, 8)                             \
  C(AV_ERROR_MAX_STRING_SIZE, 64)                 \
  C(AV_FIELD_UNKNOWN, 0)                          \
  C(AV_FIELD_PROGRESSIVE, 1)                      \
  C(AV_FIELD_BB, 3)                               \
  C(AV_FIELD_TB, 4)                               \
  C(AV_FRAME_DATA_DISPLAYMATRIX, 6)               \
  C(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, 11) \
  C(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, 14)        \
  C(AV_FRAME_CROP_UNALIGNED, 1)                   \
  C(AV_FRAME_DATA_ICC_PROFILE, 15)                \
  C(AV_FRAME_DATA_FILM_GRAIN_PARAMS, 21)          \
  C(AV_FRAME_FLAG_CORRUPT, 1)                     \
  C(AV_LOG_ERROR, 16)                             \
  C(AV_LOG_WARNING, 24)                           \
  C(AV_LOG_INFO, 32)                              \
  C(AV_PIX_FMT_NONE, -1)                          \
  C(AV_PIX_FMT_FLAG_BE, 1)                        \
  C(AV_PIX_FMT_FLAG_PAL, 2)                       \
  C(AV_PIX_FMT_FLAG_BITSTREAM, 4)                 \
  C(AV_PIX_FMT_FLAG_HWACCEL, 8)                   \
  C(AV_PIX_FMT_FLAG_RGB, 0x20)                    \
  C(AV_PIX_FMT_FLAG_ALPHA, 0x80)                  \
  C(AV_PIX_FMT_FLAG_BAYER, 0x100)                 \
  C(AV_PIX_FMT_FLAG_FLOAT, 0x200)                 \
  C(AV_PKT_DATA_NEW_EXTRADATA, 1)                 \
  C(AV_PKT_DATA_DISPLAYMATRIX, 5)                 \
  C(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, 20)   \
  C(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, 22)          \
  C(AV_PKT_DATA_DOVI_CONF, 29)                    \
  C(AV_PKT_FLAG_KEY, 1)                           \
  C(AV_PKT_FLAG_CORRUPT, 2)                       \
  C(AV_PKT_FLAG_DISCARD, 4)                       \
  C(AV_TIME_BASE, 1000000)

#define ACU_DECLARE(name, value) constexpr int name = value;
ACU_FFMPEG_CONSTANTS(ACU_DECLARE)
#undef ACU_DECLARE

// Constants that some versions lack. Those of frames are used where AVFrame has no fields of these meanings.
#define ACU_LATER_FFMPEG_CONSTANTS(C)      \
  C(AV_CODEC_FLAG_COPY_OPAQUE, 1 << 7)     \
  C(AV_FRAME_FLAG_INTERLACED, 1 << 3)      \
  C(AV_FRAME_FLAG_TOP_FIELD_FIRST, 1 << 4) \
  C(AV_PKT_DATA_FRAME_CROPPING, 36)
#define ACU_DECLARE(name, value) constexpr int name = value;
ACU_LATER_FFMPEG_CONSTANTS(ACU_DECLARE)
#undef ACU_DECLARE

// The functions: what they return, name, arguments.
#define ACU_AVUTIL_FUNCTIONS(F)                                                                         \
  F(void, av_buffer_unref, (AVBufferRef**))                                                             \
  F(AVBufferRef*, av_buffer_create, (uint8_t*, size_t, AVFreeBuffer, void*, int))                       \
  F(AVBufferRef*, av_buffer_ref, (const AVBufferRef*))                                                  \
  F(void, av_dict_free, (AVDictionary**))                                                               \
  F(AVDictionaryEntry*, av_dict_get, (const AVDictionary*, const char*, const AVDictionaryEntry*, int)) \
  F(int, av_dict_set, (AVDictionary**, const char*, const char*, int))                                  \
  F(AVFrame*, av_frame_alloc, ())                                                                       \
  F(int, av_frame_apply_cropping, (AVFrame*, int))                                                      \
  F(int, av_frame_copy_props, (AVFrame*, const AVFrame*))                                               \
  F(void, av_frame_free, (AVFrame**))                                                                   \
  F(int, av_frame_get_buffer, (AVFrame*, int))                                                          \
  F(AVFrameSideData*, av_frame_new_side_data, (AVFrame*, AVFrameSideDataType, size_t))                  \
  F(void, av_free, (void*))                                                                             \
  F(void, av_freep, (void*))                                                                            \
  F(int, av_hwdevice_ctx_create, (AVBufferRef**, int, const char*, AVDictionary*, int))                 \
  F(int, av_hwdevice_find_type_by_name, (const char*))                                                  \
  F(int, av_hwdevice_iterate_types, (int))                                                              \
  F(int, av_hwframe_transfer_data, (AVFrame*, const AVFrame*, int))                                     \
  F(int, av_image_get_linesize, (AVPixelFormat, int, int))                                              \
  F(void, av_log_default_callback, (void*, int, const char*, va_list))                                  \
  F(void, av_log_set_callback, (AVLogCallback))                                                         \
  F(void*, av_malloc, (size_t))                                                                         \
  F(const AVOption*, av_opt_find, (void*, const char*, const char*, int, int))                          \
  F(int, av_opt_get_int, (void*, const char*, int, int64_t*))                                           \
  F(int, av_opt_set, (void*, const char*, const char*, int))                                            \
  F(int, av_opt_set_int, (void*, const char*, int64_t, int))                                            \
  F(int, av_opt_set_q, (void*, const char*, AVRational, int))                                           \
  F(const AVPixFmtDescriptor*, av_pix_fmt_desc_get, (AVPixelFormat))                                    \
  F(int64_t, av_rescale_q, (int64_t, AVRational, AVRational))                                           \
  F(int, av_strerror, (int, char*, size_t))                                                             \
  F(const char*, av_version_info, ())

#define ACU_AVCODEC_FUNCTIONS(F)                                                        \
  F(int, av_codec_is_decoder, (const AVCodec*))                                         \
  F(const AVCodec*, av_codec_iterate, (void**))                                         \
  F(AVPacket*, av_packet_alloc, ())                                                     \
  F(AVPacket*, av_packet_clone, (const AVPacket*))                                      \
  F(void, av_packet_free, (AVPacket**))                                                 \
  F(const char*, av_packet_side_data_name, (AVPacketSideDataType))                      \
  F(void, av_packet_unref, (AVPacket*))                                                 \
  F(AVCodecContext*, avcodec_alloc_context3, (const AVCodec*))                          \
  F(int, avcodec_default_get_buffer2, (AVCodecContext*, AVFrame*, int))                 \
  F(AVPixelFormat, avcodec_default_get_format, (AVCodecContext*, const AVPixelFormat*)) \
  F(const AVCodecDescriptor*, avcodec_descriptor_get_by_name, (const char*))            \
  F(const AVCodec*, avcodec_find_decoder, (AVCodecID))                                  \
  F(void, avcodec_flush_buffers, (AVCodecContext*))                                     \
  F(void, avcodec_free_context, (AVCodecContext**))                                     \
  F(const AVCodecHWConfig*, avcodec_get_hw_config, (const AVCodec*, int))               \
  F(const char*, avcodec_get_name, (AVCodecID))                                         \
  F(int, avcodec_open2, (AVCodecContext*, const AVCodec*, AVDictionary**))              \
  F(AVCodecParameters*, avcodec_parameters_alloc, ())                                   \
  F(int, avcodec_parameters_copy, (AVCodecParameters*, const AVCodecParameters*))       \
  F(void, avcodec_parameters_free, (AVCodecParameters**))                               \
  F(int, avcodec_parameters_from_context, (AVCodecParameters*, const AVCodecContext*))  \
  F(int, avcodec_parameters_to_context, (AVCodecContext*, const AVCodecParameters*))    \
  F(int, avcodec_receive_frame, (AVCodecContext*, AVFrame*))                            \
  F(int, avcodec_send_packet, (AVCodecContext*, const AVPacket*))                       \
  F(unsigned, avcodec_version, ())

#define ACU_AVFORMAT_FUNCTIONS(F)                                                                                \
  F(int, av_find_best_stream, (AVFormatContext*, int, int, int, const AVCodec**, int))                           \
  F(AVRational, av_guess_frame_rate, (AVFormatContext*, AVStream*, AVFrame*))                                    \
  F(const AVInputFormat*, av_find_input_format, (const char*))                                                   \
  F(int, av_read_frame, (AVFormatContext*, AVPacket*))                                                           \
  F(int, av_seek_frame, (AVFormatContext*, int, int64_t, int))                                                   \
  F(int, av_write_frame, (AVFormatContext*, AVPacket*))                                                          \
  F(int, av_write_trailer, (AVFormatContext*))                                                                   \
  F(AVFormatContext*, avformat_alloc_context, ())                                                                \
  F(int, avformat_alloc_output_context2, (AVFormatContext**, const void*, const char*, const char*))             \
  F(void, avformat_close_input, (AVFormatContext**))                                                             \
  F(int, avformat_find_stream_info, (AVFormatContext*, AVDictionary**))                                          \
  F(void, avformat_free_context, (AVFormatContext*))                                                             \
  F(AVStream*, avformat_new_stream, (AVFormatContext*, const AVCodec*))                                          \
  F(int, avformat_open_input, (AVFormatContext**, const char*, const AVInputFormat*, AVDictionary**))            \
  F(int, avformat_write_header, (AVFormatContext*, AVDictionary**))                                              \
  F(AVIOContext*, avio_alloc_context, (unsigned char*, int, int, void*, AVReadBytes, AVWriteBytes, AVSeekBytes)) \
  F(void, avio_context_free, (AVIOContext**))

// Functions that some versions lack.
#define ACU_OPTIONAL_AVCODEC_FUNCTIONS(F) \
  F(AVPacketSideData*, av_packet_side_data_new, (AVPacketSideData**, int*, AVPacketSideDataType, size_t, int))
#define ACU_OPTIONAL_AVFORMAT_FUNCTIONS(F) \
  F(uint8_t*, av_stream_new_side_data, (AVStream*, AVPacketSideDataType, size_t))

}  // namespace acutance
