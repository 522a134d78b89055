// Pictures for tests: noise, extremes and things between, always the same for the same seed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "image/picture.h"

namespace acutance {

enum class Content {
  kNoise,     // all values, any order
  kExtremes,  // 0 and the largest value, any order
  kFlips,     // whole frames of 0 and of the largest value
  kChecks,    // a chessboard of extremes that moves by one sample a frame
  kFilm,      // a slow gradient with a little noise
  kBands,     // flat areas of dark samples that differ by little, with a few others
};
inline constexpr Content kContents[] = {Content::kNoise,  Content::kExtremes, Content::kFlips,
                                        Content::kChecks, Content::kFilm,     Content::kBands};

std::string_view ContentName(Content content);

std::vector<Picture> MakeClip(const PictureFormat& format, Content content, int frames, uint32_t seed);

}  // namespace acutance
