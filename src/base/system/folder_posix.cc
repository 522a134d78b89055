#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "base/files.h"
#include "base/system/temporary_folder.h"

namespace acutance {

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  const auto close = [](DIR* open) { (void)::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.c_str()), close);
  std::vector<std::string> names;
  const dirent* entry = nullptr;
  for (errno = opened ? 0 : errno; opened && (entry = ::readdir(opened.get())) != nullptr; errno = 0) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (errno != 0) return Error(StatusCode::kIo, "{}: {}", folder, std::generic_category().message(errno));
  std::ranges::sort(names);
  return names;
}

std::string MakeTemporaryFolder(const std::string& prefix) {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / (prefix + "-XXXXXX")).string();
  return ::mkdtemp(name.data()) ? name : "";
}

}  // namespace acutance
