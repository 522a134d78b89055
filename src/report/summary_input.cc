#include "report/summary_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace acutance {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json InputJson(const SummaryInput& input) {
  Json json = {{"path", input.path},
               {"width", input.width},
               {"height", input.height},
               {"bit_depth", input.bit_depth},
               {"pixel_format", input.pixel_format},
               {"codec", TextOrNull(input.codec)},
               {"frame_rate", input.frame_rate},
               {"range", TextOrNull(input.range)},
               {"transfer", TextOrNull(input.transfer)},
               {"matrix", TextOrNull(input.matrix)},
               {"primaries", TextOrNull(input.primaries)},
               {"rgb", input.is_rgb},
               {"interlaced", input.is_interlaced},
               {"pixel_aspect", input.pixel_aspect},
               {"dolby_vision_profile", input.dolby_vision_profile > 0 ? Json(input.dolby_vision_profile) : Json()},
               {"mastering", nullptr},
               {"light_level", nullptr},
               {"changes", Json::Array()}};
  if (input.mastering) json["mastering"] = {{"least", input.mastering->first}, {"most", input.mastering->second}};
  if (input.light_level)
    json["light_level"] = {{"max_cll", input.light_level->first}, {"max_fall", input.light_level->second}};
  for (const auto& [change, text] : input.changes) json["changes"].Append({{"change", change}, {"text", text}});
  return json;
}

}  // namespace

std::string Describe(const SummaryInput& input) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) parts.push_back(text);
  };
  add(input.codec);
  if (input.frame_rate) add(fmt::format("{:.6g} frames/s", *input.frame_rate));
  if (input.is_interlaced) add("interlaced");
  add(input.transfer);
  add(input.is_rgb ? "RGB" : input.matrix);
  if (!input.primaries.empty() && input.primaries != input.matrix) add("primaries of " + input.primaries);
  if (!input.range.empty()) add(input.range + " range");
  if (input.dolby_vision_profile > 0) add(fmt::format("Dolby Vision profile {}", input.dolby_vision_profile));
  if (input.mastering)
    add(fmt::format("mastered for {:.4g} to {:.4g} cd/m2", input.mastering->first, input.mastering->second));
  if (input.light_level) add(fmt::format("MaxCLL {}, MaxFALL {}", input.light_level->first, input.light_level->second));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json InputsJson(const std::vector<SummaryInput>& inputs) {
  Json list = Json::Array();
  for (const SummaryInput& input : inputs) list.Append(InputJson(input));
  return list;
}

}  // namespace acutance
