#include "report/input_summary.h"

namespace acutance {
namespace {

template <class Kind>
std::string TextOf(Kind kind) {
  return kind == Kind::kUnknown ? "" : std::string(NameOf(kind));
}

}  // namespace

SummaryInput SummaryOf(const InputFacts& input) {
  const auto& [name, format, frame_rate, color, facts, changes] = input;
  SummaryInput summary;
  summary.path = name;
  summary.width = format.width;
  summary.height = format.height;
  summary.bit_depth = format.bit_depth;
  summary.pixel_format = PixelFormatName(format.pixel_format);
  summary.frame_rate = frame_rate;
  summary.codec = facts.codec;
  // Colors of RGB are those that it will be converted to.
  if (facts.is_rgb) summary.range = "full";
  else if (color.full_range) summary.range = *color.full_range ? "full" : "limited";
  summary.transfer = TextOf(color.transfer);
  summary.matrix = facts.is_rgb ? "RGB" : TextOf(color.matrix);
  summary.primaries = TextOf(color.primaries);
  summary.is_rgb = facts.is_rgb;
  summary.is_interlaced = facts.is_interlaced;
  summary.pixel_aspect = facts.pixel_aspect;
  summary.dolby_vision_profile = facts.dolby_vision_profile;
  if (facts.mastering) summary.mastering.emplace(facts.mastering->least_luminance, facts.mastering->most_luminance);
  if (facts.light_level)
    summary.light_level.emplace(facts.light_level->most_of_samples, facts.light_level->most_of_pictures);
  for (const auto& [change, text] : changes)
    summary.changes.push_back({std::string(kFitChangeNames[static_cast<int>(change)]), text});
  return summary;
}

}  // namespace acutance
