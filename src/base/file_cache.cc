#include "base/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/hash.h"

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

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  /// Whether a failure of the last write shows.
  bool Close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// Whether a file or folder is this user's, and no other's to write.
bool IsOwn(const Descriptor& file, mode_t type) {
  struct stat info {};
  return file.ok() && ::fstat(file.get(), &info) == 0 && (info.st_mode & S_IFMT) == type &&
         info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The folder `name` of `parent`; links are not followed.
Descriptor OpenFolder(int parent, const std::string& name, bool create) {
  if (create) (void)::mkdirat(parent, name.c_str(), S_IRWXU);
  Descriptor folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return IsOwn(folder, S_IFDIR) ? std::move(folder) : Descriptor(-1);
}

/// What `path` holds, below the user's own folder for caches of all programs, which may lie behind links.
Descriptor OpenCache(const fs::path& path, bool create) {
  const fs::path program = path.parent_path(), all = program.parent_path();
  std::error_code ignored;
  if (create) fs::create_directories(all, ignored);
  const Descriptor parent(::open(all.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.ok()) return Descriptor(-1);
  const Descriptor own = OpenFolder(parent.get(), program.filename(), create);
  return own.ok() ? OpenFolder(own.get(), path.filename(), create) : Descriptor(-1);
}

bool ReadAll(const Descriptor& file, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t count = ::read(file.get(), to.data(), to.size());
    if (count <= 0 && (count == 0 || errno != EINTR)) return false;
    if (count > 0) to = to.subspan(static_cast<size_t>(count));
  }
  return true;
}

bool WriteAll(const Descriptor& file, std::span<const std::byte> from) {
  while (!from.empty()) {
    const ssize_t count = ::write(file.get(), from.data(), from.size());
    if (count <= 0 && (count == 0 || errno != EINTR)) return false;
    if (count > 0) from = from.subspan(static_cast<size_t>(count));
  }
  return true;
}

std::string FileName(std::string_view key) { return fmt::format("{:016x}", Hash(key)); }

/// Another name for each try of each thread of each process.
std::string PartName(const std::string& name) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.{}-{}", name, ::getpid(), count++);
}

}  // namespace

fs::path CacheFolder() {
  if (const char* cache = Variable("XDG_CACHE_HOME"); cache && *cache == '/') return fs::path(cache) / "acutance";
  const char* home = Variable("HOME");
  return home && *home == '/' ? fs::path(home) / ".cache" / "acutance" : fs::path();
}

fs::path FileCache::PathOf(std::string_view key) const { return Path() / FileName(key); }

std::optional<std::vector<std::byte>> FileCache::Read(std::string_view key) const {
  if (CacheFolder().empty()) return {};
  const Descriptor folder = OpenCache(Path(), /*create=*/false);
  if (!folder.ok()) return {};
  // Not blocking: what lies there may be a pipe.
  const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const Descriptor file(::openat(folder.get(), FileName(key).c_str(), flags));
  struct stat info {};
  if (!IsOwn(file, S_IFREG) || ::fstat(file.get(), &info) != 0) return {};
  const auto bytes = static_cast<size_t>(info.st_size);
  const size_t start = sizeof(Header) + key.size();
  if (bytes < start || bytes > kMaxBytes) return {};
  std::vector<std::byte> all(bytes);
  if (!ReadAll(file, all)) return {};
  const std::span<const std::byte> content = std::span<const std::byte>(all).subspan(start);
  const Header expected = MakeHeader(key, content);
  if (std::memcmp(all.data(), &expected, sizeof expected) != 0) return {};
  if (std::memcmp(all.data() + sizeof expected, key.data(), key.size()) != 0) return {};
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(start));
  return all;
}

void FileCache::Write(std::string_view key, std::span<const std::byte> content) const {
  if (CacheFolder().empty()) return;
  const Descriptor folder = OpenCache(Path(), /*create=*/true);
  if (!folder.ok()) return;
  const std::string name = FileName(key), part = PartName(name);
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(::openat(folder.get(), part.c_str(), flags, S_IRUSR | S_IWUSR));
  if (!file.ok()) return;
  const Header header = MakeHeader(key, content);
  const bool written = WriteAll(file, std::as_bytes(std::span(&header, 1))) &&
                       WriteAll(file, std::as_bytes(std::span(key))) && WriteAll(file, content);
  const bool whole = file.Close() && written;
  if (!whole || ::renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) != 0)
    (void)::unlinkat(folder.get(), part.c_str(), 0);
  RemoveOldFiles();
}

void FileCache::Remove(std::string_view key) const {
  if (CacheFolder().empty()) return;
  const Descriptor folder = OpenCache(Path(), /*create=*/false);
  if (folder.ok()) (void)::unlinkat(folder.get(), FileName(key).c_str(), 0);
}

void FileCache::RemoveOldFiles() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  const Result<std::vector<std::string>> names = NamesIn(Path());
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
