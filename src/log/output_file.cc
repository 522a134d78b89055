#include "log/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace acutance {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;
constexpr mode_t kMode = 0666;  // less the umask

Status CannotOpen(const std::string& path, int error) {
  return Error(StatusCode::kIo, "could not open file: {}: {}; choose a name in a folder that exists and is writable",
               path, std::generic_category().message(error));
}

/// Creates a new file next to `path`; -1 where the folder does not allow it.
int CreateTemporary(const std::string& path, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = fmt::format("{}.{}-{}.part", path, getpid(), attempt);
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  if (path.empty()) return CannotOpen(path, ENOENT);
  struct stat info {};
  const bool exists = lstat(path.c_str(), &info) == 0;
  const bool regular = exists && S_ISREG(info.st_mode);
  // A rename would replace a file that its owner has made read-only.
  if (regular && access(path.c_str(), W_OK) != 0) return CannotOpen(path, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(path));  // before there is a file that it must remove
  if (regular || !exists) {
    file->fd_ = CreateTemporary(path, file->temporary_);
    // A log is worth more than its mode: where that cannot be copied, the default one remains.
    if (file->fd_ >= 0 && regular && fchmod(file->fd_, info.st_mode & 07777) != 0) errno = 0;
    if (file->fd_ >= 0) return file;
    file->temporary_.clear();
  }
  file->fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (file->fd_ < 0) return CannotOpen(path, errno);
  return file;
}

Status OutputFile::Check(const std::string& path, std::span<const std::string> inputs) {
  const std::filesystem::path target(path);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (is_directory(status)) return CannotOpen(path, EISDIR);
  if (!exists(status)) {
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    return access(folder.c_str(), W_OK | X_OK) == 0 ? Status() : CannotOpen(path, errno);
  }
  if (access(path.c_str(), W_OK) != 0) return CannotOpen(path, errno);
  for (const std::string& input : inputs)
    if (is_regular_file(status) && std::filesystem::equivalent(target, input, error))
      return Error(StatusCode::kInvalidArgument, "{} is one of the videos: choose another name for the log", path);
  return {};
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) Discard();
}

void OutputFile::Write(std::string_view text) {
  if (error_ != 0) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) Flush();
}

void OutputFile::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_ == 0) {
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      Fail(written == 0 ? EIO : errno);
    }
  }
  buffer_.clear();
}

void OutputFile::Replace(std::string_view text) {
  Flush();
  if (error_ == 0 && pwrite(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    Fail(errno != 0 ? errno : EIO);
}

void OutputFile::Fail(int error) {
  if (error_ == 0) error_ = error;
}

void OutputFile::Discard() {
  struct stat info {};
  const bool written_directly = temporary_.empty();
  if (written_directly && fstat(fd_, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(fd_, 0) != 0) Fail(errno);
  close(fd_);
  fd_ = -1;
  if (!written_directly) unlink(temporary_.c_str());
}

Status OutputFile::Commit() {
  Flush();
  if (error_ != 0) {
    Discard();
  } else {
    if (close(fd_) != 0) Fail(errno);
    fd_ = -1;
    if (!temporary_.empty()) {
      if (error_ == 0 && rename(temporary_.c_str(), path_.c_str()) != 0) Fail(errno);
      if (error_ != 0) unlink(temporary_.c_str());
    }
  }
  if (error_ == 0) return {};
  return Error(StatusCode::kIo, "could not write file: {}: {}; nothing is left of it", path_,
               std::generic_category().message(error_));
}

Status WriteFile(const std::string& path, std::string_view text) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  file->Write(text);
  return file->Commit();
}

}  // namespace acutance
