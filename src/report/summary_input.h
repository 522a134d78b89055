// What a summary says of a video as it was opened.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace acutance {

/// A change that a video went through before it was compared.
struct SummaryChange {
  std::string change;  // "scale"
  std::string text;    // a sentence for a person
};

/// A video as it was opened.
struct SummaryInput {
  std::string path;
  int width = 0;
  int height = 0;
  int bit_depth = 0;
  std::string pixel_format;
  std::optional<double> frame_rate;
  /// Each empty where the stream does not tell it.
  std::string codec, range, transfer, matrix, primaries;
  bool is_rgb = false;
  bool is_interlaced = false;
  double pixel_aspect = 1;
  int dolby_vision_profile = 0;                        // 0: none
  std::optional<std::pair<double, double>> mastering;  // the least and the most light of its display, in cd/m2
  std::optional<std::pair<int, int>> light_level;      // MaxCLL and MaxFALL
  std::vector<SummaryChange> changes;                  // in their order
};

/// "h264, 25 frames/s, SDR, BT.709, limited range": what the stream tells; empty: nothing.
std::string Describe(const SummaryInput& input);

/// The inputs as docs/schema/acutance-1.json describes them.
Json InputsJson(const std::vector<SummaryInput>& inputs);

}  // namespace acutance
