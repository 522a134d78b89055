// Files of artifacts: a TIFF file for each frame, and the raw files that options of metrics name
// (metric/raw_dump_option.h).
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "base/status.h"
#include "engine/artifact.h"
#include "engine/feature_set.h"
#include "engine/frame_results.h"

namespace acutance {

/// Makes the folder, and what writes each artifact to a TIFF file there: <name>_<frame>.tif, six digits of the frame;
/// with several distorted videos video<n>_<name>_<frame>.tif, n from 0 on.
Result<ArtifactSink> MakeMapFiles(const std::string& folder, int distorted_count);

/// The file to which an option has an artifact written; empty: none.
std::string RawArtifactFile(const Extractor& extractor, int artifact);

/// Rows without padding, samples of 16 bits little-endian.
class RawArtifacts {
 public:
  /// Makes the files and their folders without truncating them. An error where two runs or videos share a file.
  Status Open(const FeatureSet& features, int distorted_count);

  /// Writes those of a run's result. Frame 0 empties the files.
  Status Write(const Extractor& extractor, const RunResult& result, int64_t frame);

  /// Called after the last frame.
  Status Close();

 private:
  Status OpenFile(const std::string& path);

  std::map<std::string, std::fstream> files_;
};

}  // namespace acutance
