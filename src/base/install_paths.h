// Files that are installed with the program or library that this code is part of.
#pragma once

#include <filesystem>
#include <vector>

namespace acutance {

/// Where such a file may lie: next to the program or the shared library, and in the library folder next to its folder.
/// Absolute paths alone, each once: nothing is read from the working directory.
std::vector<std::filesystem::path> InstalledFileCandidates(const std::filesystem::path& file);

}  // namespace acutance
