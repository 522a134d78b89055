#include <dlfcn.h>
#if !defined(__APPLE__)
#include <link.h>
#endif

#include <charconv>

#include "base/system/shared_library.h"

namespace acutance {

Result<SharedLibrary> SharedLibrary::Open(const std::vector<std::string>& names, Binding binding) {
  const int flags = (binding == Binding::kNow ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL;
  std::string reason;
  for (const std::string& name : names) {
    if (void* handle = ::dlopen(name.c_str(), flags)) return SharedLibrary(name, handle);
    reason = ::dlerror();
  }
  return Status(StatusCode::kNoDevice, std::move(reason));
}

void* SharedLibrary::Address(const char* symbol) const { return ::dlsym(handle_, symbol); }

std::filesystem::path SharedLibrary::file() const {
#if !defined(__APPLE__)
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0) return map->l_name;
#endif
  return name_;
}

std::string LibraryFile(std::string_view name, int version) {
#if defined(__APPLE__)
  return fmt::format("lib{}.{}.dylib", name, version);
#else
  return fmt::format("lib{}.so.{}", name, version);
#endif
}

std::string DriverFile(std::string_view elsewhere, std::string_view) { return std::string(elsewhere); }

std::optional<int> VersionOf(std::string_view file, std::string_view name) {
  // "libavutil.so.59", "libavutil.so.59.39.100" and, as wheels of Python have it, "libavutil-a63ffd27.so.59.39.100"; on
  // macOS, "libavutil.59.dylib" and "libavutil.59.39.100.dylib".
  const std::string start = fmt::format("lib{}", name);
#if defined(__APPLE__)
  constexpr std::string_view kVersion = ".";
#else
  constexpr std::string_view kVersion = ".so.";
#endif
  const size_t place = file.find(kVersion);
  if (place == file.npos || !file.starts_with(start) || (file[start.size()] != '.' && file[start.size()] != '-'))
    return std::nullopt;
  int version = 0;
  std::from_chars(file.data() + place + kVersion.size(), file.data() + file.size(), version);
  return version;
}

bool IsLibraryOpen(const std::string& name) {
  void* const library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library) ::dlclose(library);
  return library != nullptr;
}

std::filesystem::path FileWith(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

}  // namespace acutance
