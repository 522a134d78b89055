#include <algorithm>

#include "metric/xpsnr/xpsnr.h"

namespace acutance {
namespace {

using namespace xpsnr;

/// The luma of a picture as activities see it: beyond its edges stands the nearest sample, before the clip zero.
class Luma {
 public:
  Luma(const Plane* plane, int bit_depth) : plane_(plane), bit_depth_(bit_depth) {}

  int at(int x, int y) const {
    if (!plane_) return 0;
    x = std::clamp(x, 0, plane_->width - 1);
    y = std::clamp(y, 0, plane_->height - 1);
    return activity_sample(bit_depth_ > 8 ? plane_->Row<uint16_t>(y)[x] : plane_->Row<uint8_t>(y)[x], bit_depth_);
  }
  int Sum(int x0, int y0, int x1, int y1) const {
    int sum = 0;
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) sum += at(x, y);
    return sum;
  }

 private:
  const Plane* plane_;
  int bit_depth_;
};

int HighPass(const Luma& luma, int x, int y) {
  const int rows = luma.Sum(x, y - 1, x, y + 1), columns = luma.Sum(x - 1, y, x + 1, y), centre = luma.at(x, y);
  const int sides = rows + columns - 2 * centre;
  return high_pass(centre, sides, luma.Sum(x - 1, y - 1, x + 1, y + 1) - sides - centre);
}

/// The high-pass value of the cell whose upper left sample is (x, y).
int CellHighPass(const Luma& luma, int x, int y) {
  const int cell = luma.Sum(x, y, x + 1, y + 1);
  const int sides = luma.Sum(x, y - 1, x + 1, y + 2) + luma.Sum(x - 1, y, x + 2, y + 1) - 2 * cell;
  const int inner = luma.Sum(x - 1, y - 1, x + 2, y + 2);
  const int ring = luma.Sum(x - 1, y - 2, x + 2, y + 3) + luma.Sum(x - 2, y - 1, x + 3, y + 2) - 2 * inner;
  return cell_high_pass(cell, sides, inner - cell - sides, ring);
}

int64_t SpatialActivity(const XpsnrGrid& grid, const Luma& luma, const XpsnrGrid::Part& inner) {
  const int step = grid.is_big ? 2 : 1;
  int64_t sum = 0;
  for (int y = inner.y0; y < inner.y1; y += step)
    for (int x = inner.x0; x < inner.x1; x += step)
      sum += grid.is_big ? CellHighPass(luma, x, y) : HighPass(luma, x, y);
  return sum;
}

int64_t TemporalActivity(const XpsnrGrid& grid, const XpsnrFrame& frame, const XpsnrGrid::Part& part) {
  const int depth = grid.format.bit_depth, reach = grid.is_big ? 1 : 0;
  const Luma now(&frame.reference[0], depth), before(frame.before, depth), before_that(frame.before_that, depth);
  int64_t sum = 0;
  for (int y = part.y0; y < part.y1; y += 1 + reach)
    for (int x = part.x0; x < part.x1; x += 1 + reach) {
      const auto of = [&](const Luma& luma) { return luma.Sum(x, y, x + reach, y + reach); };
      sum += 2 * std::abs(temporal_change(of(now), of(before), of(before_that), frame.order == XpsnrOrder::kSecond));
    }
  return sum;
}

template <class Sample>
int64_t SquaredErrors(const Plane& reference, const Plane& distorted, const XpsnrGrid::Part& part) {
  int64_t sum = 0;
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x)
      sum += static_cast<int64_t>(squared_error(reference.Row<Sample>(y)[x], distorted.Row<Sample>(y)[x]));
  return sum;
}

}  // namespace

void XpsnrBlockRowRef(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words) {
  constexpr int kErrors[3] = {XPSNR_ERROR, XPSNR_ERROR_U, XPSNR_ERROR_V};
  const Luma luma(&frame.reference[0], grid.format.bit_depth);
  for (int column = 0; column < grid.columns; ++column) {
    const auto own = words.subspan(size_t{XPSNR_WORDS} * column, XPSNR_WORDS);
    std::ranges::fill(own, 0);
    for (int p = 0; p < grid.format.PlaneCount(); ++p) {
      const XpsnrGrid::Part part = grid.PartOf(p, frame.reference[p], column, row);
      if (p == 1) own[XPSNR_CHROMA] = part.samples();
      own[kErrors[p]] = grid.format.bit_depth > 8
                            ? SquaredErrors<uint16_t>(frame.reference[p], frame.distorted[p], part)
                            : SquaredErrors<uint8_t>(frame.reference[p], frame.distorted[p], part);
    }
    if (!grid.is_weighted) continue;
    own[XPSNR_SPATIAL] = SpatialActivity(grid, luma, grid.Inner(column, row));
    if (frame.order != XpsnrOrder::kNone)
      own[XPSNR_TEMPORAL] = TemporalActivity(grid, frame, grid.PartOf(0, frame.reference[0], column, row));
  }
}

}  // namespace acutance
