// Video opening: the reader that fits a file, with the filters that its pictures always need.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "io/video_source.h"
#include "video/raw_format_check.h"

namespace acutance {

/// Opens y4m (by its magic), raw yuv (by options.raw), or any container that FFmpeg's libraries read where the
/// build has them. "-" is standard input. A FIFO waits for its writer.
Result<std::unique_ptr<VideoSource>> OpenVideo(const std::string& path, const OpenOptions& options);

/// The same, rotated as displayed.
Result<std::unique_ptr<VideoSource>> OpenAsDisplayed(const std::string& path, const OpenOptions& options);

/// Whether it is a regular file that OpenVideo reads as raw yuv.
bool IsRawFile(const std::string& path, const OpenOptions& options);

/// Of such a file: a format that fits its bytes far better than the declared one. nullopt: the declared one fits.
std::optional<RawFormatDoubt> DoubtRawFile(const std::string& path, const OpenOptions& options);

}  // namespace acutance
