#include "io/video_source.h"

namespace acutance {

Result<int64_t> VideoSource::Skip(int64_t count) {
  for (int64_t skipped = 0; skipped < count; ++skipped) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, Next());
    if (!picture) return skipped;
  }
  return count;
}

}  // namespace acutance
