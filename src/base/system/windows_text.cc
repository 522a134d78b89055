#include "base/system/windows_text.h"

#include <windows.h>

#include <cerrno>
#include <system_error>

namespace acutance {
namespace {

constexpr size_t kShort = 240;  // a folder's limit is 248, less than a file's 260

std::wstring FullPath(const std::wstring& path) {
  std::wstring full(::GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
  full.resize(::GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
  return full;
}

}  // namespace

std::wstring Wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring wide(static_cast<size_t>(::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0)), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string Utf8(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  const int bytes = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<size_t>(bytes), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), units, utf8.data(), bytes, nullptr, nullptr);
  return utf8;
}

std::wstring WidePath(const std::string& path) {
  std::wstring wide = Wide(path);
  if (wide.size() < kShort || wide.starts_with(L"\\\\?\\") || wide.starts_with(L"\\\\.\\")) return wide;
  const std::wstring full = FullPath(wide);
  if (full.empty()) return wide;
  return full.starts_with(L"\\\\") ? L"\\\\?\\UNC" + full.substr(1) : L"\\\\?\\" + full;
}

void SetErrno() {
  const DWORD reason = ::GetLastError();
  if (reason == ERROR_SHARING_VIOLATION || reason == ERROR_LOCK_VIOLATION) errno = EBUSY;
  else if (reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND || reason == ERROR_INVALID_NAME)
    errno = ENOENT;
  else if (reason == ERROR_ACCESS_DENIED) errno = EACCES;
  else if (reason == ERROR_FILE_EXISTS || reason == ERROR_ALREADY_EXISTS) errno = EEXIST;
  else if (reason == ERROR_DISK_FULL || reason == ERROR_HANDLE_DISK_FULL) errno = ENOSPC;
  else errno = EIO;
}

std::string LastErrorText() { return std::system_category().message(static_cast<int>(::GetLastError())); }

}  // namespace acutance
