// Where files that may be lost are kept between runs.
#pragma once

#include <filesystem>

namespace acutance {

/// $XDG_CACHE_HOME/acutance or ~/.cache/acutance; empty where neither is an absolute path: nothing is read from or
/// written to the working directory.
std::filesystem::path CacheFolder();

}  // namespace acutance
