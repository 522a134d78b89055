#include "base/system/file.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/system/windows_text.h"

namespace acutance {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr size_t kMostBytes = size_t{1} << 30;  // of one call

HANDLE HandleOf(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

bool Done(BOOL result) {
  if (!result) SetErrno();
  return result != 0;
}

DWORD DispositionOf(OpenMode mode) {
  switch (mode) {
    case OpenMode::kUpdate:
      return OPEN_ALWAYS;
    case OpenMode::kReplace:
      return CREATE_ALWAYS;
    case OpenMode::kNew:
      return CREATE_NEW;
    case OpenMode::kRead:
      break;
  }
  return OPEN_EXISTING;
}

std::optional<FileInfo> InfoOfHandle(HANDLE handle) {
  const DWORD type = ::GetFileType(handle);
  FileInfo info;
  if (type == FILE_TYPE_PIPE) info.kind = FileKind::kPipe;
  BY_HANDLE_FILE_INFORMATION found{};
  if (type != FILE_TYPE_DISK) return type == FILE_TYPE_UNKNOWN ? std::nullopt : std::optional(info);
  if (!Done(::GetFileInformationByHandle(handle, &found))) return std::nullopt;
  const auto join = [](DWORD high, DWORD low) { return (uint64_t{high} << 32) | low; };
  constexpr int64_t kTick = 100;  // nanoseconds, since 1601
  constexpr uint64_t kEpoch = 116'444'736'000'000'000;
  info.kind = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FileKind::kFolder : FileKind::kRegular;
  info.mode = found.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666;
  const uint64_t changed = join(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
  info.identity = {found.dwVolumeSerialNumber, join(found.nFileIndexHigh, found.nFileIndexLow),
                   static_cast<int64_t>(join(found.nFileSizeHigh, found.nFileSizeLow)),
                   static_cast<int64_t>(changed - kEpoch) * kTick};
  return info;
}

std::optional<FileInfo> InfoOfPath(const std::string& path, DWORD flags) {
  const HANDLE handle = ::CreateFileW(WidePath(path).c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                                      FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr);
  if (!Done(handle != INVALID_HANDLE_VALUE)) return std::nullopt;
  const std::optional<FileInfo> info = InfoOfHandle(handle);
  ::CloseHandle(handle);
  return info;
}

}  // namespace

bool Descriptor::Close() { return !ok() || ::_close(Release()) == 0; }

Descriptor OpenFile(const std::string& path, OpenMode mode) {
  const DWORD access = mode == OpenMode::kRead     ? GENERIC_READ
                       : mode == OpenMode::kUpdate ? GENERIC_READ | GENERIC_WRITE
                                                   : GENERIC_WRITE;
  const DWORD flags = mode == OpenMode::kRead ? FILE_FLAG_SEQUENTIAL_SCAN : FILE_ATTRIBUTE_NORMAL;
  const HANDLE handle =
      ::CreateFileW(WidePath(path).c_str(), access, kShareAll, nullptr, DispositionOf(mode), flags, nullptr);
  if (!Done(handle != INVALID_HANDLE_VALUE)) {
    const int reason = errno;
    const std::optional<FileInfo> found = reason == EACCES ? InfoOf(path) : std::nullopt;
    errno = found && found->kind == FileKind::kFolder ? EISDIR : reason;
    return Descriptor();
  }
  return Descriptor(::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT));
}

std::optional<FileInfo> InfoOf(int file) { return InfoOfHandle(HandleOf(file)); }
std::optional<FileInfo> InfoOf(const std::string& path) { return InfoOfPath(path, 0); }
std::optional<FileInfo> InfoOfLink(const std::string& path) { return InfoOfPath(path, FILE_FLAG_OPEN_REPARSE_POINT); }

std::ptrdiff_t ReadParts(int file, std::span<const ReadPart> parts) {
  std::ptrdiff_t all = 0;
  for (const ReadPart& part : parts) {
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min(part.bytes, kMostBytes));
    const bool done = ::ReadFile(HandleOf(file), part.data, wanted, &got, nullptr) != 0;
    if (!done && ::GetLastError() != ERROR_BROKEN_PIPE) {
      if (::GetLastError() == ERROR_OPERATION_ABORTED) errno = EINTR;
      else SetErrno();
      return -1;
    }
    all += got;
    if (got < wanted || ::GetFileType(HandleOf(file)) != FILE_TYPE_DISK) break;  // a pipe's next read may wait
  }
  return all;
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    DWORD written = 0;
    const auto count = static_cast<DWORD>(std::min(bytes.size(), kMostBytes));
    if (!Done(::WriteFile(HandleOf(file), bytes.data(), count, &written, nullptr))) return false;
    bytes.remove_prefix(written);
  }
  return true;
}

bool WriteAtStart(int file, std::string_view bytes) {
  const int64_t position = SeekTo(file, 0, SEEK_CUR);
  return position >= 0 && SeekTo(file, 0, SEEK_SET) == 0 && WriteAll(file, bytes) &&
         SeekTo(file, position, SEEK_SET) == position;
}

int64_t SeekTo(int file, int64_t offset, int whence) {
  if (::GetFileType(HandleOf(file)) == FILE_TYPE_DISK) return ::_lseeki64(file, offset, whence);
  errno = ESPIPE;
  return -1;
}

bool Truncate(int file, int64_t size) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = size;
  return Done(::SetFileInformationByHandle(HandleOf(file), FileEndOfFileInfo, &end, sizeof end));
}

bool LockFile(int file) {
  // A byte that no file reaches: locks of Windows keep others from reading, too.
  OVERLAPPED place{};
  place.OffsetHigh = 0x7fff'ffff;
  return Done(::LockFileEx(HandleOf(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place));
}

void ExpectSequentialReads(int, FileKind) {}  // OpenFile has told the system

bool SetMode(int, unsigned) { return true; }  // a new file has its folder's permissions

bool Rename(const std::string& from, const std::string& to) {
  return Done(::MoveFileExW(WidePath(from).c_str(), WidePath(to).c_str(), MOVEFILE_REPLACE_EXISTING));
}

bool RemoveFile(const std::string& path) { return Done(::DeleteFileW(WidePath(path).c_str())); }

bool MayWrite(const std::string& path) {
  const DWORD attributes = ::GetFileAttributesW(WidePath(path).c_str());
  if (!Done(attributes != INVALID_FILE_ATTRIBUTES)) return false;
  const bool is_folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  const HANDLE handle = ::CreateFileW(WidePath(path).c_str(), is_folder ? FILE_ADD_FILE : FILE_WRITE_DATA, kShareAll,
                                      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (!Done(handle != INVALID_HANDLE_VALUE)) return false;
  ::CloseHandle(handle);
  return true;
}

std::FILE* OpenStream(const std::string& path, const char* mode) {
  return ::_wfopen(WidePath(path).c_str(), Wide(mode).c_str());
}

std::filesystem::path SystemPath(const std::string& path) { return WidePath(path); }

}  // namespace acutance
