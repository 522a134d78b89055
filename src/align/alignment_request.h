// Requested frame alignment: automatic, by time, by index, an offset, or a list of pairs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace acutance {

struct AlignmentRequest {
  enum class Mode { kIndex, kAuto, kTimes, kOffset, kFile };

  Mode mode = Mode::kIndex;
  int64_t late = 0;  // kOffset: distorted frame k + late is aligned with reference frame k
  std::string file;  // kFile: of pairs
  /// kFile: the pairs themselves, in place of a file's.
  std::vector<std::pair<int64_t, int64_t>> pairs{};
};

/// Parses "auto", "time", "index", "+12", "-3", or a file's path. An error says what is expected.
Result<AlignmentRequest> ParsePairing(const std::string& text);

/// Reads "reference_frame,distorted_frame" lines, as --pairs-out writes them: both grow. A first line without digits is
/// a heading.
Result<std::vector<std::pair<int64_t, int64_t>>> ReadPairsFile(const std::string& path);

}  // namespace acutance
