// The videos of a folder, for rate-quality curves.
#pragma once

#include <string>
#include <vector>

#include "io/video_source.h"

namespace acutance {

struct FolderVideos {
  std::vector<std::string> files;        // in the order of their names
  std::vector<std::string> passed_over;  // files that do not open as a video, such as an encoder's log, and why
};

/// Hidden files are left out. A file that only lacks what an option tells is taken, so that the run says so. kNotFound
/// where there is no video.
Result<FolderVideos> FindVideos(const std::string& folder, const OpenOptions& options);

}  // namespace acutance
