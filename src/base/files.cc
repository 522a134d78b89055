#include "base/files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/system/file.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;

/// The folders of the program and, if this code is in a shared library, of the library: by its name and, where that is
/// a link (VapourSynth's to libvship.so), by its target.
std::vector<fs::path> OwnFolders() {
  std::vector<fs::path> folders;
  std::error_code error;
  if (const fs::path name = FileWith(reinterpret_cast<const void*>(&OwnFolders)); name.is_absolute()) {
    folders.push_back(name.parent_path());
    if (const fs::path file = fs::canonical(name, error); !error) folders.push_back(file.parent_path());
  }
  if (const fs::path program = ProgramFile(); !program.empty()) folders.push_back(program.parent_path());
  return folders;
}

}  // namespace

bool Exists(const std::string& path) { return InfoOf(path).has_value(); }

bool IsRegularFile(const std::string& path) {
  const std::optional<FileInfo> info = InfoOf(path);
  return info && info->kind == FileKind::kRegular;
}

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(SystemPath(folder), error);
  return error ? Error(StatusCode::kIo, "could not make the folder {}: {}", folder, error.message()) : Status();
}

std::string Join(const std::string& folder, const std::string& name) {
  return (SystemPath(folder) / SystemPath(name)).string();
}

Result<fs::path> FindInstalledFile(const fs::path& file, const char* only_place) {
  std::vector<fs::path> places;
  if (only_place) places.push_back(SystemPath(only_place));
  else
    for (const fs::path& folder : OwnFolders())
      for (const char* relative : {".", "../lib", "../" ACUTANCE_LIBDIR}) {
        fs::path place = (folder / relative / file).lexically_normal();
        if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
      }
  std::vector<std::string> names;
  for (const fs::path& place : places) {
    names.push_back(place.string());
    if (IsRegularFile(names.back())) return place;
  }
  return Error(StatusCode::kNoDevice, "{}", fmt::join(names, ", no "));
}

}  // namespace acutance
