// Cache of files between runs, in the user's cache folder. They may be lost.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace acutance {

/// $XDG_CACHE_HOME/acutance or ~/.cache/acutance, on Windows %LOCALAPPDATA%/acutance; empty where neither is an
/// absolute path: nothing is read from or written to the working directory.
std::filesystem::path CacheFolder();

/// Contents by their keys, a file each, in a folder of CacheFolder(). Some of them are code that will run: only
/// what this user wrote and no other user can write is read, and nothing is written elsewhere. Processes may use a
/// cache at once. Any failure reads as a missing file.
class FileCache {
 public:
  /// Holds the newest `max_files`.
  FileCache(std::string folder, size_t max_files) : folder_(std::move(folder)), max_files_(max_files) {}

  /// The contents that were last written for `key`; nullopt if there are none, or the file has changed since.
  std::optional<std::vector<std::byte>> Read(std::string_view key) const;
  /// No reader sees a part of it.
  void Write(std::string_view key, std::span<const std::byte> content) const;
  void Remove(std::string_view key) const;

  std::filesystem::path PathOf(std::string_view key) const;

 private:
  std::filesystem::path Path() const { return CacheFolder() / folder_; }
  void RemoveOldFiles() const;

  const std::string folder_;
  const size_t max_files_;
};

}  // namespace acutance
