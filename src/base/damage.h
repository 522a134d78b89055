// Kinds of damage that an encode shows.
#pragma once

#include <string_view>

namespace acutance {

enum class Damage { kDetail, kAddedDetail, kTexture, kBanding, kColor };
inline constexpr int kDamages = 5;
/// "detail lost", "detail added", ...
inline constexpr std::string_view kDamageNames[] = {"detail lost", "detail added", "sharpness and texture lost",
                                                    "banding", "color error"};

}  // namespace acutance
