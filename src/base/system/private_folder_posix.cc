#include "base/system/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/environment.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;

/// Whether a file or folder is this user's, and no other's to write.
bool IsOwn(const Descriptor& file, mode_t type) {
  struct stat info {};
  return file.ok() && ::fstat(file.number(), &info) == 0 && (info.st_mode & S_IFMT) == type &&
         info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The folder `name` of `parent`; links are not followed.
Descriptor OpenFolder(const Descriptor& parent, const std::string& name, bool create) {
  if (create) (void)::mkdirat(parent.number(), name.c_str(), S_IRWXU);
  Descriptor folder(::openat(parent.number(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return IsOwn(folder, S_IFDIR) ? std::move(folder) : Descriptor();
}

bool ReadAll(const Descriptor& file, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t count = ::read(file.number(), to.data(), to.size());
    if (count <= 0 && (count == 0 || errno != EINTR)) return false;
    if (count > 0) to = to.subspan(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

fs::path UserCacheFolder() {
  if (const char* cache = Variable("XDG_CACHE_HOME"); cache && *cache == '/') return cache;
  const char* home = Variable("HOME");
  return home && *home == '/' ? fs::path(home) / ".cache" : fs::path();
}

std::optional<PrivateFolder> PrivateFolder::Open(const fs::path& path, bool create) {
  const fs::path program = path.parent_path(), all = program.parent_path();
  std::error_code ignored;
  if (create) fs::create_directories(all, ignored);
  const Descriptor parent(::open(all.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.ok()) return std::nullopt;
  const Descriptor own = OpenFolder(parent, program.filename(), create);
  Descriptor folder = own.ok() ? OpenFolder(own, path.filename(), create) : Descriptor();
  return folder.ok() ? std::optional(PrivateFolder(path, std::move(folder))) : std::nullopt;
}

std::optional<std::vector<std::byte>> PrivateFolder::Read(const std::string& name, size_t most_bytes) const {
  // Not blocking: what lies there may be a pipe.
  const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const Descriptor file(::openat(folder_.number(), name.c_str(), flags));
  struct stat info {};
  if (!IsOwn(file, S_IFREG) || ::fstat(file.number(), &info) != 0) return {};
  const auto bytes = static_cast<size_t>(info.st_size);
  if (bytes > most_bytes) return {};
  std::vector<std::byte> all(bytes);
  return ReadAll(file, all) ? std::optional(std::move(all)) : std::nullopt;
}

bool PrivateFolder::Write(const std::string& name, const std::string& part,
                          std::span<const std::span<const std::byte>> contents) const {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(::openat(folder_.number(), part.c_str(), flags, S_IRUSR | S_IWUSR));
  if (!file.ok()) return false;
  bool is_whole = true;
  for (const std::span<const std::byte> bytes : contents)
    is_whole = is_whole && WriteAll(file.number(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  is_whole = file.Close() && is_whole;
  if (!is_whole || ::renameat(folder_.number(), part.c_str(), folder_.number(), name.c_str()) != 0) Remove(part);
  return true;
}

void PrivateFolder::Remove(const std::string& name) const { (void)::unlinkat(folder_.number(), name.c_str(), 0); }

}  // namespace acutance
