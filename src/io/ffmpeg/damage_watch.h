// Signs of damage in what FFmpeg reads: errors in its log, and pictures that its decoders leave incomplete.
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "io/ffmpeg/declarations.h"

namespace acutance {

/// Watches one decoder or one container. HEVC's decoder, and MPEG-2's on several threads, ends a picture early without
/// a word where damaged data say that a slice ends, FFV1's lacks slices where data without checksums say that there are
/// fewer, and what the memory held before then shows; so does H.264's, where another part of the process reads FFmpeg's
/// log. So each picture's memory is marked before it is decoded, once in 16x16 samples: where a mark is left, the
/// picture is incomplete. One mark is eight samples, so that a picture has it by chance once in 2^64.
class DamageWatch {
 public:
  DamageWatch();
  ~DamageWatch();
  DamageWatch(const DamageWatch&) = delete;
  DamageWatch& operator=(const DamageWatch&) = delete;

  /// Watches the decoder, before it is opened; what was seen of an earlier one is forgotten. fills: each picture starts
  /// as gray, so that what is not decoded is the same in each run.
  void Attach(AVCodecContext& decoder, bool fills);
  /// Watches the errors of a container.
  void Attach(AVFormatContext& container);
  /// Warnings count, too: once a container is open, they are about its data.
  void NoteWarnings() { level_ = AV_LOG_WARNING; }

  /// Whether the frame, and all that were decoded before it, are complete. Frames in the order of output.
  bool IsComplete(const AVFrame& frame);

  bool has_errors() const { return has_errors_; }
  /// The first error since the last call, in FFmpeg's words; empty: there was none.
  std::string TakeError();
  std::string error() const;

  /// FFmpeg's log callback: notes errors of what is watched. False: the line belongs to nothing that is watched.
  static bool NoteLog(void* context, int level, const char* format, va_list arguments);

 private:
  struct BufferFreed {
    void operator()(AVBufferRef* buffer) const;
  };
  struct Marked {
    std::unique_ptr<AVBufferRef, BufferFreed> buffer;  // luma; held until it is checked
    uint8_t* samples = nullptr;
    ptrdiff_t stride = 0;
    int width = 0, height = 0, bytes = 0;  // bytes of a sample
  };

  static int GetBuffer(AVCodecContext* decoder, AVFrame* frame, int flags);
  void Prepare(const AVFrame& frame);
  static bool HasMark(const Marked& picture);
  void Note(std::string text);

  std::atomic<int> level_ = AV_LOG_ERROR;
  bool fills_ = false;
  bool marks_ = false;
  std::atomic<bool> has_errors_ = false;
  mutable std::mutex mutex_;
  std::string error_;
  std::deque<Marked> marked_;  // in the order of decoding
};

/// The first error that FFmpeg logs on this thread about anything that is not watched, such as a device.
class LoggedErrors {
 public:
  LoggedErrors();
  ~LoggedErrors();
  LoggedErrors(const LoggedErrors&) = delete;
  LoggedErrors& operator=(const LoggedErrors&) = delete;

  /// In FFmpeg's words; empty: there is none, or FFmpeg's log is not read.
  const std::string& text() const { return text_; }

 private:
  friend class DamageWatch;
  std::string text_;
  LoggedErrors* const outer_;
};

}  // namespace acutance
