#include "run/explain/hypothesis.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace acutance {
namespace {

std::string FilterName(int flags) {
  constexpr std::pair<int, std::string_view> kNames[] = {{kSwsFastBilinear, "fast bilinear"},
                                                         {kSwsBilinear, "bilinear"},
                                                         {kSwsBicubic, "bicubic"},
                                                         {kSwsPoint, "nearest"},
                                                         {kSwsArea, "area"},
                                                         {kSwsLanczos, "lanczos"},
                                                         {kSwsSpline, "spline"}};
  std::string name;
  for (const auto& [flag, text] : kNames)
    if (flags & flag) name = text;
  return name + (flags & kSwsAccurateRounding ? " with accurate rounding" : "");
}

std::string Frames(int64_t count) { return count == 1 ? "one frame" : fmt::format("{} frames", count); }

void DescribeFrames(const Hypothesis& h, std::vector<std::string>& parts) {
  const int64_t late = h.reference.first - h.distorted.first;  // positive: the reference's first frames are left out
  if (late < 0) parts.push_back(fmt::format("the reference {} late", Frames(-late)));
  if (late > 0) parts.push_back(fmt::format("the distorted video {} late", Frames(late)));
  if (const int64_t both = std::min(h.reference.first, h.distorted.first); both != 0)
    parts.push_back(both > 0 ? fmt::format("both videos without their first {}", Frames(both))
                             : fmt::format("frame {} of the log is the videos' first", -both));
  for (const auto& [map, name] :
       {std::pair(h.reference, "the reference"), std::pair(h.distorted, "the distorted video")}) {
    if (map.step > 1) parts.push_back(fmt::format("one of {} frames of {}", map.step, name));
    if (map.repeat > 1) parts.push_back(fmt::format("every frame of {} {} times", name, map.repeat));
  }
}

void DescribeMargins(const Margins& m, std::string_view video, std::vector<std::string>& parts) {
  if (m == Margins()) return;
  const std::string sides = m.left == m.right ? fmt::format("{} at the left and right", m.left)
                                              : fmt::format("{} at the left, {} at the right", m.left, m.right);
  const std::string ends = m.top == m.bottom ? fmt::format("{} at the top and bottom", m.top)
                                             : fmt::format("{} at the top, {} at the bottom", m.top, m.bottom);
  parts.push_back(fmt::format("{} cropped by {}, {}", video, sides, ends));
}

void DescribeRange(RangeChange change, std::string_view video, std::vector<std::string>& parts) {
  if (change == RangeChange::kToFull) parts.push_back(fmt::format("{} expanded to full range", video));
  if (change == RangeChange::kToLimited) parts.push_back(fmt::format("{} compressed to limited range", video));
}

/// The picture without the margins, without a copy.
Picture Crop(Picture picture, const Margins& margins) {
  if (margins == Margins()) return picture;
  const bool halves_x = picture.format.pixel_format != PixelFormat::k444;
  const bool halves_y = picture.format.pixel_format == PixelFormat::k420;
  picture.format = Cropped(picture.format, margins);
  for (int p = 0; p < picture.format.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    const int left = p > 0 && halves_x ? margins.left / 2 : margins.left;
    const int top = p > 0 && halves_y ? margins.top / 2 : margins.top;
    plane.data += top * plane.stride + left * picture.format.BytesPerSample();
    plane.width = picture.format.PlaneWidth(p);
    plane.height = picture.format.PlaneHeight(p);
  }
  return picture;
}

Result<Picture> Fit(const Picture& picture, const PictureFormat& to, int flags, RangeChange range) {
  const bool changes_range = range != RangeChange::kNone;
  if (picture.format == to && !changes_range) return picture;
  return ConvertByFfmpeg(picture, to, {flags, range == RangeChange::kToLimited, range == RangeChange::kToFull});
}

}  // namespace

PictureFormat Cropped(PictureFormat format, const Margins& margins) {
  format.width -= margins.left + margins.right;
  format.height -= margins.top + margins.bottom;
  return format;
}

std::string Describe(const Hypothesis& h, const PictureFormat& reference, const PictureFormat& distorted) {
  std::vector<std::string> parts;
  if (h.swapped) parts.push_back("the two videos swapped");
  DescribeFrames(h, parts);
  DescribeMargins(h.reference_margins, "the reference", parts);
  DescribeMargins(h.distorted_margins, "the distorted video", parts);
  PictureFormat from = Cropped(distorted, h.distorted_margins), to = Cropped(reference, h.reference_margins);
  if (h.scales_reference) std::swap(from, to);
  if (from.width != to.width || from.height != to.height)
    parts.push_back(fmt::format("{} {}x{} to {}x{}{}", FilterName(h.flags), from.width, from.height, to.width,
                                to.height, h.scales_reference ? " of the reference" : ""));
  DescribeMargins(h.margins, "both videos", parts);
  DescribeRange(h.reference_range, "the reference", parts);
  DescribeRange(h.distorted_range, "the distorted video", parts);
  if (h.bit_depth > 0) parts.push_back(fmt::format("both videos in {} bits", h.bit_depth));
  if (h.has_chroma_format)
    parts.push_back(fmt::format("both videos in 4:{}:{}", PixelFormatName(h.chroma)[1], PixelFormatName(h.chroma)[2]));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Result<std::pair<Picture, Picture>> ApplyHypothesis(const Hypothesis& h, const Picture& reference,
                                                    const Picture& distorted) {
  const Picture cropped[] = {Crop(reference, h.reference_margins), Crop(distorted, h.distorted_margins)};
  PictureFormat format = cropped[h.scales_reference ? 1 : 0].format;
  format.bit_depth = h.bit_depth > 0 ? h.bit_depth : reference.format.bit_depth;
  format.pixel_format = h.has_chroma_format ? h.chroma : reference.format.pixel_format;
  ACU_ASSIGN_OR_RETURN(const Picture first, Fit(cropped[0], format, h.flags, h.reference_range));
  ACU_ASSIGN_OR_RETURN(const Picture second, Fit(cropped[1], format, h.flags, h.distorted_range));
  std::pair<Picture, Picture> pair{Crop(first, h.margins), Crop(second, h.margins)};
  if (h.swapped) std::swap(pair.first, pair.second);
  return pair;
}

}  // namespace acutance
