// Escaping of names in logs. Bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace acutance {

std::string EscapeXml(std::string_view text);     // inside an attribute's quotes
std::string XmlName(std::string_view text);       // an attribute's name: what XML forbids there becomes '_'
std::string EscapeJson(std::string_view text);    // inside a string's quotes
std::string CsvField(std::string_view text);      // quoted where it must be
std::string SubtitleText(std::string_view text);  // without the separators of MicroDVD
std::string ValidUtf8(std::string_view text);     // as it is otherwise

}  // namespace acutance
