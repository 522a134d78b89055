#include "align/crop_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "align/statistics.h"
#include "video/open_video.h"

namespace acutance {
namespace {

/// Where a cell begins and ends, in samples and parts of one.
struct Span {
  double begin, end;

  /// How much of sample i lies within.
  double Share(int i) const { return std::min(end, i + 1.0) - std::max(begin, static_cast<double>(i)); }
};

Span CellOf(int first, int size, int cell, int cells) {
  const double step = static_cast<double>(size) / cells;
  return {first + cell * step, first + (cell + 1) * step};
}

/// Means of cells of a line; at(i) is its sample i.
template <class Line, class At>
void Reduce(int first, int size, At at, Line& line) {
  const auto cells = static_cast<int>(line.size());
  for (int c = 0; c < cells; ++c) {
    const Span span = CellOf(first, size, c, cells);
    double sum = 0;
    for (int i = static_cast<int>(span.begin); i < span.end; ++i) sum += at(i) * span.Share(i);
    line[c] = static_cast<float>(sum / (span.end - span.begin));
  }
}

int ToStep(double value, int step) { return step * static_cast<int>(std::lround(value / step)); }
int DownToStep(double value, int step) { return step * static_cast<int>(value / step); }

}  // namespace

/// At the top.
Rectangle CropSearch::RowsOfHigher() const {
  Rectangle part = higher().content;
  const double height = part.width * higher().pixel_aspect / wider().shape();
  part.height = std::min(part.height, ToStep(height, ChromaStepY(higher().format.pixel_format)));
  return part;
}

/// On the left.
Rectangle CropSearch::ColumnsOfWider() const {
  Rectangle part = wider().content;
  const double width = part.height * higher().shape() / wider().pixel_aspect;
  part.width = std::min(part.width, ToStep(width, ChromaStepX(wider().format.pixel_format)));
  return part;
}

int CropSearch::Room(bool is_higher) const {
  return is_higher ? higher().content.height - RowsOfHigher().height : wider().content.width - ColumnsOfWider().width;
}

ShapeParts CropSearch::At(bool is_higher, int begin) const {
  Rectangle part = is_higher ? RowsOfHigher() : ColumnsOfWider();
  (is_higher ? part.y : part.x) += begin;
  const bool is_of_reference = is_higher == is_reference_higher();
  return is_of_reference ? ShapeParts{part, distorted_.content} : ShapeParts{reference_.content, part};
}

CropSearch::Lines CropSearch::LinesOf(const Picture& picture, const Rectangle& content, bool are_rows) {
  const Plane& luma = picture.planes[0];
  const int depth = picture.format.bit_depth;
  const float unit = 1.0F / static_cast<float>(1 << (depth - 8));
  const auto sample = [&](int x, int y) {
    return unit * static_cast<float>(depth > 8 ? luma.Row<uint16_t>(y)[x] : luma.Row<uint8_t>(y)[x]);
  };
  Lines lines(are_rows ? content.height : content.width);
  for (int i = 0; i < std::ssize(lines); ++i) {
    if (are_rows)
      Reduce(
          content.x, content.width, [&](int x) { return sample(x, content.y + i); }, lines[i]);
    else
      Reduce(
          content.y, content.height, [&](int y) { return sample(content.x + i, y); }, lines[i]);
  }
  return lines;
}

void CropSearch::Add(const Picture& reference, const Picture& distorted) {
  for (const bool are_rows : {false, true})
    pairs_[are_rows].push_back(
        {LinesOf(reference, reference_.content, are_rows), LinesOf(distorted, distorted_.content, are_rows)});
}

double CropSearch::ErrorOf(const Pair& pair, bool is_higher, const ShapeParts& parts) const {
  const auto begin_of = [&](const Rectangle& part, const ShapedVideo& video) {
    return is_higher ? part.y - video.content.y : part.x - video.content.x;
  };
  const auto length_of = [&](const Rectangle& part) { return is_higher ? part.height : part.width; };
  constexpr double kFlat = 1;  // squared 8-bit samples
  LumaFit fit;
  for (int cell = 0; cell < kCells; ++cell) {
    std::array<float, kCells> along[2];
    for (const bool is_reference : {true, false}) {
      const Rectangle& part = is_reference ? parts.reference : parts.distorted;
      const Lines& lines = is_reference ? pair.reference : pair.distorted;
      Reduce(
          begin_of(part, is_reference ? reference_ : distorted_), length_of(part),
          [&](int i) { return lines[i][cell]; }, along[is_reference]);
    }
    for (int i = 0; i < kCells; ++i) fit.Add(along[true][i], along[false][i]);
  }
  // A flat picture says nothing.
  return fit.variance_x() < kFlat || fit.variance_y() < kFlat ? 0 : fit.Unexplained();
}

double CropSearch::ErrorOf(bool is_higher, const ShapeParts& parts) const {
  double sum = 0;
  for (const Pair& pair : pairs_[is_higher]) sum += ErrorOf(pair, is_higher, parts);
  return sum;
}

ShapeParts CropSearch::Climb(bool is_higher, double first) const {
  const int room = Room(is_higher),
            step = is_higher ? ChromaStepY(higher().format.pixel_format) : ChromaStepX(wider().format.pixel_format);
  int best = DownToStep(first * room, step);
  double least = ErrorOf(is_higher, At(is_higher, best));
  for (int stride = 8 * step; stride >= step;) {
    const int before = best;
    for (const int begin : {before - stride, before + stride}) {
      if (begin < 0 || begin > room) continue;
      if (const double error = ErrorOf(is_higher, At(is_higher, begin)); error < least) least = error, best = begin;
    }
    if (best == before) stride /= 2;
  }
  return At(is_higher, best);
}

bool CropSearch::IsBetterInMost(bool is_higher, const ShapeParts& parts) const {
  // Of the error without a crop; the most that the part may leave; the least that is evidence; pictures.
  constexpr double kBetter = 0.5, kFits = 0.1, kLeast = 1e-4;
  constexpr int kLeastPictures = 2;
  int better = 0, all = 0;
  for (const Pair& pair : pairs_[is_higher]) {
    const double whole = ErrorOf(pair, is_higher, {reference_.content, distorted_.content});
    if (whole < kLeast) continue;
    ++all;
    better += ErrorOf(pair, is_higher, parts) < std::min(kFits, kBetter * whole);
  }
  return all >= kLeastPictures && 4 * better >= 3 * all;
}

std::optional<ShapeParts> CropSearch::Find() const {
  constexpr double kMiddle = 0.5, kFirst = 0, kLast = 1;
  std::optional<ShapeParts> best;
  double least = 0;
  bool are_rows = false;
  for (const bool is_higher : {true, false})
    for (const double first : {kMiddle, kFirst, kLast}) {
      const ShapeParts parts = Climb(is_higher, first);
      const double error = ErrorOf(is_higher, parts);
      if (!best || error < least) best = parts, least = error, are_rows = is_higher;
    }
  if (!best || !IsBetterInMost(are_rows, *best)) return std::nullopt;
  const bool is_aligned = AlignToChroma(best->reference, reference_.format.pixel_format) == best->reference &&
                          AlignToChroma(best->distorted, distorted_.format.pixel_format) == best->distorted;
  return is_aligned ? best : std::nullopt;
}

Result<std::optional<ShapeParts>> FindShapeParts(const std::string& reference, const ShapedVideo& reference_video,
                                                 const std::string& distorted, const ShapedVideo& distorted_video,
                                                 OpenOptions options) {
  constexpr int kPictures = 6;
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> one, OpenAsDisplayed(reference, options));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> other, OpenAsDisplayed(distorted, options));
  one->SkipChroma();
  other->SkipChroma();
  CropSearch finder(reference_video, distorted_video);
  for (int i = 0; i < kPictures; ++i) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> a, one->Next());
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> b, other->Next());
    if (!a || !b) break;
    finder.Add(*a, *b);
    const int64_t passed = int64_t{1} << i;  // so that short videos show some, and others a few seconds
    ACU_RETURN_IF_ERROR(one->Skip(passed).status());
    ACU_RETURN_IF_ERROR(other->Skip(passed).status());
  }
  return finder.Find();
}

}  // namespace acutance
