// Scores of the frames that several encodes have in common, by which they are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "report/summary.h"

namespace acutance {

struct CommonScores {
  const ScoreTable::Column* column = nullptr;  // of the first encode
  std::vector<std::vector<double>> scores;     // by encode: of the frames of the reference that all were scored with
  /// Where an encode has others, too: how many those are, and each encode's mean over all its frames.
  std::optional<int64_t> frames;
  std::vector<double> own_means;
};

/// An error where an encode lacks the score, or none of the frames is common.
Result<CommonScores> FindCommonScores(const Summary& summary, const std::string& score);

/// The sentence for tables with both figures.
std::string DescribeCommonFrames(int64_t frames);

}  // namespace acutance
