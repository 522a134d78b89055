// Scores of all frames in as few bytes as a page needs to draw them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace acutance {

/// A curve of whole steps from `low` to `high`: 0 is low, 65534 is high, 65535 is a frame without a score.
/// Little-endian words of 16 bits, in base64.
struct PackedCurve {
  double low = 0;
  double high = 0;
  int64_t step = 1;     // frames for each word
  std::string minimum;  // of the frames of a step
  std::string maximum;  // likewise; empty where a step is one frame
};

/// scores: by frame, perhaps fewer than `frames`. Steps cover all frames.
PackedCurve PackCurve(const std::vector<std::optional<double>>& scores, int64_t frames, int64_t step);

/// The frames for each word with which `curves` curves of `frames` frames have at most `most` words.
int64_t StepOf(int64_t frames, int64_t curves, int64_t most);

}  // namespace acutance
