// Segments and shots: parts of a video that are pooled on their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Frames begin to end - 1.
struct Part {
  int64_t begin = 0;
  int64_t end = 0;
  std::string name{};  // of a list; empty: none

  bool operator==(const Part&) const = default;
};

/// How a video is split into segments, before its length is known.
struct SegmentSpec {
  struct Start {
    double at = 0;
    bool is_frame = false;  // else seconds
    std::string name{};
  };
  std::optional<Start> every{};  // equal lengths
  std::vector<Start> starts{};   // of a list: a part goes to the next one's start
};

/// "4s", "100f" (parts of that length), a list of where parts begin ("0s,12.5s,300f"), or a file that has such a start
/// in each line, a name after it: "12.5s opening". Numbers without a unit are seconds.
Result<SegmentSpec> ParseParts(const std::string& text);

/// The parts of `frames` frames, of which the first has the number `first`. Seconds need the rate. What lies before the
/// first start is a part, too.
Result<std::vector<Part>> SplitSegments(const SegmentSpec& choice, int64_t first, int64_t frames,
                                        std::optional<double> frame_rate);

}  // namespace acutance
