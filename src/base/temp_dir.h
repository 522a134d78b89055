// A test's own folder, removed at the end of the scope.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "base/system/temporary_folder.h"

namespace acutance::test {

class TempDir {
 public:
  TempDir() : path_(MakeTemporaryFolder("acutance")) {}
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return (path_ / std::u8string(name.begin(), name.end())).string();  // as UTF-8, also on Windows
  }

 private:
  std::filesystem::path path_;
};

}  // namespace acutance::test
