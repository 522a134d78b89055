// Artifacts of a session, which are pictures that metrics hand out in addition to their scores, and their files: a TIFF
// file for each frame, and the raw files that options of metrics name (metric/raw_dump_option.h).
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/frame_results.h"
#include "image/picture.h"

namespace acutance {

struct Artifact {
  std::string name;  // the metric's, and the options that show in its key: "cambi_heatmap_scale_0_ws_31"
  int64_t frame = 0;
  int distorted = -1;  // -1: the metric reads the reference alone
  Picture picture;
};

/// Called with one artifact at a time, in frame order. Its error ends the session.
using ArtifactSink = std::function<Status(const Artifact&)>;

/// Creates the folder. The sink writes each artifact to a TIFF file there, <name>_<frame>.tif with six digits; for
/// several distorted videos video<n>_<name>_<frame>.tif, n from 0 on.
Result<ArtifactSink> MakeMapFiles(const std::string& folder, int distorted_count);

/// The file to which an option has an artifact written; empty: none.
std::string RawArtifactFile(const Extractor& extractor, int artifact);

/// Rows without padding, samples of 16 bits little-endian.
class RawArtifacts {
 public:
  /// Creates the files and their folders; existing ones are not truncated yet. An error where two runs share a file.
  Status Open(const FeatureSet& features, int distorted_count);

  /// Writes the artifacts of a run's result. Frame 0 truncates the files.
  Status Write(const Extractor& extractor, const RunResult& result, int64_t frame);
  Status Close();

 private:
  Status OpenFile(const std::string& path);

  std::map<std::string, std::fstream> files_;
};

}  // namespace acutance
