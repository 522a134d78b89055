// File queries that throw only where memory runs out, and the places of installed files. std::filesystem throws where a
// string is too long for a path, and its iterators end the program where memory runs out (libstdc++ 12). On Windows it
// reads a string as text of another encoding than UTF-8: SystemPath() makes a path of a string.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Whether a file or folder of that name is visible.
bool Exists(const std::string& path);
/// Whether it is a regular file, or a link to one.
bool IsRegularFile(const std::string& path);

/// The names of the entries of `folder`, in the order of their bytes, without "." and "..".
Result<std::vector<std::string>> NamesIn(const std::string& folder);
/// Makes a folder, and those that it lies in, where they are not there.
Status MakeFolder(const std::string& folder);
/// The path of `name` in `folder`.
std::string Join(const std::string& folder, const std::string& name);

/// A file that is installed with the program or library that this code is part of: next to the program or the shared
/// library, or in the library folder next to its folder. Only absolute paths are searched, never the working directory.
/// The message of the error lists them: "/usr/bin/x, no /usr/lib/x". only_place: replaces them, unless it is null.
Result<std::filesystem::path> FindInstalledFile(const std::filesystem::path& file, const char* only_place = nullptr);

}  // namespace acutance
