#include "align/part_in_place.h"

#include <algorithm>
#include <utility>

#include "align/statistics.h"
#include "video/open_video.h"

namespace acutance {
namespace {

/// The share of a picture's variance that another one does not explain; nullopt: one of them is flat.
std::optional<double> UnexplainedOf(const std::vector<float>& one, const std::vector<float>& other) {
  constexpr double kFlat = 1;  // squared 8-bit samples
  LumaFit fit;
  for (size_t i = 0; i < one.size(); ++i) fit.Add(one[i], other[i]);
  return fit.variance_x() < kFlat || fit.variance_y() < kFlat ? std::nullopt : std::optional(fit.Unexplained());
}

Rectangle Intersection(const Rectangle& a, const Rectangle& b) {
  const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {std::min(a.x + a.width, b.x + b.width) - x, std::min(a.y + a.height, b.y + b.height) - y, x, y};
}

bool HaveOneSize(const ShapedVideo& a, const ShapedVideo& b) {
  return a.format.width == b.format.width && a.format.height == b.format.height && a.pixel_aspect == b.pixel_aspect;
}

Result<bool> FitsInPlace(const Rectangle& part, const NamedShape& reference, const NamedShape& distorted,
                         const OpenOptions& options) {
  constexpr int kFrames = 256;
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> one, OpenAsDisplayed(reference.name, options));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> other, OpenAsDisplayed(distorted.name, options));
  one->SkipChroma();
  other->SkipChroma();
  InPlaceFit fit(part, reference.video.content, distorted.video.content);
  for (int i = 0; i < kFrames; ++i) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, one->Next());
    if (!picture) break;
    fit.AddReference(*picture);
  }
  for (int passed = 1; passed <= kFrames; passed *= 2) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, other->Next());
    if (!picture) break;
    fit.AddDistorted(*picture);
    ACU_RETURN_IF_ERROR(other->Skip(passed - 1).status());
  }
  return fit.IsBetter();
}

}  // namespace

InPlaceFit::Cells InPlaceFit::CellsOf(const Picture& picture, const Rectangle& part) {
  constexpr int kAcross = 8;  // samples of a cell that count, across and down
  const Plane& luma = picture.planes[0];
  const int depth = picture.format.bit_depth;
  const auto at = [](int first, int size, int cell, int cells, int sample) {
    return first + static_cast<int>((int64_t{size} * (2 * (cell * kAcross + sample) + 1)) / (2 * cells * kAcross));
  };
  Cells cells;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      int64_t sum = 0;
      for (int j = 0; j < kAcross; ++j)
        for (int i = 0; i < kAcross; ++i) {
          const int x = at(part.x, part.width, column, kColumns, i), y = at(part.y, part.height, row, kRows, j);
          sum += depth > 8 ? luma.Row<uint16_t>(y)[x] : luma.Row<uint8_t>(y)[x];
        }
      cells.push_back(static_cast<float>(sum) / static_cast<float>(kAcross * kAcross << (depth - 8)));
    }
  return cells;
}

InPlaceFit::Views InPlaceFit::ViewsOf(const Picture& picture, const Rectangle& content) const {
  return {CellsOf(picture, part_), CellsOf(picture, content)};
}

bool InPlaceFit::IsBetter() const {
  constexpr double kFits = 0.1;  // the most that frames of one time leave unexplained
  constexpr int kLeastPictures = 2;
  int better = 0, all = 0;
  for (const Views& own : distorted_) {
    double in_place = 1, scaled = 1;
    for (const Views& other : reference_) {
      in_place = std::min(in_place, UnexplainedOf(other.part, own.part).value_or(1));
      scaled = std::min(scaled, UnexplainedOf(other.content, own.content).value_or(1));
    }
    if (std::min(in_place, scaled) > kFits) continue;
    ++all;
    better += in_place <= scaled;
  }
  return all >= kLeastPictures && 4 * better >= 3 * all;
}

Result<std::optional<Rectangle>> FindPartInPlace(const NamedShape& reference, const NamedShape& distorted,
                                                 OpenOptions options) {
  const ShapedVideo &one = reference.video, &other = distorted.video;
  if (one.content == other.content || !HaveOneSize(one, other)) return std::optional<Rectangle>();
  const Rectangle part = AlignToChroma(Intersection(one.content, other.content), one.format.pixel_format);
  if (part.width <= 0 || part.height <= 0) return std::optional<Rectangle>();
  ACU_ASSIGN_OR_RETURN(const bool fits, FitsInPlace(part, reference, distorted, options));
  return fits ? std::optional(part) : std::nullopt;
}

}  // namespace acutance
