#include "base/cache_folder.h"

#include <cstdlib>

namespace acutance {

std::filesystem::path CacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::filesystem::path(cache) / "acutance";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::filesystem::path(home) / ".cache" / "acutance" : std::filesystem::path();
}

}  // namespace acutance
