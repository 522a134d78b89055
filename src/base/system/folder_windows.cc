#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "base/files.h"
#include "base/system/temporary_folder.h"
#include "base/system/windows_text.h"

namespace acutance {

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  const std::wstring pattern = WidePath(folder) + L"\\*";
  std::vector<std::string> names;
  WIN32_FIND_DATAW entry{};
  const HANDLE search = ::FindFirstFileW(pattern.c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) {
    SetErrno();
    return Error(StatusCode::kIo, "{}: {}", folder, std::generic_category().message(errno));
  }
  do {
    std::string name = Utf8(entry.cFileName);
    if (name != "." && name != "..") names.push_back(std::move(name));
  } while (::FindNextFileW(search, &entry));
  ::FindClose(search);
  std::ranges::sort(names);
  return names;
}

std::string MakeTemporaryFolder(const std::string& prefix) {
  static std::atomic<unsigned> count = 0;
  std::error_code error;
  const std::filesystem::path all = std::filesystem::temp_directory_path(error);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::filesystem::path folder = all / fmt::format("{}-{}-{}", prefix, ::GetCurrentProcessId(), count++);
    if (std::filesystem::create_directory(folder, error)) return folder.string();
  }
  return "";
}

}  // namespace acutance
