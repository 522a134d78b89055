#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "base/system/file.h"

namespace acutance {
namespace {

constexpr mode_t kMode = 0666;  // less the umask
constexpr int kPipeBytes = 1 << 20;

int FlagsOf(const std::string& path, OpenMode mode) {
  switch (mode) {
    case OpenMode::kUpdate:
      return O_RDWR | O_CREAT;
    case OpenMode::kReplace:
      return O_WRONLY | O_CREAT | O_TRUNC;
    case OpenMode::kNew:
      return O_WRONLY | O_CREAT | O_EXCL;
    case OpenMode::kRead:
      break;
  }
  struct stat found {};
  const bool is_fifo = ::stat(path.c_str(), &found) == 0 && S_ISFIFO(found.st_mode);
  return O_RDONLY | (is_fifo ? O_NONBLOCK : 0);
}

FileInfo Translate(const struct stat& found) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
#if defined(__APPLE__)
  const timespec& changed = found.st_mtimespec;
#else
  const timespec& changed = found.st_mtim;
#endif
  const FileKind kind = S_ISREG(found.st_mode)    ? FileKind::kRegular
                        : S_ISDIR(found.st_mode)  ? FileKind::kFolder
                        : S_ISFIFO(found.st_mode) ? FileKind::kPipe
                                                  : FileKind::kOther;
  return {kind,
          found.st_mode & 07777u,
          {static_cast<uint64_t>(found.st_dev), static_cast<uint64_t>(found.st_ino), found.st_size,
           int64_t{changed.tv_sec} * kNanoseconds + changed.tv_nsec}};
}

}  // namespace

bool Descriptor::Close() { return !ok() || ::close(Release()) == 0; }

Descriptor OpenFile(const std::string& path, OpenMode mode) {
  const int flags = FlagsOf(path, mode) | O_CLOEXEC;
  int file = -1;
  do file = ::open(path.c_str(), flags, kMode);
  while (file < 0 && errno == EINTR);
  return Descriptor(file);
}

std::optional<FileInfo> InfoOf(int file) {
  struct stat found {};
  return ::fstat(file, &found) == 0 ? std::optional(Translate(found)) : std::nullopt;
}

std::optional<FileInfo> InfoOf(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? std::optional(Translate(found)) : std::nullopt;
}

std::optional<FileInfo> InfoOfLink(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? std::optional(Translate(found)) : std::nullopt;
}

std::ptrdiff_t ReadParts(int file, std::span<const ReadPart> parts) {
  static_assert(sizeof(ReadPart) == sizeof(iovec) && offsetof(ReadPart, bytes) == offsetof(iovec, iov_len));
  return ::readv(file, reinterpret_cast<const iovec*>(parts.data()), static_cast<int>(parts.size()));
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
    else if (written == 0) errno = EIO;
    if (written == 0 || (written < 0 && errno != EINTR)) return false;
  }
  return true;
}

bool WriteAtStart(int file, std::string_view bytes) {
  errno = EIO;  // of a part
  return ::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

int64_t SeekTo(int file, int64_t offset, int whence) { return ::lseek(file, offset, whence); }

bool Truncate(int file, int64_t size) { return ::ftruncate(file, size) == 0; }

bool LockFile(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

void ExpectSequentialReads([[maybe_unused]] int file, [[maybe_unused]] FileKind kind) {
#if defined(__linux__)
  if (kind == FileKind::kRegular) ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  // A larger pipe means fewer hand-overs between writer and reader; refusal does no harm.
  if (kind == FileKind::kPipe) (void)::fcntl(file, F_SETPIPE_SZ, kPipeBytes);
#endif
}

bool SetMode(int file, unsigned mode) { return ::fchmod(file, static_cast<mode_t>(mode)) == 0; }

bool Rename(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

bool RemoveFile(const std::string& path) { return ::unlink(path.c_str()) == 0; }

bool MayWrite(const std::string& path) {
  struct stat found {};
  const bool is_folder = ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
  return ::access(path.c_str(), is_folder ? W_OK | X_OK : W_OK) == 0;
}

std::FILE* OpenStream(const std::string& path, const char* mode) { return std::fopen(path.c_str(), mode); }

std::filesystem::path SystemPath(const std::string& path) { return path; }

}  // namespace acutance
