// Names for pictures that come again in later runs, so that what was made of them can be found.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace acutance {

/// Pictures of the same identity have the same samples in all planes that both have.
struct PictureKey {
  uint64_t video = 0;        // NewVideoIdentity(); 0: the picture is not told from others
  uint32_t preparation = 0;  // what was made of the video's own picture: PreparationOf(); 0: nothing
  int64_t frame = 0;         // in the video

  bool has_value() const { return video != 0; }
  auto operator<=>(const PictureKey&) const = default;
};

/// A number that no other video of this process has. Any thread.
uint64_t NewVideoIdentity();

/// The number of a preparation; `how` tells all that its samples depend on next to the video's. Any thread.
uint32_t PreparationOf(const std::string& how);

}  // namespace acutance
