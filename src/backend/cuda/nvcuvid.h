// The part of NVIDIA's decoder library (NVDECODE API, libnvcuvid) that acutance calls, declared here and resolved at
// run time. Names, values and the order of members are its ABI, which the Video Codec SDK's programming guide
// describes.
#pragma once

#include <cstdint>

#include "backend/cuda/driver.h"
#include "base/status.h"

namespace acutance::cuda {

using CUvideoparser = struct VideoParserHandle*;
using CUvideodecoder = struct VideoDecoderHandle*;

enum cudaVideoCodec : int { cudaVideoCodec_H264 = 4, cudaVideoCodec_HEVC = 8, cudaVideoCodec_VP9 = 10 };
enum cudaVideoChromaFormat : int {
  cudaVideoChromaFormat_Monochrome = 0,
  cudaVideoChromaFormat_420 = 1,
  cudaVideoChromaFormat_422 = 2,
  cudaVideoChromaFormat_444 = 3,
};
enum cudaVideoSurfaceFormat : int {
  cudaVideoSurfaceFormat_NV12 = 0,          // Y, then Cb and Cr in turns
  cudaVideoSurfaceFormat_P016 = 1,          // the same in two bytes, values at the top
  cudaVideoSurfaceFormat_YUV444 = 2,        // three planes
  cudaVideoSurfaceFormat_YUV444_16Bit = 3,  // likewise
};
inline constexpr unsigned long cudaVideoCreate_PreferCUVID = 4;  // the engines

enum cuvidDecodeStatus : int {
  cuvidDecodeStatus_InProgress = 1,
  cuvidDecodeStatus_Success = 2,
  cuvidDecodeStatus_Error = 8,
  cuvidDecodeStatus_Error_Concealed = 9,
};

inline constexpr unsigned long CUVID_PKT_ENDOFSTREAM = 1, CUVID_PKT_TIMESTAMP = 2, CUVID_PKT_ENDOFPICTURE = 8;

struct VideoRectangle {
  int left, top, right, bottom;
};

/// CUVIDEOFORMAT, whose last members are not used.
struct CUVIDEOFORMAT {
  cudaVideoCodec codec;
  unsigned rate_numerator, rate_denominator;
  unsigned char progressive_sequence, bit_depth_luma_minus8, bit_depth_chroma_minus8, min_num_decode_surfaces;
  unsigned coded_width, coded_height;
  VideoRectangle display_area;
  cudaVideoChromaFormat chroma_format;
  unsigned bitrate;
  int aspect_x, aspect_y;
  unsigned char signal[4];
  unsigned sequence_header_bytes;
};

struct CUVIDDECODECAPS {
  cudaVideoCodec codec;
  cudaVideoChromaFormat chroma_format;
  unsigned bit_depth_minus8, reserved1[3];
  unsigned char is_supported, engines;
  unsigned short output_formats;  // a bit for each cudaVideoSurfaceFormat
  unsigned max_width, max_height, max_macroblocks;
  unsigned short min_width, min_height;
  unsigned char has_histogram, counter_bits;
  unsigned short histogram_bins;
  unsigned reserved3[10];
};

struct CUVIDDECODECREATEINFO {
  unsigned long width, height, decode_surfaces;
  cudaVideoCodec codec;
  cudaVideoChromaFormat chroma_format;
  unsigned long flags, bit_depth_minus8, intra_only, max_width, max_height, reserved1;
  short display_area[4];  // left, top, right, bottom
  cudaVideoSurfaceFormat output_format;
  int deinterlace_mode;  // 0: fields stay in the rows of their frame
  unsigned long target_width, target_height, output_surfaces;
  void* lock;
  short target_area[4];
  unsigned long enable_histogram, reserved2[4];
};

/// CUVIDPICPARAMS: it goes from the parser to the decoder as it is.
struct CUVIDPICPARAMS {
  int width_in_macroblocks, height_in_macroblocks, index;
};

struct CUVIDPARSERDISPINFO {
  int index, progressive_frame, top_field_first;
  int repeat_first_field;  // -1: a field alone
  long long timestamp;
};

struct CUVIDPARSERPARAMS {
  cudaVideoCodec codec;
  unsigned decode_surfaces, clock_rate, error_threshold, display_delay, flags, reserved1[4];
  void* user;
  int (*on_sequence)(void* user, CUVIDEOFORMAT* format);
  int (*on_decode)(void* user, CUVIDPICPARAMS* picture);
  int (*on_display)(void* user, CUVIDPARSERDISPINFO* info);
  int (*on_operating_point)(void* user, void* info);
  void* reserved2[6];
  void* extended_format;
};

struct CUVIDSOURCEDATAPACKET {
  unsigned long flags, size;
  const uint8_t* data;
  long long timestamp;
};

struct CUVIDPROCPARAMS {
  int progressive_frame, second_field, top_field_first, unpaired_field;
  unsigned reserved_flags, reserved_zero;
  unsigned long long raw_input;
  unsigned raw_input_pitch, raw_input_format;
  unsigned long long raw_output;
  unsigned raw_output_pitch, reserved1;
  CUstream stream;
  unsigned reserved[46];
  unsigned long long* histogram;
  void* reserved2[1];
};

struct CUVIDGETDECODESTATUS {
  cuvidDecodeStatus status;
  unsigned reserved[31];
  void* reserved_pointers[8];
};

#define ACU_NVCUVID_FUNCTIONS(X)                                                                                    \
  X(cuvidGetDecoderCaps, (CUVIDDECODECAPS * caps))                                                                  \
  X(cuvidCreateVideoParser, (CUvideoparser * parser, CUVIDPARSERPARAMS * parameters))                               \
  X(cuvidParseVideoData, (CUvideoparser parser, CUVIDSOURCEDATAPACKET * packet))                                    \
  X(cuvidDestroyVideoParser, (CUvideoparser parser))                                                                \
  X(cuvidCreateDecoder, (CUvideodecoder * decoder, CUVIDDECODECREATEINFO * info))                                   \
  X(cuvidDestroyDecoder, (CUvideodecoder decoder))                                                                  \
  X(cuvidDecodePicture, (CUvideodecoder decoder, CUVIDPICPARAMS * picture))                                         \
  X(cuvidGetDecodeStatus, (CUvideodecoder decoder, int index, CUVIDGETDECODESTATUS* status))                        \
  X(cuvidMapVideoFrame64,                                                                                           \
    (CUvideodecoder decoder, int index, unsigned long long* address, unsigned* pitch, CUVIDPROCPARAMS* parameters)) \
  X(cuvidUnmapVideoFrame64, (CUvideodecoder decoder, unsigned long long address))

struct Nvcuvid {
#define ACU_DECLARE(name, parameters) CUresult(*name) parameters = nullptr;
  ACU_NVCUVID_FUNCTIONS(ACU_DECLARE)
#undef ACU_DECLARE
};

/// Opens the library once, for the life of the process. ACUTANCE_NVCUVID_LIBRARY names another than libnvcuvid.so.1: a
/// hook for tests.
Result<const Nvcuvid*> OpenNvcuvid();

}  // namespace acutance::cuda
