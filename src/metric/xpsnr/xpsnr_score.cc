// From sums of blocks to decibels, in doubles (docs/spec/beyond.md 2.2 to 2.6).
#include <algorithm>
#include <cmath>

#include "base/int_math.h"
#include "math/exact_math.h"
#include "metric/xpsnr/xpsnr.h"

namespace acutance {
namespace {

/// The picture's size by that of UHD.
double SizeRatio(const PictureFormat& format) {
  return static_cast<double>(int64_t{format.width} * format.height) / (3840.0 * 2160.0);
}

double ActivityOf(const XpsnrGrid& grid, int column, int row, std::span<const int64_t> words) {
  constexpr int kLeastWidth = 12;  // of narrower blocks of big pictures FFmpeg forgets the spatial activity
  const XpsnrGrid::Part inner = grid.Inner(column, row);
  if (inner.x1 <= inner.x0 || inner.y1 <= inner.y0) return 1.0;
  const bool counts = !grid.is_big || inner.x1 - grid.Left(column) > kLeastWidth;
  const double positions = static_cast<double>(inner.x1 - inner.x0) * static_cast<double>(inner.y1 - inner.y0);
  const double spatial = counts ? static_cast<double>(words[XPSNR_SPATIAL]) : 0.0;
  const double samples = static_cast<double>(grid.Width(column)) * static_cast<double>(grid.Height(row));
  const double activity = spatial / positions + static_cast<double>(words[XPSNR_TEMPORAL]) / samples;
  const double floor = static_cast<double>(1 << (grid.format.bit_depth - 6));
  const double least = std::max(activity, floor);
  return least * least;
}

/// Limits the weight of the block before block `i` by those around it, in place, and that of the last block.
void LimitWeight(const XpsnrGrid& grid, int i, std::vector<double>& weights) {
  const int columns = grid.columns, column = i % columns;
  double most;
  if (column == 0) most = i > 1 ? weights[i - 2] : 0.0;
  else most = column > 1 ? std::max(weights[i - 2], weights[i]) : weights[i];
  if (i > columns) most = std::max(most, weights[i - 1 - columns]);
  if (i > 0) weights[i - 1] = std::min(weights[i - 1], most);
  if (i + 1 == grid.blocks() && i > columns)
    weights[i] = std::min(weights[i], std::max(weights[i - 1], weights[i - columns]));
}

std::vector<double> WeightsOf(const XpsnrGrid& grid, std::span<const int64_t> words) {
  constexpr int kMostPixelsLimited = 640 * 480;
  const bool is_limited = int64_t{grid.format.width} * grid.format.height <= kMostPixelsLimited;
  std::vector<double> weights(grid.blocks());
  for (int i = 0; i < grid.blocks(); ++i) {
    const auto own = words.subspan(size_t{XPSNR_WORDS} * i, XPSNR_WORDS);
    weights[i] = 1.0 / std::sqrt(ActivityOf(grid, i % grid.columns, i / grid.columns, own));
    if (is_limited) LimitWeight(grid, i, weights);
  }
  return weights;
}

}  // namespace

XpsnrGrid::XpsnrGrid(const PictureFormat& picture)
    : format(picture),
      block(4 * static_cast<int>(32.0 * std::sqrt(SizeRatio(picture)) + 0.5)),
      is_weighted(block > 0),
      is_big(int64_t{picture.width} * picture.height > 2048 * 1152) {
  if (!is_weighted) block = std::max(picture.width, picture.height);
  columns = CeilDiv(picture.width, block);
  rows = CeilDiv(picture.height, block);
}

/// The size that makes as many blocks as luma has.
PictureSize XpsnrGrid::ChromaBlock() const {
  // Chroma of an odd picture has the size that it has in its file: half a sample more.
  const int wide = format.pixel_format == PixelFormat::k444 ? format.width : CeilDiv(format.width, 2);
  const int high = format.pixel_format == PixelFormat::k420 ? CeilDiv(format.height, 2) : format.height;
  return {static_cast<int>(int64_t{block} * wide / format.width),
          static_cast<int>(int64_t{block} * high / format.height)};
}

XpsnrGrid::Part XpsnrGrid::PartOf(int plane, const Plane& samples, int column, int row) const {
  if (plane == 0) return {Left(column), Top(row), Left(column) + Width(column), Top(row) + Height(row)};
  const auto [wide, high] = ChromaBlock();
  return {std::min(column * wide, samples.width), std::min(row * high, samples.height),
          std::min((column + 1) * wide, samples.width), std::min((row + 1) * high, samples.height)};
}

XpsnrGrid::Part XpsnrGrid::Inner(int column, int row) const {
  const int edge = is_big ? 2 : 1;
  const Part all = {Left(column), Top(row), Left(column) + Width(column), Top(row) + Height(row)};
  return {std::max(all.x0, edge), std::max(all.y0, edge), all.x1 < format.width ? all.x1 : all.x1 - edge,
          all.y1 < format.height ? all.y1 : all.y1 - edge};
}

std::array<int64_t, 3> XpsnrErrors(const XpsnrGrid& grid, std::span<const int64_t> words) {
  constexpr int kErrors[3] = {XPSNR_ERROR, XPSNR_ERROR_U, XPSNR_ERROR_V};
  std::array<int64_t, 3> errors = {};
  if (!grid.is_weighted) {
    for (int p = 0; p < grid.format.PlaneCount(); ++p) errors[p] = words[kErrors[p]];
    return errors;
  }
  const std::vector<double> weights = WeightsOf(grid, words);
  const double depth_factor = static_cast<double>(int64_t{1} << (2 * grid.format.bit_depth - 9));
  const double mean_activity = std::sqrt(16.0 * depth_factor / std::sqrt(std::max(0.00001, SizeRatio(grid.format))));
  for (int p = 0; p < grid.format.PlaneCount(); ++p) {
    double sum = 0.0;
    for (int i = 0; i < grid.blocks(); ++i)
      sum += static_cast<double>(words[size_t{XPSNR_WORDS} * i + kErrors[p]]) * weights[i];
    errors[p] = sum <= 0 ? 0 : static_cast<int64_t>(sum * mean_activity + 0.5);
  }
  return errors;
}

double XpsnrDecibels(int bit_depth, int64_t samples, double roots, int64_t frames, double otherwise) {
  if (roots < static_cast<double>(frames)) return otherwise;
  const uint64_t peak = (uint64_t{1} << bit_depth) - 1;
  const double root = roots / static_cast<double>(frames);
  return 10.0 * Log10(static_cast<double>(static_cast<uint64_t>(samples) * peak * peak) / (root * root));
}

}  // namespace acutance
