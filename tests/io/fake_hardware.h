// Video hardware for tests: FFmpeg's functions for devices are replaced, and its own decoders do the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "io/ffmpeg/library.h"

namespace acutance::test {

/// While it lives, FFmpeg seems to have a VAAPI device that decodes H.264, HEVC, MPEG-2 and, by another decoder than
/// FFmpeg's usual one, VP9. Frames seem to lie in its memory, until they are copied as nv12, p010 and the like.
class FakeHardware {
 public:
  FakeHardware();
  ~FakeHardware();
  FakeHardware(const FakeHardware&) = delete;
  FakeHardware& operator=(const FakeHardware&) = delete;

  // What it does wrong.
  bool is_built_in = true;
  bool opens = true;                      // the device
  bool offers = true;                     // its pixel format for the stream
  bool gives_8_bits = false;              // in place of 10
  bool alters = false;                    // a sample of each frame
  bool describes_grain = false;           // which it leaves out
  bool declares_other = false;            // primaries; the one of VP9 always does
  std::atomic<int> copies_left{1 << 30};  // then all copies fail
  std::atomic<int> altered{-1};           // the copy that has another sample; an error follows two frames later
  std::atomic<int> frames_left{1 << 30};  // then decoders report an error
  int reported = AVERROR(EIO);

  // What was asked of it.
  std::atomic<int> decoders = 0, copies = 0;
  std::string device;

 private:
  struct Functions;

  static int OpenDevice(AVBufferRef** context, int type, const char* device, AVDictionary* options, int flags);
  static int NextType(int type);
  static const AVCodecHWConfig* ConfigOf(const AVCodec* codec, int index);
  static int OpenDecoder(AVCodecContext* decoder, const AVCodec* codec, AVDictionary** options);
  static AVPixelFormat Choose(AVCodecContext* decoder, const AVPixelFormat* offered);
  static int Receive(AVCodecContext* decoder, AVFrame* frame);
  static int Copy(AVFrame* to, const AVFrame* from, int flags);
  int CopySamples(AVFrame& to, const AVFrame& from, AVPixelFormat samples);

  const FfmpegLibrary real_;
  AVCodecHWConfig config_{};
  std::mutex mutex_;
  std::map<AVCodecContext*, GetFormat> choosers_;
  std::map<const uint8_t*, AVPixelFormat> surfaces_;  // by their luma
};

/// FFmpeg's number of a pixel format; AV_PIX_FMT_NONE: there is none.
AVPixelFormat PixelFormatNamed(std::string_view name);

}  // namespace acutance::test
