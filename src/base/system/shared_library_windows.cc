#include "base/system/shared_library.h"

#include <windows.h>

#include <charconv>

#include "base/system/windows_text.h"

namespace acutance {
namespace {

std::filesystem::path FileOfModule(HMODULE module) {
  std::wstring name(MAX_PATH, L'\0');
  for (;;) {
    const DWORD length = ::GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()));
    if (length < name.size()) return name.substr(0, length);
    name.resize(2 * name.size());
  }
}

}  // namespace

Result<SharedLibrary> SharedLibrary::Open(const std::vector<std::string>& names, Binding) {
  std::string reason;
  for (const std::string& name : names) {
    const std::filesystem::path path = Wide(name);
    // A name alone is looked for next to the program and in the system's folder, never in the working directory; what a
    // library of a path needs, next to it.
    const DWORD flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | (path.is_absolute() ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0);
    if (HMODULE handle = ::LoadLibraryExW(path.c_str(), nullptr, flags))
      return SharedLibrary(name, reinterpret_cast<void*>(handle));
    reason = name + ": cannot open shared object file: " + LastErrorText();
  }
  return Status(StatusCode::kNoDevice, std::move(reason));
}

void* SharedLibrary::Address(const char* symbol) const {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), symbol));
}

std::filesystem::path SharedLibrary::file() const { return FileOfModule(static_cast<HMODULE>(handle_)); }

std::string LibraryFile(std::string_view name, int version) { return fmt::format("{}-{}.dll", name, version); }

std::string DriverFile(std::string_view, std::string_view on_windows) { return std::string(on_windows); }

std::optional<int> VersionOf(std::string_view file, std::string_view name) {
  int version = 0;
  const std::string start = fmt::format("{}-", name);
  if (file.starts_with(start)) std::from_chars(file.data() + start.size(), file.data() + file.size(), version);
  return file == LibraryFile(name, version) ? std::optional(version) : std::nullopt;
}

bool IsLibraryOpen(const std::string& name) { return ::GetModuleHandleW(Wide(name).c_str()) != nullptr; }

std::filesystem::path FileWith(const void* address) {
  HMODULE module = nullptr;
  constexpr DWORD kFlags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  const bool found = ::GetModuleHandleExW(kFlags, static_cast<LPCWSTR>(address), &module) != 0;
  return found ? FileOfModule(module) : std::filesystem::path();
}

}  // namespace acutance
