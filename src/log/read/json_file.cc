#include "log/read/json_file.h"

#include <fstream>
#include <limits>
#include <sstream>

#include "base/system/file.h"

namespace acutance {

std::string ReadText(const std::string& path) {
  std::ifstream file(SystemPath(path), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<Json> ReadJson(const std::string& path) {
  if (!std::ifstream(SystemPath(path))) return Error(StatusCode::kIo, "could not open {}", path);
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  Result<Json> json = ParseJson(ReadText(path), {.bytes = kAny, .values = kAny, .may_text_follow = false});
  if (json.ok()) return json;
  return Error(json.status().code(), "{}: {}", path, json.status().message());
}

}  // namespace acutance
