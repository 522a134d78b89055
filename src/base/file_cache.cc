#include "base/file_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "base/system/private_folder.h"
#include "base/system/process.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxBytes = size_t{256} << 20;     // of one file
constexpr uint64_t kMagic = 0x3143'4341'5543'4100;  // of this layout of a file

/// Before the key and the content. Drivers have crashed on damaged code, so none reaches them.
struct Header {
  uint64_t magic;
  uint64_t key_bytes;
  uint64_t content_bytes;
  uint64_t hash;  // of both
};

Header MakeHeader(std::string_view key, std::span<const std::byte> content) {
  return {kMagic, key.size(), content.size(), Hash(content, Hash(key))};
}

std::string FileName(std::string_view key) { return fmt::format("{:016x}", Hash(key)); }

/// Another name for each try of each thread of each process.
std::string PartName(const std::string& name) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.{}-{}", name, ProcessId(), count++);
}

}  // namespace

fs::path CacheFolder() {
  const fs::path all = UserCacheFolder();
  return all.empty() ? all : all / "acutance";
}

fs::path FileCache::PathOf(std::string_view key) const { return Path() / FileName(key); }

std::optional<std::vector<std::byte>> FileCache::Read(std::string_view key) const {
  if (CacheFolder().empty()) return {};
  const std::optional<PrivateFolder> folder = PrivateFolder::Open(Path(), /*create=*/false);
  std::optional<std::vector<std::byte>> file = folder ? folder->Read(FileName(key), kMaxBytes) : std::nullopt;
  const size_t start = sizeof(Header) + key.size();
  if (!file || file->size() < start) return {};
  std::vector<std::byte>& all = *file;
  const std::span<const std::byte> content = std::span<const std::byte>(all).subspan(start);
  const Header expected = MakeHeader(key, content);
  if (std::memcmp(all.data(), &expected, sizeof expected) != 0) return {};
  if (std::memcmp(all.data() + sizeof expected, key.data(), key.size()) != 0) return {};
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(start));
  return file;
}

void FileCache::Write(std::string_view key, std::span<const std::byte> content) const {
  if (CacheFolder().empty()) return;
  const std::optional<PrivateFolder> folder = PrivateFolder::Open(Path(), /*create=*/true);
  if (!folder) return;
  const Header header = MakeHeader(key, content);
  const std::span<const std::byte> contents[] = {std::as_bytes(std::span(&header, 1)), std::as_bytes(std::span(key)),
                                                 content};
  const std::string name = FileName(key);
  if (folder->Write(name, PartName(name), contents)) RemoveOldFiles();
}

void FileCache::Remove(std::string_view key) const {
  if (CacheFolder().empty()) return;
  const std::optional<PrivateFolder> folder = PrivateFolder::Open(Path(), /*create=*/false);
  if (folder) folder->Remove(FileName(key));
}

void FileCache::RemoveOldFiles() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  const Result<std::vector<std::string>> names = NamesIn(Path().string());
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    std::error_code gone;  // removed by another process
    const fs::file_time_type time = fs::last_write_time(Path() / name, gone);
    if (!gone) files.emplace_back(time, Path() / name);
  }
  std::ranges::sort(files);
  for (size_t i = 0; i + max_files_ < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace acutance
