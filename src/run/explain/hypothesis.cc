#include "run/explain/hypothesis.h"

#include <fmt/ranges.h>

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
  for (const auto& [map, name] :
       {std::pair(h.reference, "the reference"), std::pair(h.distorted, "the distorted video")}) {
    if (map.step > 1) parts.push_back(fmt::format("one of {} frames of {}", map.step, name));
    if (map.repeat > 1) parts.push_back(fmt::format("every frame of {} {} times", name, map.repeat));
  }
}

void DescribeRange(RangeChange change, std::string_view video, std::vector<std::string>& parts) {
  if (change == RangeChange::kToFull) parts.push_back(fmt::format("{} expanded to full range", video));
  if (change == RangeChange::kToLimited) parts.push_back(fmt::format("{} compressed to limited range", video));
}

/// The picture without `x` columns at each side and `y` rows above and below, without a copy.
Picture Crop(Picture picture, int x, int y) {
  if (x == 0 && y == 0) return picture;
  const bool halves_x = picture.format.pixel_format != PixelFormat::k444;
  const bool halves_y = picture.format.pixel_format == PixelFormat::k420;
  picture.format.width -= 2 * x;
  picture.format.height -= 2 * y;
  for (int p = 0; p < picture.format.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    const int left = p > 0 && halves_x ? x / 2 : x, top = p > 0 && halves_y ? y / 2 : y;
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

std::string Describe(const Hypothesis& h, const PictureFormat& reference, const PictureFormat& distorted) {
  std::vector<std::string> parts;
  if (h.swapped) parts.push_back("the two videos swapped");
  DescribeFrames(h, parts);
  if (h.crop_distorted > 0)
    parts.push_back(fmt::format("the distorted video cropped by {} at each side and scaled back", h.crop_distorted));
  if (h.crop_x || h.crop_y)
    parts.push_back(
        fmt::format("both videos cropped by {} at the left and right, {} at the top and bottom", h.crop_x, h.crop_y));
  const PictureFormat& from = h.scales_reference ? reference : distorted;
  const PictureFormat& to = h.scales_reference ? distorted : reference;
  const bool scales = from.width != to.width || from.height != to.height;
  if (scales)
    parts.push_back(fmt::format("{} {}x{} to {}x{}{}", FilterName(h.flags), from.width, from.height, to.width,
                                to.height, h.scales_reference ? " of the reference" : ""));
  DescribeRange(h.reference_range, "the reference", parts);
  DescribeRange(h.distorted_range, "the distorted video", parts);
  if (h.bit_depth > 0) parts.push_back(fmt::format("both videos in {} bits", h.bit_depth));
  if (h.has_chroma_format)
    parts.push_back(fmt::format("both videos in 4:{}:{}", PixelFormatName(h.chroma)[1], PixelFormatName(h.chroma)[2]));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Result<std::pair<Picture, Picture>> ApplyHypothesis(const Hypothesis& h, const Picture& reference,
                                                    const Picture& distorted) {
  PictureFormat format = h.scales_reference ? distorted.format : reference.format;
  format.bit_depth = h.bit_depth > 0 ? h.bit_depth : reference.format.bit_depth;
  format.pixel_format = h.has_chroma_format ? h.chroma : reference.format.pixel_format;
  ACU_ASSIGN_OR_RETURN(const Picture first, Fit(reference, format, h.flags, h.reference_range));
  ACU_ASSIGN_OR_RETURN(const Picture second,
                       Fit(Crop(distorted, h.crop_distorted, h.crop_distorted), format, h.flags, h.distorted_range));
  std::pair<Picture, Picture> pair{Crop(first, h.crop_x, h.crop_y), Crop(second, h.crop_x, h.crop_y)};
  if (h.swapped) std::swap(pair.first, pair.second);
  return pair;
}

}  // namespace acutance
