// The videos of a folder, for rate-quality curves.
#pragma once

#include <acutance/run.h>

#include <string>

#include "io/video_source.h"

namespace acutance {

/// Hidden files are left out. A file that only lacks what an option tells is taken, so that the run says so. kNotFound
/// where there is no video.
Result<FolderVideos> FindVideos(const std::string& folder, const OpenOptions& options);

}  // namespace acutance
