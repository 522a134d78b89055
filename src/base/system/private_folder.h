// A folder that belongs to this user alone, for files that are trusted.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/system/file.h"

namespace acutance {

/// The folder for caches of this user's programs, an absolute path; empty where the system names none.
std::filesystem::path UserCacheFolder();

/// Only what this user wrote and no other user can write is read, and links are not followed. Any failure reads as a
/// missing file.
class PrivateFolder {
 public:
  /// The folder `path` in one of a program, below the user's own for all programs, which may lie behind links.
  static std::optional<PrivateFolder> Open(const std::filesystem::path& path, bool create);

  std::optional<std::vector<std::byte>> Read(const std::string& name, size_t most_bytes) const;
  /// Writes a new file `part` and puts it in place as `name` when it is whole. False: there was no new file.
  bool Write(const std::string& name, const std::string& part,
             std::span<const std::span<const std::byte>> contents) const;
  void Remove(const std::string& name) const;

 private:
  PrivateFolder(std::filesystem::path path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  std::filesystem::path path_;
  Descriptor folder_;  // not on Windows
};

}  // namespace acutance
