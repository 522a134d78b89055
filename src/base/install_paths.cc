#include "base/install_paths.h"

#include <dlfcn.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace acutance {
namespace {

namespace fs = std::filesystem;

/// The folders of the program and, if this code is in a shared library, of that: of its name and, where that is a link
/// (VapourSynth's to libvship.so), of what it leads to.
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

std::vector<fs::path> InstalledFileCandidates(const fs::path& file) {
  std::vector<fs::path> places;
  for (const fs::path& folder : OwnFolders())
    for (const char* relative : {".", "../lib", "../" ACUTANCE_LIBDIR}) {
      fs::path place = (folder / relative / file).lexically_normal();
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
    }
  return places;
}

}  // namespace acutance
