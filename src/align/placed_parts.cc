#include "align/placed_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace acutance {
namespace {

/// The part of a line of samples, with edges on whole steps.
std::pair<int, int> Along(int begin, int length, double first, double part, int step) {
  const auto edge = [&](double place) {
    const auto steps = static_cast<int>(std::lround(place * length / step));
    return std::clamp(steps * step, 0, length);
  };
  const int left = edge(first), right = first + part >= 1 ? length : edge(first + part);
  return {begin + left, std::max(right - left, step)};
}

Rectangle RectangleOf(const Placement& part, const ShownPicture& video) {
  const Rectangle& all = video.part;
  const auto [x, width] = Along(all.x, all.width, part.left, part.width, ChromaStepX(video.pixel_format));
  const auto [y, height] = Along(all.y, all.height, part.top, part.height, ChromaStepY(video.pixel_format));
  return {width, height, x, y};
}

double ShapeOf(const Rectangle& part, const ShownPicture& video) {
  return part.width * video.pixel_aspect / part.height;
}

}  // namespace

PlacedParts PartsOf(const Placement& placement, const ShownPicture& reference, const ShownPicture& distorted) {
  constexpr double kSameShape = 0.03;  // what FitVideos lets pass
  const auto [part, own] = PartsInCommon(placement);
  PlacedParts parts{RectangleOf(part, reference), RectangleOf(own, distorted), {}, {}};
  if (parts.distorted == distorted.part)
    parts.sentence =
        fmt::format("{} shows only the part {} of {}", distorted.name, ToText(parts.reference), reference.name);
  else if (parts.reference == reference.part)
    parts.sentence =
        fmt::format("{} shows only the part {} of {}", reference.name, ToText(parts.distorted), distorted.name);
  else
    parts.sentence = fmt::format("{} shows in {} what {} does in {}", distorted.name, ToText(parts.distorted),
                                 reference.name, ToText(parts.reference));
  const double shape = ShapeOf(parts.reference, reference), other = ShapeOf(parts.distorted, distorted);
  const bool differ = std::abs(shape - other) > kSameShape * std::min(shape, other);
  parts.options =
      fmt::format("--crop {},{}{}", ToText(parts.reference), ToText(parts.distorted), differ ? " --force" : "");
  return parts;
}

}  // namespace acutance
