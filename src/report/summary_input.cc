#include "report/summary_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace acutance {
namespace {

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(std::string(text)); }

Json InputJson(const Input& input) {
  const auto& [path, format, frame_rate, color, facts, changes, damage] = input;
  Json json = {{"path", path},
               {"width", format.width},
               {"height", format.height},
               {"bit_depth", format.bit_depth},
               {"pixel_format", PixelFormatName(format.pixel_format)},
               {"codec", TextOrNull(facts.codec)},
               {"frame_rate", frame_rate},
               {"range", TextOrNull(input.range())},
               {"transfer", TextOrNull(input.transfer())},
               {"matrix", TextOrNull(input.matrix())},
               {"primaries", TextOrNull(input.primaries())},
               {"rgb", facts.is_rgb},
               {"interlaced", facts.is_interlaced},
               {"pixel_aspect", facts.pixel_aspect},
               {"dolby_vision_profile", facts.dolby_vision_profile > 0 ? Json(facts.dolby_vision_profile) : Json()},
               {"mastering", nullptr},
               {"light_level", nullptr},
               {"changes", Json::Array()},
               {"damage", nullptr}};
  if (const auto& display = facts.mastering)
    json["mastering"] = {{"least", display->least_luminance}, {"most", display->most_luminance}};
  if (const auto& light = facts.light_level)
    json["light_level"] = {{"max_cll", light->most_of_samples}, {"max_fall", light->most_of_pictures}};
  if (!damage.reason.empty()) {
    json["damage"] = {{"reason", damage.reason}, {"decoded", damage.decoded}, {"lost", damage.lost}, {"frames", Json::Array()}};
    for (const int64_t frame : damage.frames) json["damage"]["frames"].Append(frame);
  }
  for (const auto& [change, text] : changes)
    json["changes"].Append({{"change", std::string(NameOf(change))}, {"text", text}});
  return json;
}

}  // namespace

std::string Describe(const Input& input) {
  const VideoFacts& facts = input.facts;
  std::vector<std::string> parts;
  const auto add = [&](std::string_view text) {
    if (!text.empty()) parts.emplace_back(text);
  };
  add(facts.codec);
  if (input.frame_rate) add(fmt::format("{:.6g} frames/s", *input.frame_rate));
  if (facts.is_interlaced) add("interlaced");
  add(input.transfer());
  add(input.matrix());
  if (const auto primaries = input.primaries(); !primaries.empty() && primaries != input.matrix())
    add(fmt::format("primaries of {}", primaries));
  if (const auto range = input.range(); !range.empty()) add(fmt::format("{} range", range));
  if (facts.dolby_vision_profile > 0) add(fmt::format("Dolby Vision profile {}", facts.dolby_vision_profile));
  if (const auto& display = facts.mastering)
    add(fmt::format("mastered for {:.4g} to {:.4g} cd/m2", display->least_luminance, display->most_luminance));
  if (const auto& light = facts.light_level)
    add(fmt::format("MaxCLL {}, MaxFALL {}", light->most_of_samples, light->most_of_pictures));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json InputsJson(const std::vector<Input>& inputs) {
  Json list = Json::Array();
  for (const Input& input : inputs) list.Append(InputJson(input));
  return list;
}

}  // namespace acutance
