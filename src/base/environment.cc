#include "base/environment.h"

#include <cctype>
#include <string>
#include <string_view>

namespace acutance {

bool IsOn(const char* name, bool otherwise) {
  const char* value = Variable(name);
  return value ? std::string_view(value) != "0" : otherwise;
}

Result<size_t> ParseBytes(std::string_view text) {
  constexpr std::string_view kUnits = "kmgt";
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(rest, text.data() + text.size());
  for (char& letter : unit) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.ends_with('i')) unit.pop_back();
  const bool is_known = unit.empty() || (unit.size() == 1 && kUnits.find(unit) != kUnits.npos);
  double bytes = number;
  if (is_known && !unit.empty())
    for (size_t i = 0; i <= kUnits.find(unit); ++i) bytes *= 1024;
  if (error == std::errc() && is_known && number > 0 && bytes < 1e18 && bytes >= 1) return static_cast<size_t>(bytes);
  return Error(StatusCode::kInvalidArgument, "'{}' is no size: expected bytes, such as 800M or 2GiB", text);
}

Status ReadBytes(const char* name, std::optional<size_t>& bytes) {
  const char* text = Variable(name);
  if (!text || bytes) return {};
  const Result<size_t> size = ParseBytes(text);
  if (!size.ok()) return Error(size.status().code(), "{}: {}", name, size.status().message());
  bytes = *size;
  return {};
}

}  // namespace acutance
