// Keys of pictures that later runs read again, so that cached results can be found.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace acutance {

/// Pictures of the same identity have the same samples in all planes that both have.
struct PictureKey {
  uint64_t video = 0;        // NewVideoIdentity(); 0: the picture has no identity
  uint32_t preparation = 0;  // how it was computed from the video's own picture: PreparationOf(); 0: it is that one
  int64_t frame = 0;         // in the video

  bool has_value() const { return video != 0; }
  auto operator<=>(const PictureKey&) const = default;
};

/// A number that no other video of this process has. Any thread.
uint64_t NewVideoIdentity();

/// The number of a preparation; `how` names everything that its samples depend on in addition to the video's. Any
/// thread.
uint32_t PreparationOf(const std::string& how);

}  // namespace acutance
