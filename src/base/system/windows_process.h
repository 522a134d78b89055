// Child processes of Windows; for *_windows.cc alone.
#pragma once

#include <windows.h>

#include <string>
#include <vector>

namespace acutance {

/// A handle that is closed at the end.
class Handle {
 public:
  explicit Handle(HANDLE handle = nullptr) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (ok()) ::CloseHandle(handle_);
  }
  HANDLE get() const { return handle_; }
  bool ok() const { return handle_ && handle_ != INVALID_HANDLE_VALUE; }

 private:
  HANDLE handle_;
};

/// Opens a file, or NUL, as a standard stream that a child process can inherit.
Handle OpenInheritable(const std::string& path, DWORD access, DWORD disposition);

/// Starts `words[0]` with these standard streams, and no other handle. Not ok(): GetLastError() says why.
Handle StartProcess(const std::vector<std::string>& words, HANDLE input, HANDLE output, HANDLE error, DWORD flags,
                    DWORD& id);

}  // namespace acutance
