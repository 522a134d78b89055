// Raw files of artifacts that options of metrics ask for (RawDumpOption).
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/frame_results.h"

namespace acutance {

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
