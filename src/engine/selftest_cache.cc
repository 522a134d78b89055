#include "engine/selftest_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/cache_folder.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;

/// Empty when the user has no home.
fs::path CacheFile() {
  const fs::path folder = CacheFolder();
  return folder.empty() ? folder : folder / "selftest";
}

/// Whether the file was cut short: what is written next would continue its last line.
bool EndsInsideLine(const fs::path& file) {
  std::ifstream stream(file, std::ios::ate);
  return stream.tellg() > 0 && stream.seekg(-1, std::ios::end).get() != '\n';
}

}  // namespace

bool HasPassed(const std::string& key) {
  std::ifstream stream(CacheFile());
  for (std::string line; std::getline(stream, line);)
    if (line == key) return true;
  return false;
}

void RememberPass(const std::string& key) {
  const fs::path file = CacheFile();
  if (file.empty() || HasPassed(key)) return;
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const std::string line = (EndsInsideLine(file) ? "\n" : "") + key + "\n";
  std::ofstream(file, std::ios::app) << line;  // one write, at the end of what others wrote
}

void ForgetPass(const std::string& key) {
  if (!HasPassed(key)) return;
  // Written under another name first: no reader sees half a file.
  const fs::path file = CacheFile(), part = file.string() + fmt::format(".{}", ::getpid());
  std::ifstream stream(file);
  std::ofstream rest(part);
  for (std::string line; std::getline(stream, line);)
    if (line != key) rest << line << "\n";
  rest.close();
  std::error_code error;
  if (rest.good()) fs::rename(part, file, error);
  if (!rest.good() || error) fs::remove(part, error);
}

}  // namespace acutance
