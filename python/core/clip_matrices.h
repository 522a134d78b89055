// Scores of clips of equal length.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace acutance::python {

struct ClipMatrices {
  int clips = 0, frames = 0;
  std::map<std::string, std::vector<double>> of_frames{};  // by name: frames of the first clip, of the second one, ...
  std::map<std::string, std::vector<double>> of_clips{};   // Result::Aggregates of each
};

}  // namespace acutance::python
