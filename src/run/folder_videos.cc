#include "run/folder_videos.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "base/files.h"
#include "video/open_video.h"

namespace acutance {

Result<FolderVideos> FindVideos(const std::string& folder, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  FolderVideos found;
  for (const std::string& name : names) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (name[0] == '.' || !IsRegularFile(path)) continue;
    const auto video = OpenVideo(path.string(), options);
    if (video.ok() || video.status().code() == StatusCode::kInvalidArgument) found.files.push_back(path.string());
    else found.passed_over.push_back(video.status().message());
  }
  if (!found.files.empty()) return found;
  if (found.passed_over.empty()) return Error(StatusCode::kNotFound, "{}: there is no file in it", folder);
  return Error(StatusCode::kNotFound, "{}: there is no video in it ({})", folder, fmt::join(found.passed_over, "; "));
}

}  // namespace acutance
