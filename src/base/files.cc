#include "base/files.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace acutance {
namespace {

namespace fs = std::filesystem;

/// The folders of the program and, if this code is in a shared library, of the library: by its name and, where that is
/// a link (VapourSynth's to libvship.so), by its target.
std::vector<fs::path> OwnFolders() {
  std::vector<fs::path> folders;
  std::error_code error;
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&OwnFolders), &info) && info.dli_fname && info.dli_fname[0] == '/') {
    const fs::path name = info.dli_fname;
    folders.push_back(name.parent_path());
    if (const fs::path file = fs::canonical(name, error); !error) folders.push_back(file.parent_path());
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path());
  return folders;
}

}  // namespace

bool Exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool IsRegularFile(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

Result<std::vector<std::string>> NamesIn(const std::filesystem::path& folder) {
  const auto close = [](DIR* open) { (void)::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.c_str()), close);
  std::vector<std::string> names;
  const dirent* entry = nullptr;
  for (errno = opened ? 0 : errno; opened && (entry = ::readdir(opened.get())) != nullptr; errno = 0) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (errno != 0) return Error(StatusCode::kIo, "{}: {}", folder.string(), std::generic_category().message(errno));
  std::ranges::sort(names);
  return names;
}

Result<fs::path> FindInstalledFile(const fs::path& file, const char* only_place) {
  std::vector<fs::path> places;
  if (only_place) places.push_back(only_place);
  else
    for (const fs::path& folder : OwnFolders())
      for (const char* relative : {".", "../lib", "../" ACUTANCE_LIBDIR}) {
        fs::path place = (folder / relative / file).lexically_normal();
        if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
      }
  std::vector<std::string> names;
  for (const fs::path& place : places) {
    if (IsRegularFile(place)) return place;
    names.push_back(place.string());
  }
  return Error(StatusCode::kNoDevice, "{}", fmt::join(names, ", no "));
}

}  // namespace acutance
