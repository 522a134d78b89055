// Where the fields of FFmpeg's structs lie, in each version.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "io/ffmpeg/declarations.h"

namespace acutance {

/// The layout of the loaded libraries: 0 to 4 for versions 5, 6, 7, 8 and 9 of FFmpeg. Set once, as they are loaded.
inline int g_ffmpeg_layout = 0;
constexpr int kFfmpegLayouts = 5;
/// libavutil's first number in version 5; each version adds one. libavcodec's and libavformat's are greater by 2.
constexpr int kFirstAvutil = 57;

constexpr uint16_t kNoField = 0xffff;  // a version without the field

/// Whether the structs of the loaded libraries are as the chosen layout says: FFmpeg's own functions set fields, and
/// the layout finds them there, or the other way round. The error names the first field that is elsewhere.
Status CheckFfmpegLayout();

/// The same of the fields for decoders on devices: without them, FFmpeg's own decoders serve.
Status CheckHardwareLayout();

template <class T>
using Pointers = T* [8];
using Strides = int[8];
using GetBuffer = int (*)(AVCodecContext*, AVFrame*, int);
using GetFormat = AVPixelFormat (*)(AVCodecContext*, const AVPixelFormat*);
using OpenIo = int (*)(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**);

// The fields that this folder uses: type, name, offset in each layout on 64-bit machines.
#define ACU_FRAME_FIELDS(F)                                                 \
  F(Pointers<uint8_t>, data, 0, 0, 0, 0, 0)                                 \
  F(Strides, linesize, 64, 64, 64, 64, 64)                                  \
  F(int, width, 104, 104, 104, 104, 104)                                    \
  F(int, height, 108, 108, 108, 108, 108)                                   \
  F(int, format, 116, 116, 116, 116, 116)                                   \
  F(AVRational, sample_aspect_ratio, 128, 128, 128, 124, 124)               \
  F(int64_t, pts, 136, 136, 136, 136, 136)                                  \
  F(void*, opaque, 176, 176, 168, 168, 168)                                 \
  F(int64_t, reordered_opaque, 200, kNoField, kNoField, kNoField, kNoField) \
  F(int, interlaced_frame, 188, 188, 180, kNoField, kNoField)               \
  F(int, top_field_first, 192, 192, 184, kNoField, kNoField)                \
  F(Pointers<AVBufferRef>, buf, 224, 224, 200, 184, 184)                    \
  F(AVFrameSideData**, side_data, 304, 304, 280, 264, 264)                  \
  F(int, nb_side_data, 312, 312, 288, 272, 272)                             \
  F(int, flags, 316, 316, 292, 276, 276)                                    \
  F(int, color_range, 320, 320, 296, 280, 280)                              \
  F(int, color_primaries, 324, 324, 300, 284, 284)                          \
  F(int, color_trc, 328, 328, 304, 288, 288)                                \
  F(int, colorspace, 332, 332, 308, 292, 292)                               \
  F(int, chroma_location, 336, 336, 312, 296, 296)                          \
  F(int64_t, best_effort_timestamp, 344, 344, 320, 304, 304)                \
  F(AVDictionary*, metadata, 368, 368, 336, 312, 312)                       \
  F(int, decode_error_flags, 376, 376, 344, 320, 320)

#define ACU_CODEC_CONTEXT_FIELDS(F)                                          \
  F(const AVCodec*, codec, 16, 16, 16, 16, 16)                               \
  F(int, codec_id, 24, 24, 24, 24, 24)                                       \
  F(void*, opaque, 48, 48, 48, 48, 48)                                       \
  F(uint8_t*, extradata, 88, 88, 72, 72, 72)                                 \
  F(int, extradata_size, 96, 96, 80, 80, 80)                                 \
  F(GetFormat, get_format, 152, 152, 192, 192, 192)                          \
  F(GetBuffer, get_buffer2, 408, 408, 408, 408, 408)                         \
  F(int64_t, reordered_opaque, 528, kNoField, kNoField, kNoField, kNoField)  \
  F(int, thread_safe_callbacks, 648, kNoField, kNoField, kNoField, kNoField) \
  F(AVBufferRef*, hw_device_ctx, 872, 864, 560, 560, 560)

#define ACU_PARAMETERS_FIELDS(F)                                        \
  F(int, codec_type, 0, 0, 0, 0, 0)                                     \
  F(int, codec_id, 4, 4, 4, 4, 4)                                       \
  F(uint8_t*, extradata, 16, 16, 16, 16, 16)                            \
  F(int, extradata_size, 24, 24, 24, 24, 24)                            \
  F(AVPacketSideData*, coded_side_data, kNoField, kNoField, 32, 32, 32) \
  F(int, nb_coded_side_data, kNoField, kNoField, 40, 40, 40)            \
  F(int64_t, bit_rate, 32, 32, 48, 48, 48)                              \
  F(int, width, 56, 56, 72, 72, 72)                                     \
  F(int, height, 60, 60, 76, 76, 76)                                    \
  F(AVRational, sample_aspect_ratio, 64, 64, 80, 80, 80)                \
  F(int, field_order, 72, 72, 96, 96, 96)

#define ACU_STREAM_FIELDS(F)                                              \
  F(AVCodecParameters*, codecpar, 208, 16, 16, 16, 16)                    \
  F(AVRational, time_base, 16, 32, 32, 32, 32)                            \
  F(int64_t, start_time, 24, 40, 40, 40, 40)                              \
  F(int64_t, duration, 32, 48, 48, 48, 48)                                \
  F(int64_t, nb_frames, 40, 56, 56, 56, 56)                               \
  F(int, disposition, 48, 64, 64, 64, 64)                                 \
  F(int, discard, 52, 68, 68, 68, 68)                                     \
  F(AVRational, sample_aspect_ratio, 56, 72, 72, 72, 72)                  \
  F(AVDictionary*, metadata, 64, 80, 80, 80, 80)                          \
  F(AVRational, avg_frame_rate, 72, 88, 88, 88, 88)                       \
  F(AVRational, r_frame_rate, 200, 216, 216, 204, 204)                    \
  F(AVPacketSideData*, side_data, 184, 200, kNoField, kNoField, kNoField) \
  F(int, nb_side_data, 192, 208, kNoField, kNoField, kNoField)

#define ACU_CONTAINER_FIELDS(F)                   \
  F(const AVInputFormat*, iformat, 8, 8, 8, 8, 8) \
  F(AVIOContext*, pb, 32, 32, 32, 32, 32)         \
  F(unsigned, nb_streams, 44, 44, 44, 44, 44)     \
  F(AVStream**, streams, 48, 48, 48, 48, 48)      \
  F(int64_t, start_time, 64, 64, 96, 96, 96)      \
  F(int64_t, duration, 72, 72, 104, 104, 104)     \
  F(int64_t, bit_rate, 80, 80, 112, 112, 112)     \
  F(void*, opaque, 376, 376, 416, 416, 416)       \
  F(OpenIo, io_open, 424, 424, 448, 448, 448)

/// A field of a constant struct is constant.
template <class T, class Struct>
using FieldOf = std::conditional_t<std::is_const_v<Struct>, const T, T>;

#define ACU_ACCESS_FIELD(Type, name, ...)                                                                            \
  static constexpr uint16_t k_##name[kFfmpegLayouts] = {__VA_ARGS__};                                                \
  static bool has_##name() { return k_##name[g_ffmpeg_layout] != kNoField; }                                         \
  FieldOf<Type, Struct>& name() const {                                                                              \
    using Byte = FieldOf<char, Struct>;                                                                              \
    return *reinterpret_cast<FieldOf<Type, Struct>*>(reinterpret_cast<Byte*>(&object_) + k_##name[g_ffmpeg_layout]); \
  }
#define ACU_ACCESS_STRUCT(Name, FIELDS)                                                     \
  template <class Struct>                                                                   \
  class FieldsOf##Name {                                                                    \
   public:                                                                                  \
    explicit FieldsOf##Name(Struct& object) : object_(object) {}                            \
    FIELDS(ACU_ACCESS_FIELD)                                                                \
                                                                                            \
   private:                                                                                 \
    Struct& object_;                                                                        \
  };                                                                                        \
  inline FieldsOf##Name<Name> Fields(Name& object) { return FieldsOf##Name<Name>(object); } \
  inline FieldsOf##Name<const Name> Fields(const Name& object) { return FieldsOf##Name<const Name>(object); }

// Fields(frame).width() is the field of a frame.
ACU_ACCESS_STRUCT(AVFrame, ACU_FRAME_FIELDS)
ACU_ACCESS_STRUCT(AVCodecContext, ACU_CODEC_CONTEXT_FIELDS)
ACU_ACCESS_STRUCT(AVCodecParameters, ACU_PARAMETERS_FIELDS)
ACU_ACCESS_STRUCT(AVStream, ACU_STREAM_FIELDS)
ACU_ACCESS_STRUCT(AVFormatContext, ACU_CONTAINER_FIELDS)
#undef ACU_ACCESS_STRUCT
#undef ACU_ACCESS_FIELD

}  // namespace acutance
