// A video that is stored lying or mirrored, as it is shown.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

/// `source` with its pictures turned as its facts say. Fails where rows of 4:2:2 would become columns.
Result<std::unique_ptr<VideoSource>> AutoRotate(std::unique_ptr<VideoSource> source);

/// Opens a file as it is shown.
Result<std::unique_ptr<VideoSource>> OpenTurned(const std::string& path, const OpenOptions& options);

}  // namespace acutance
