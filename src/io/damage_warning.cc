#include "io/video_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace acutance {

std::string DamageWarning(const std::string& path, const StreamDamage& damage) {
  if (damage.reason.empty()) return "";
  constexpr size_t kMostNamed = 5;
  const auto errors = static_cast<int64_t>(damage.frames.size());
  const int64_t all = damage.decoded + damage.lost;
  std::vector<std::string> parts;
  if (errors > 0) {
    const auto named = std::min(damage.frames.size(), kMostNamed);
    parts.push_back(
        fmt::format("{} of {} frames ({:.2g} %) were decoded with errors: frame{} {}{}", errors, damage.decoded,
                    100.0 * static_cast<double>(errors) / static_cast<double>(damage.decoded), errors == 1 ? "" : "s",
                    fmt::join(damage.frames.begin(), damage.frames.begin() + static_cast<ptrdiff_t>(named), ", "),
                    damage.frames.size() > named ? ", ..." : ""));
  }
  if (damage.lost > 0)
    parts.push_back(fmt::format("{} of {} frames ({:.2g} %) could not be decoded", damage.lost, all,
                                100.0 * static_cast<double>(damage.lost) / static_cast<double>(all)));
  if (parts.empty())
    return fmt::format("{}: FFmpeg reports an error in the container ({}); all its {} frames were decoded", path,
                       damage.reason, damage.decoded);
  return fmt::format("{} is damaged ({}); {}. They are scored as FFmpeg conceals them; --on-damage stop refuses them",
                     path, damage.reason, fmt::join(parts, ", and "));
}

}  // namespace acutance
