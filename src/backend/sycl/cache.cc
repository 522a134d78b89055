#include "backend/sycl/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/cache_folder.h"

namespace acutance::sycl_backend {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 64;
constexpr uintmax_t kMaxBytes = 256 << 20;  // of one file

/// FNV-1a.
uint64_t Hash(std::span<const char> bytes, uint64_t hash = 0xcbf29ce484222325) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

struct Header {
  char magic[8];
  uint64_t key_bytes;
  uint64_t content_bytes;
  uint64_t hash;  // of key and content, which follow
};
constexpr char kMagic[8] = {'a', 'c', 'u', 's', 'y', 'c', 'l', '1'};

Header MakeHeader(std::string_view key, std::span<const char> content) {
  Header header{.key_bytes = key.size(), .content_bytes = content.size(), .hash = Hash(content, Hash(key))};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  return header;
}

/// Empty when the user has no home.
fs::path Folder() {
  const fs::path folder = CacheFolder();
  return folder.empty() ? folder : folder / "sycl";
}

/// Empty where there is no folder.
fs::path FileOf(std::string_view key) {
  const fs::path folder = Folder();
  return folder.empty() ? folder : folder / fmt::format("{:016x}.kernels", Hash(key));
}

void RemoveOldFiles(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;  // by another process
    const fs::file_time_type time = fs::last_write_time(entry->path(), gone);
    if (!gone) files.emplace_back(time, entry->path());
  }
  std::ranges::sort(files);
  for (size_t i = 0; i + kMaxFiles < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace

std::optional<std::vector<char>> ReadCache(std::string_view key) {
  const fs::path path = FileOf(key);
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes < sizeof(Header) + key.size() || bytes > kMaxBytes) return {};
  std::vector<char> file(bytes);
  if (!std::ifstream(path, std::ios::binary).read(file.data(), static_cast<std::streamsize>(bytes))) return {};
  const std::span<const char> content = std::span<const char>(file).subspan(sizeof(Header) + key.size());
  const Header expected = MakeHeader(key, content);
  if (std::memcmp(file.data(), &expected, sizeof expected) != 0) return {};
  if (std::string_view(file.data() + sizeof(Header), key.size()) != key) return {};
  return std::vector<char>(content.begin(), content.end());
}

void WriteCache(std::string_view key, std::span<const char> content) {
  const fs::path path = FileOf(key);
  std::error_code error;
  if (path.empty() || !(fs::create_directories(path.parent_path(), error), !error)) return;
  // Written under another name first: no reader sees half a file.
  const fs::path unfinished = fmt::format("{}.{}", path.string(), ::getpid());
  const Header header = MakeHeader(key, content);
  std::ofstream file(unfinished, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(key.data(), static_cast<std::streamsize>(key.size()));
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (file) fs::rename(unfinished, path, error);
  if (!file || error) fs::remove(unfinished, error);
  RemoveOldFiles(path.parent_path());
}

}  // namespace acutance::sycl_backend
