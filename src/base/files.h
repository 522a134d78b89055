// What a path names, told without exceptions but those of memory. std::filesystem throws where a text that may be a
// path is too long for one, and its iterators end the program where memory runs out (libstdc++ 12).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Whether something of that name can be seen.
bool Exists(const std::filesystem::path& path);
/// The same of a regular file, or a link to one.
bool IsRegularFile(const std::filesystem::path& path);

/// The names of what lies in `folder`, in the order of their bytes, without "." and "..".
Result<std::vector<std::string>> NamesIn(const std::filesystem::path& folder);

}  // namespace acutance
