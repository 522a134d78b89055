#include "run/map_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "image/tiff_writer.h"

namespace acutance {

Result<ArtifactSink> MakeMapFiles(const std::string& folder, int distorted_count) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error(StatusCode::kIo, "could not make the folder {}: {}", folder, error.message());
  return ArtifactSink([folder, distorted_count](const Artifact& artifact) -> Status {
    std::string name = artifact.name;
    std::ranges::replace(name, '/', '_');
    const std::string video =
        artifact.distorted >= 0 && distorted_count > 1 ? fmt::format("video{}_", artifact.distorted) : "";
    const std::string path = fmt::format("{}/{}{}_{:06}.tif", folder, video, name, artifact.frame);
    return WriteTiff(path, artifact.picture.planes[0], artifact.picture.format);
  });
}

}  // namespace acutance
