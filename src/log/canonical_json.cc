#include "log/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/number.h"

namespace acutance {
namespace {

/// A key for sorting by UTF-16 units. Code points from U+10000 on begin with a surrogate, U+D800 to U+DFFF, so that
/// they come before U+E000 to U+FFFF, whose UTF-8 begins with 0xEE or 0xEF.
std::string SortKey(std::string_view utf8) {
  std::string key(utf8);
  for (char& byte : key) {
    const auto value = static_cast<unsigned char>(byte);
    if (value >= 0xF0) byte = static_cast<char>(value - 2);                        // EE to F2
    else if (value == 0xEE || value == 0xEF) byte = static_cast<char>(value + 5);  // F3, F4
  }
  return key;
}

void WriteText(std::string_view text, std::string& to) {
  constexpr std::pair<char, std::string_view> kShort[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\b', "\\b"}, {'\f', "\\f"},
                                                          {'\n', "\\n"}, {'\r', "\\r"},  {'\t', "\\t"}};
  to += '"';
  for (const char c : text) {
    const auto* const found = std::ranges::find(kShort, c, &std::pair<char, std::string_view>::first);
    if (found != std::end(kShort)) to += found->second;
    else if (static_cast<unsigned char>(c) < 0x20) to += fmt::format("\\u{:04x}", static_cast<int>(c));
    else to += c;
  }
  to += '"';
}

void Write(const Json& value, std::string& to);

void WriteObject(const Json& object, std::string& to) {
  std::vector<size_t> order(object.keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return SortKey(object.keys[i]); });
  to += '{';
  for (const size_t i : order) {
    if (i != order.front()) to += ',';
    WriteText(object.keys[i], to);
    to += ':';
    Write(object.items[i], to);
  }
  to += '}';
}

void Write(const Json& value, std::string& to) {
  switch (value.kind) {
    case Json::Kind::kNull:
      to += "null";
      return;
    case Json::Kind::kBool:
      to += value.boolean ? "true" : "false";
      return;
    case Json::Kind::kNumber: {
      const std::optional<double> number = ParseFiniteDouble(value.text);
      to += number ? EcmaNumber(*number) : "null";
      return;
    }
    case Json::Kind::kString:
      return WriteText(value.text, to);
    case Json::Kind::kArray:
      to += '[';
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) to += ',';
        Write(value.items[i], to);
      }
      to += ']';
      return;
    case Json::Kind::kObject:
      WriteObject(value, to);
  }
}

}  // namespace

std::string EcmaNumber(double value) {
  if (value == 0) return "0";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(value), std::chars_format::scientific);
  const std::string_view shortest(buffer, end.ptr);
  const size_t e = shortest.find('e');
  std::string digits(1, shortest[0]);
  if (e > 2) digits += shortest.substr(2, e - 2);
  int exponent = 0;
  const std::string_view power = shortest.substr(e + (shortest[e + 1] == '+' ? 2 : 1));
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  const int count = static_cast<int>(digits.size()), point = exponent + 1;  // ECMA-262, Number::toString: k and n
  std::string text;
  if (count <= point && point <= 21) {
    text = digits + std::string(static_cast<size_t>(point - count), '0');
  } else if (0 < point && point <= 21) {
    text = digits.substr(0, static_cast<size_t>(point)) + "." + digits.substr(static_cast<size_t>(point));
  } else if (-6 < point && point <= 0) {
    text = "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  } else {
    text = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + fmt::format("e{:+}", exponent);
  }
  return value < 0 ? "-" + text : text;
}

std::string CanonicalJson(const Json& document) {
  std::string text;
  Write(document, text);
  return text;
}

}  // namespace acutance
