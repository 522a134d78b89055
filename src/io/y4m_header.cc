#include "io/y4m_header.h"

#include <charconv>

namespace acutance {
namespace {

struct ChromaTag {
  std::string_view tag;
  PixelFormat format;
  int bit_depth;
  ChromaConversion conversion = ChromaConversion::kNone;
};

constexpr ChromaTag kChromaTags[] = {
    {"420", PixelFormat::k420, 8},      {"420jpeg", PixelFormat::k420, 8},
    {"420mpeg2", PixelFormat::k420, 8}, {"420paldv", PixelFormat::k420, 8, ChromaConversion::kPaldv},
    {"420p10", PixelFormat::k420, 10},  {"420p12", PixelFormat::k420, 12},
    {"420p16", PixelFormat::k420, 16},  {"411", PixelFormat::k422, 8, ChromaConversion::k411To422},
    {"422", PixelFormat::k422, 8},      {"422p10", PixelFormat::k422, 10},
    {"422p12", PixelFormat::k422, 12},  {"422p16", PixelFormat::k422, 16},
    {"444", PixelFormat::k444, 8},      {"444alpha", PixelFormat::k444, 8, ChromaConversion::kDropAlpha},
    {"444p10", PixelFormat::k444, 10},  {"444p12", PixelFormat::k444, 12},
    {"444p16", PixelFormat::k444, 16},  {"mono", PixelFormat::k400, 8},
    {"mono10", PixelFormat::k400, 10},  {"mono12", PixelFormat::k400, 12},
    {"mono16", PixelFormat::k400, 16},
};

std::string_view ChangeBy(ChromaConversion conversion) {
  return conversion == ChromaConversion::k411To422    ? "4:1:1 is widened to 4:2:2"
         : conversion == ChromaConversion::kPaldv     ? "its chroma is moved from where PAL DV has it"
         : conversion == ChromaConversion::kDropAlpha ? "its alpha is left out"
                                                      : "";
}

Status BadTag(std::string_view tag, std::string_view value, std::string_view expected) {
  return Error(StatusCode::kBadData, "bad y4m header: {} is \"{}\", should be {}", tag, Printable(value), expected);
}

/// The whole of `text` is a decimal number; nullopt also when it does not fit.
std::optional<int> ParseInt(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Status ParseSide(std::string_view tag, std::string_view text, int* side) {
  const std::optional<int> value = ParseInt(text);
  if (!value || *value < 1 || *value > kMaxDimension)
    return BadTag(tag, text, fmt::format("a number from 1 to {}", kMaxDimension));
  *side = *value;
  return {};
}

Status ParseFrameRate(std::string_view text, Y4mHeader* header) {
  const size_t colon = text.find(':');
  const std::optional<int> numerator = ParseInt(text.substr(0, colon));
  const std::optional<int> denominator = colon == text.npos ? std::nullopt : ParseInt(text.substr(colon + 1));
  if (!numerator || !denominator || *numerator < 0 || *denominator < 0)
    return BadTag("F (frame rate)", text, "two numbers such as 25:1");
  if (*numerator > 0 && *denominator > 0) header->frame_rate = static_cast<double>(*numerator) / *denominator;
  return {};
}

/// nullopt where the value is unknown (0:0) or invalid.
std::optional<double> ParseAspect(std::string_view text) {
  const size_t colon = text.find(':');
  const int width = ParseInt(text.substr(0, colon)).value_or(0);
  const int height = colon == text.npos ? 0 : ParseInt(text.substr(colon + 1)).value_or(0);
  return width > 0 && height > 0 ? std::optional(static_cast<double>(width) / height) : std::nullopt;
}

/// FFmpeg also writes 420jpeg where the siting is unknown. Chroma of 420paldv is moved to MPEG-1's positions.
std::optional<ChromaSiting> SitingOf(std::string_view tag) {
  if (tag == "420paldv") return ChromaSiting{0.5, 0.5};
  if (tag == "420mpeg2") return ChromaSiting{0, 0.5};
  return std::nullopt;
}

Status ParseInterlacing(std::string_view text, Y4mHeader* header) {
  const char kind = text.empty() ? '?' : text[0];
  if (kind == 'p') return {};
  if (text == "t" || text == "b") {
    header->facts.is_interlaced = true;
    header->facts.bottom_field_first = text == "b";
    return {};
  }
  if (kind != '?') return InterlacedY4m(text);
  header->warnings.push_back("the y4m header leaves interlacing open (I?); taken as progressive");
  return {};
}

Status ParseChroma(std::string_view text, Y4mHeader* header) {
  for (const ChromaTag& known : kChromaTags) {
    if (known.tag != text) continue;
    header->format.pixel_format = known.format;
    header->format.bit_depth = known.bit_depth;
    header->conversion = known.conversion;
    header->facts.siting = SitingOf(text);
    header->facts.changed_samples = ChangeBy(known.conversion);
    return {};
  }
  return Error(StatusCode::kUnsupported,
               "Unknown chroma sampling type: {} (420, 422, 444 and mono with 8, 10, 12 or 16 bits can be read)",
               Printable(text));
}

}  // namespace

Status InterlacedY4m(std::string_view fields) {
  return Error(StatusCode::kUnsupported, "the y4m file is interlaced (I{}); only progressive video can be scored",
               Printable(fields));
}

Result<Y4mHeader> ParseY4mHeader(std::string_view line) {
  if (!line.starts_with(kY4mMagic)) return Error(StatusCode::kBadData, "not a y4m file");
  line.remove_prefix(kY4mMagic.size());
  Y4mHeader header;
  const auto take_token = [&line] {
    const std::string_view token = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), token.size() + 1));
    return token;
  };
  if (const std::string_view version = take_token(); version != "2")
    header.warnings.push_back(fmt::format("y4m version \"{}\" is not 2", Printable(version)));
  bool has_rate = false, has_interlacing = false;
  while (!line.empty()) {
    const std::string_view token = take_token();
    if (token.empty()) continue;
    const std::string_view value = token.substr(1);
    Status status;
    switch (token[0]) {
      case 'W':
        status = ParseSide("W (width)", value, &header.format.width);
        break;
      case 'H':
        status = ParseSide("H (height)", value, &header.format.height);
        break;
      case 'F':
        status = ParseFrameRate(value, &header), has_rate = true;
        break;
      case 'I':
        status = ParseInterlacing(value, &header), has_interlacing = true;
        break;
      case 'A':
        header.facts.has_pixel_aspect = ParseAspect(value).has_value();
        header.facts.pixel_aspect = ParseAspect(value).value_or(1);
        break;
      case 'X':
        if (value == "COLORRANGE=FULL") header.full_range = true;
        if (value == "COLORRANGE=LIMITED") header.full_range = false;
        break;
      case 'C':
        status = ParseChroma(value, &header);
        break;
    }
    ACU_RETURN_IF_ERROR(std::move(status));
  }
  const char* const missing = header.format.width == 0    ? "W (width)"
                              : header.format.height == 0 ? "H (height)"
                              : !has_rate                 ? "F (frame rate)"
                                                          : nullptr;
  if (missing) return Error(StatusCode::kBadData, "bad y4m header: {} is missing", missing);
  if (!has_interlacing) header.warnings.push_back("the y4m header has no interlacing tag; taken as progressive");
  return header;
}

std::string Printable(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 40)) {
    if (c >= 0x20 && c < 0x7f) out += c;
    else out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > 40 ? out + "..." : out;
}

}  // namespace acutance
