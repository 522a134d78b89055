// What a video's stream says of its pictures' shape and making, as far as it says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "convert/scaler.h"

namespace acutance {

/// How stored pictures are turned to be shown: their rows become columns first, then they are mirrored.
struct Orientation {
  bool transposed = false;
  bool mirrored_x = false;
  bool mirrored_y = false;

  bool operator==(const Orientation&) const = default;
};

/// The display that a video was graded on, in candela/m2.
struct Mastering {
  double least_luminance = 0;
  double most_luminance = 0;
};

/// The brightest of a video, in candela/m2.
struct LightLevel {
  int most_of_samples = 0;   // MaxCLL
  int most_of_pictures = 0;  // MaxFALL: the mean of a picture
};

struct VideoFacts {
  std::string codec{};                // "h264"; empty: samples that are not compressed
  std::optional<int64_t> bit_rate{};  // bits/s
  double pixel_aspect = 1;            // the width of a pixel by its height
  Orientation orientation{};
  std::optional<ChromaSiting> siting{};
  std::string_view changed_samples{};  // what was done to them already, such as "its alpha is left out"; or nothing
  bool is_rgb = false;                 // stored so; pictures are YUV of the matrix that SetRgbColor says
  bool is_interlaced = false;
  bool bottom_field_first = false;  // of an interlaced video
  int dolby_vision_profile = 0;     // 0: none
  std::optional<Mastering> mastering{};
  std::optional<LightLevel> light_level{};
};

}  // namespace acutance
