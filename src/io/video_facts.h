// What a video's stream says of its pictures' shape and making, as far as it says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scale/scaler.h"

namespace acutance {

/// How stored pictures are turned to be shown: their rows become columns first, then they are mirrored.
struct Orientation {
  bool transposed = false;
  bool mirrored_x = false;
  bool mirrored_y = false;

  bool operator==(const Orientation&) const = default;
};

struct VideoFacts {
  std::string codec{};                // "h264"; empty: samples that are not compressed
  std::optional<int64_t> bit_rate{};  // bits/s
  double pixel_aspect = 1;            // the width of a pixel by its height
  Orientation orientation{};
  std::optional<ChromaSiting> siting{};
  bool is_interlaced = false;
  int dolby_vision_profile = 0;  // 0: none
};

}  // namespace acutance
