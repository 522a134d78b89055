#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "align/placement.h"
#include "base/shell_word.h"
#include "run/doctor/checks.h"
#include "run/doctor/commands.h"

namespace acutance {
namespace {

constexpr double kSameShape = 0.03;  // of aspect ratios, as scores accept

bool Differ(double a, double b, double tolerance) { return std::abs(a - b) > tolerance * std::max(a, b); }

PlacedParts PartsOf(const Probe& probe) {
  return PartsOf(probe.placement->placement, ShownBy(probe.reference), ShownBy(probe.distorted));
}

std::string CropOption(const Rectangle& reference, const Rectangle& distorted) {
  return fmt::format(" --crop {},{}", ToText(reference), ToText(distorted));
}

/// Whether the contents within black bars lie at other places of their pictures.
bool BarsDiffer(const VideoProbe& reference, const VideoProbe& distorted) {
  constexpr double kSame = 0.015;  // of the picture
  if (!reference.content || !distorted.content) return false;
  const auto differ = [](int a, int size, int b, int other) {
    return std::abs(static_cast<double>(a) / size - static_cast<double>(b) / other) > kSame;
  };
  const Rectangle &a = *reference.content, &b = *distorted.content;
  const PictureFormat &one = reference.format, &other = distorted.format;
  return differ(a.width, one.width, b.width, other.width) || differ(a.height, one.height, b.height, other.height) ||
         differ(a.x, one.width, b.x, other.width) || differ(a.y, one.height, b.y, other.height);
}

/// Where contents within bars have other shapes, one shows a part of the other, or is squashed.
std::string CropWithinBars(const Probe& probe) {
  if (!Differ(ShapedOf(probe.reference).shape(), ShapedOf(probe.distorted).shape(), kSameShape)) return " --crop auto";
  if (probe.shape_parts) return CropOption(probe.shape_parts->reference, probe.shape_parts->distorted);
  if (probe.placement) return fmt::format(" {}", PartsOf(probe).options);
  return CropOption(ContentOf(probe.reference), ContentOf(probe.distorted)) + " --force";
}

Finding BarsFinding(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  return {"crop", 0.93,
          fmt::format("The picture of {} is {} within {}x{}, that of {} {} within {}x{}: black bars differ.", ref.name,
                      ToText(ContentOf(ref)), ref.format.width, ref.format.height, dis.name, ToText(ContentOf(dis)),
                      dis.format.width, dis.format.height),
          probe.Score(CropWithinBars(probe))};
}

Finding ShapeFinding(const Probe& probe) {
  const auto& [reference, distorted] = *probe.shape_parts;
  const bool is_of_reference = reference != ContentOf(probe.reference);
  const auto& [whole, part] =
      is_of_reference ? std::tie(probe.reference, probe.distorted) : std::tie(probe.distorted, probe.reference);
  return {"crop", 0.93,
          fmt::format("{} shows only the part {} of {}.", part.name, ToText(is_of_reference ? reference : distorted),
                      whole.name),
          probe.Score(CropOption(reference, distorted))};
}

Finding PlacementFinding(const Probe& probe) {
  const PlacedParts parts = PartsOf(probe);
  const bool is_sure = probe.placement->is_sure;
  return {"crop", is_sure ? 0.92 : 0.6,
          parts.sentence + (is_sure ? "." : ", or nearly that: others fit as well at other times."),
          probe.Score(fmt::format(" {}", parts.options))};
}

/// Fields of two times comb where the picture has edges, and lie apart in time even where it is smooth.
bool HoldsFields(const VideoProbe& video, const VideoProbe& other) {
  constexpr double kCombed = 0.15, kMore = 1.8, kUneven = 0.35, kEven = 0.1;
  if (video.combing > kCombed && video.combing > kMore * other.combing) return true;
  return video.unevenness > kUneven && other.unevenness < kEven;
}

}  // namespace

std::optional<Finding> CheckOrientation(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (ref.facts.orientation == dis.facts.orientation || probe.alignment || !probe.are_unlike) return std::nullopt;
  const bool is_reference = ref.facts.orientation != Orientation();
  const VideoProbe &turned = is_reference ? ref : dis, &other = is_reference ? dis : ref;
  return Finding{
      "turned", 0.9,
      fmt::format("{} is rotated as its stream declares, and {} is {}: in one of them this was lost, or done already.",
                  turned.name, other.name, other.facts.orientation == Orientation() ? "not" : "rotated differently"),
      fmt::format("ffmpeg -noautorotate -i {} -strict -1 untold.y4m", ShellWord(turned.name))};
}

std::optional<Finding> CheckCrop(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (BarsDiffer(ref, dis)) return BarsFinding(probe);
  if (probe.shape_parts) return ShapeFinding(probe);
  if (probe.placement) return PlacementFinding(probe);
  const double shape = ref.format.width * ref.facts.pixel_aspect / ref.format.height;
  const double other = dis.format.width * dis.facts.pixel_aspect / dis.format.height;
  if (!Differ(shape, other, kSameShape)) return std::nullopt;
  return Finding{
      "crop", 0.9,
      fmt::format("{} is displayed with an aspect ratio of {:.3f} and {} with {:.3f}: one was {}.", ref.name, shape,
                  dis.name, other,
                  probe.alignment ? "squashed, or declares a wrong pixel aspect ratio" : "cropped or squashed"),
      probe.Score(probe.alignment ? " --force" : " --crop auto")};
}

std::optional<Finding> CheckSize(const Probe& probe) {
  const PictureFormat &a = probe.reference.format, &b = probe.distorted.format;
  if ((a.width == b.width && a.height == b.height) || CheckCrop(probe)) return std::nullopt;
  return Finding{"size", 0.55,
                 fmt::format("{} is {}x{} and {} {}x{}; acutance score scales that.", probe.reference.name, a.width,
                             a.height, probe.distorted.name, b.width, b.height),
                 probe.Score()};
}

std::optional<Finding> CheckInterlacing(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  const bool in_reference = HoldsFields(ref, dis), in_distorted = HoldsFields(dis, ref);
  if (in_reference == in_distorted && ref.facts.is_interlaced == dis.facts.is_interlaced) return std::nullopt;
  const bool is_reference = in_reference || (!in_distorted && ref.facts.is_interlaced);
  const VideoProbe& video = is_reference ? ref : dis;
  // Fine lines that were scaled look like some combs.
  constexpr double kUneven = 0.35, kStrong = 0.3;
  const double combing = std::max(ref.combing, dis.combing);
  const bool is_scaled = ref.format.height != dis.format.height;
  const double seen = is_scaled && combing < kStrong ? 0.5 : 0.83 + 0.3 * std::min(combing, 0.4);
  const bool is_seen = in_reference != in_distorted;
  return Finding{"interlaced",
                 !is_seen                     ? 0.7
                 : video.unevenness > kUneven ? std::max(seen, 0.92)
                                              : seen,
                 fmt::format("{} is interlaced and the other video is not{}.", video.name,
                             is_seen ? "" : ", as its stream says, though few moving frames show it"),
                 Deinterlace(video.name)};
}

}  // namespace acutance
