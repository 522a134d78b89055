// Motion JPEG writer: JPEG images as a Matroska video file, by FFmpeg's muxer.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace acutance {

class MotionJpegWriter {
 public:
  virtual ~MotionJpegWriter() = default;

  /// Appends an image of the video's size.
  virtual Status Add(std::string_view jpeg) = 0;

  /// Writes what remains. Called once, after the last image.
  virtual Status Finish() = 0;
};

/// Begins a video of images of width x height, at `frame_rate` images a second. `write` gets the file's bytes in their
/// order, from this call on. The same images give the same bytes. An error where FFmpeg's libraries are missing.
Result<std::unique_ptr<MotionJpegWriter>> OpenMotionJpegWriter(int width, int height, double frame_rate,
                                                               std::function<void(std::string_view)> write);

}  // namespace acutance
