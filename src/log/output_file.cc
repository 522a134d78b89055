#include "log/output_file.h"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/system/process.h"

namespace acutance {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

Status CannotOpen(const std::string& path, int error) {
  return Error(StatusCode::kIo, "could not open file: {}: {}; choose a name in a folder that exists and is writable",
               path, std::generic_category().message(error));
}

/// Creates a new file next to `path`; none where the folder does not allow it.
Descriptor CreateTemporary(const std::string& path, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = fmt::format("{}.{}-{}.part", path, ProcessId(), attempt);
    Descriptor file = OpenFile(name, OpenMode::kNew);
    if (file.ok() || errno != EEXIST) return file;
  }
  return Descriptor();
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  if (path.empty()) return CannotOpen(path, ENOENT);
  const std::optional<FileInfo> info = InfoOfLink(path);
  const bool regular = info && info->kind == FileKind::kRegular;
  // A rename would replace a file that its owner has made read-only.
  if (regular && !MayWrite(path)) return CannotOpen(path, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(path));  // before there is a file that it must remove
  if (regular || !info) {
    file->file_ = CreateTemporary(path, file->temporary_);
    // A log is worth more than its mode: where that cannot be copied, the default one remains.
    if (file->file_.ok() && regular && !SetMode(file->file_.number(), info->mode)) errno = 0;
    if (file->file_.ok()) return file;
    file->temporary_.clear();
  }
  file->file_ = OpenFile(path, OpenMode::kReplace);
  if (!file->file_.ok()) return CannotOpen(path, errno);
  return file;
}

Status OutputFile::Check(const std::string& path, std::span<const std::string> inputs) {
  const std::filesystem::path target = SystemPath(path);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (is_directory(status)) return CannotOpen(path, EISDIR);
  if (!exists(status)) {
    const std::u8string folder =
        target.has_parent_path() ? target.parent_path().u8string() : u8".";  // never a code page's
    return MayWrite({folder.begin(), folder.end()}) ? Status() : CannotOpen(path, errno);
  }
  if (!MayWrite(path)) return CannotOpen(path, errno);
  for (const std::string& input : inputs)
    if (is_regular_file(status) && std::filesystem::equivalent(target, SystemPath(input), error))
      return Error(StatusCode::kInvalidArgument, "{} is one of the videos: choose another name for the log", path);
  return {};
}

OutputFile::~OutputFile() {
  if (file_.ok()) Discard();
}

void OutputFile::Write(std::string_view text) {
  if (error_ != 0) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) Flush();
}

void OutputFile::Flush() {
  if (error_ == 0 && !WriteAll(file_.number(), buffer_)) Fail(errno);
  buffer_.clear();
}

void OutputFile::Replace(std::string_view text) {
  Flush();
  if (error_ == 0 && !WriteAtStart(file_.number(), text)) Fail(errno);
}

void OutputFile::Fail(int error) {
  if (error_ == 0) error_ = error;
}

void OutputFile::Discard() {
  const bool written_directly = temporary_.empty();
  const std::optional<FileInfo> info = InfoOf(file_.number());
  if (written_directly && info && info->kind == FileKind::kRegular && !Truncate(file_.number(), 0)) Fail(errno);
  (void)file_.Close();
  if (!written_directly) RemoveFile(temporary_);
}

Status OutputFile::Commit() {
  Flush();
  if (error_ != 0) {
    Discard();
  } else {
    if (!file_.Close()) Fail(errno);
    if (!temporary_.empty()) {
      if (error_ == 0 && !Rename(temporary_, path_)) Fail(errno);
      if (error_ != 0) RemoveFile(temporary_);
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
