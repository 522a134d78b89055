// Images one after another as a video file: Motion JPEG in Matroska, which needs no encoder and is written as it comes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "log/output_file.h"

namespace acutance {

class Film {
 public:
  static Result<std::unique_ptr<Film>> Open(const std::string& path, int width, int height, double frame_rate);

  /// The next image, a JPEG file.
  void Add(const std::string& jpeg);

  /// Puts the file in place.
  Status Commit() { return file_->Commit(); }

 private:
  Film(std::unique_ptr<OutputFile> file, double frame_rate) : file_(std::move(file)), frame_rate_(frame_rate) {}

  std::unique_ptr<OutputFile> file_;
  const double frame_rate_;
  int64_t frames_ = 0;
};

}  // namespace acutance
