#include "engine/artifact_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/system/file.h"
#include "image/tiff_writer.h"
#include "metric/metric.h"

namespace acutance {
namespace {

Status WriteError(const std::string& path) {
  return Error(StatusCode::kIo, "could not write {}: {}", path, std::strerror(errno));
}

}  // namespace

Result<ArtifactSink> MakeMapFiles(const std::string& folder, int distorted_count) {
  ACU_RETURN_IF_ERROR(MakeFolder(folder));
  return ArtifactSink([folder, distorted_count](const Artifact& artifact) -> Status {
    std::string name = artifact.name;
    std::ranges::replace(name, '/', '_');
    const std::string video =
        artifact.distorted >= 0 && distorted_count > 1 ? fmt::format("video{}_", artifact.distorted) : "";
    const std::string path = fmt::format("{}/{}{}_{:06}.tif", folder, video, name, artifact.frame);
    return WriteTiff(path, artifact.picture.planes[0], artifact.picture.format);
  });
}

std::string RawArtifactFile(const Extractor& extractor, int artifact) {
  const auto* files = dynamic_cast<const RawDumpOption*>(&extractor);
  return files ? files->FileOf(artifact) : "";
}

Status RawArtifacts::Open(const FeatureSet& features, int distorted_count) {
  for (const MetricRun& run : features.runs())
    for (int a = 0; a < std::ssize(run.extractor->spec().artifacts); ++a) {
      const std::string path = RawArtifactFile(*run.extractor, a);
      if (path.empty()) continue;
      if (run.ReadsDistorted() && distorted_count > 1)
        return Error(StatusCode::kInvalidArgument,
                     "feature {}: {} distorted videos would write the same {}; score one at a time, or ask for maps "
                     "(--maps), which have a file for each",
                     run.metric->name, distorted_count, path);
      if (files_.contains(path))
        return Error(StatusCode::kInvalidArgument,
                     "feature {}: another feature already writes {}; give each a folder of its own", run.metric->name,
                     path);
      ACU_RETURN_IF_ERROR(OpenFile(path));
    }
  return {};
}

Status RawArtifacts::OpenFile(const std::string& path) {
  const std::filesystem::path name = SystemPath(path);
  if (name.has_parent_path()) ACU_RETURN_IF_ERROR(MakeFolder(name.parent_path().string()));
  std::fstream& file = files_[path];
  file.open(name, std::ios::binary | std::ios::in | std::ios::out);
  if (!file.is_open()) file.open(name, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc);
  return file.is_open() ? Status() : WriteError(path);
}

Status RawArtifacts::Write(const Extractor& extractor, const RunResult& result, int64_t frame) {
  if (files_.empty()) return {};
  for (size_t i = 0; i < result.artifacts.size(); ++i) {
    const std::string path = RawArtifactFile(extractor, static_cast<int>(i));
    if (path.empty()) continue;
    const MutablePicture& picture = result.artifacts[i];
    const int64_t row_bytes = int64_t{picture.format.width} * picture.format.BytesPerSample();
    std::fstream& file = files_.at(path);
    std::error_code error;
    if (frame == 0) std::filesystem::resize_file(SystemPath(path), 0, error);
    if (error) return Error(StatusCode::kIo, "could not write {}: {}", path, error.message());
    file.seekp(frame * row_bytes * picture.format.height);
    for (int y = 0; y < picture.format.height; ++y) file.write(picture.Row<char>(0, y), row_bytes);
    if (!file.flush()) return WriteError(path);
  }
  return {};
}

Status RawArtifacts::Close() {
  for (auto& [path, file] : files_) {
    file.close();
    if (file.fail()) return WriteError(path);
  }
  files_.clear();
  return {};
}

}  // namespace acutance
