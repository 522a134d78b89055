#include "log/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace acutance {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

/// One code point and its bytes.
struct Character {
  uint32_t code;
  std::string_view bytes;
};

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The character at the front of `text`; a byte that starts none is U+FFFD by itself.
Character DecodeUtf8(std::string_view text) {
  constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, text.substr(0, 1)};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const Character invalid{kReplacement, kReplacementBytes};
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return invalid;
  uint32_t code = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return invalid;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || code > 0x10FFFF || surrogate) return invalid;
  return {code, text.substr(0, length)};
}

/// Replaces each character by what `escape` makes of it.
template <class Function>
std::string Map(std::string_view text, Function escape) {
  std::string result;
  while (!text.empty()) {
    const Character character = DecodeUtf8(text);
    result += escape(character);
    const bool valid = character.bytes.data() == text.data();
    text.remove_prefix(valid ? character.bytes.size() : 1);
  }
  return result;
}

struct Escape {
  uint32_t code;
  std::string_view text;
};
constexpr Escape kXmlEscapes[] = {{'&', "&amp;"},   {'<', "&lt;"},  {'>', "&gt;"},   {'"', "&quot;"},
                                  {'\'', "&apos;"}, {'\t', "&#9;"}, {'\n', "&#10;"}, {'\r', "&#13;"}};
constexpr Escape kJsonEscapes[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}};
constexpr Escape kSubtitleEscapes[] = {{'|', "/"}, {'{', "("}, {'}', ")"}, {'\r', " "}, {'\n', " "}};

/// Replaces the characters of a table, and others by what `rest` makes of them.
template <size_t N, class Function>
std::string MapByTable(std::string_view text, const Escape (&escapes)[N], Function rest) {
  return Map(text, [&](const Character& c) -> std::string {
    const auto* const found = std::ranges::find(escapes, c.code, &Escape::code);
    return found == std::end(escapes) ? rest(c) : std::string(found->text);
  });
}

struct CodeRange {
  uint32_t first;
  uint32_t last;
};

// XML 1.0, production 4, without the colon that namespaces give a meaning.
constexpr CodeRange kXmlNameStart[] = {{'A', 'Z'},       {'_', '_'},       {'a', 'z'},        {0xC0, 0xD6},
                                       {0xD8, 0xF6},     {0xF8, 0x2FF},    {0x370, 0x37D},    {0x37F, 0x1FFF},
                                       {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},  {0x3001, 0xD7FF},
                                       {0xF900, 0xFDCF}, {0xFDF0, 0xFFFC}, {0x10000, 0xEFFFF}};
// XML 1.0, production 4a: characters that a name may have after its first.
constexpr CodeRange kXmlNameRest[] = {{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}};

template <size_t N>
bool Contains(const CodeRange (&ranges)[N], uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](CodeRange range) { return range.first <= code && code <= range.last; });
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  return Map(text, [](const Character& c) { return std::string(c.bytes); });
}

std::string EscapeXml(std::string_view text) {
  return MapByTable(text, kXmlEscapes, [](const Character& c) -> std::string {
    // XML 1.0 cannot hold the other control characters, nor these two, in any spelling.
    const bool forbidden = c.code < 0x20 || c.code == 0xFFFE || c.code == 0xFFFF;
    return forbidden ? "\xEF\xBF\xBD" : std::string(c.bytes);
  });
}

std::string XmlName(std::string_view text) {
  std::string name = Map(text, [](const Character& c) -> std::string {
    const bool allowed = Contains(kXmlNameStart, c.code) || Contains(kXmlNameRest, c.code);
    return allowed ? std::string(c.bytes) : "_";
  });
  if (name.empty() || !Contains(kXmlNameStart, DecodeUtf8(name).code)) return fmt::format("_{}", name);
  return name;
}

std::string EscapeJson(std::string_view text) {
  return MapByTable(text, kJsonEscapes, [](const Character& c) {
    return c.code < 0x20 ? fmt::format("\\u{:04x}", c.code) : std::string(c.bytes);
  });
}

std::string CsvField(std::string_view text) {
  const std::string doubled =
      Map(text, [](const Character& c) { return c.code == '"' ? "\"\"" : std::string(c.bytes); });
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos;
  return plain ? doubled : fmt::format("\"{}\"", doubled);
}

std::string SubtitleText(std::string_view text) {
  return MapByTable(text, kSubtitleEscapes, [](const Character& c) { return std::string(c.bytes); });
}

}  // namespace acutance
