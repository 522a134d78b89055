// What the files of xpsnr share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace xpsnr {
#include "metric/xpsnr/xpsnr_math.kernel.h"
}  // namespace xpsnr

/// The blocks of a picture (docs/spec/beyond.md 2.2). Sizes are in luma samples.
struct XpsnrGrid {
  explicit XpsnrGrid(const PictureFormat& picture);

  int blocks() const { return columns * rows; }
  int Left(int column) const { return column * block; }
  int Top(int row) const { return row * block; }
  int Width(int column) const { return std::min(block, format.width - Left(column)); }
  int Height(int row) const { return std::min(block, format.height - Top(row)); }
  /// The part of a plane that lies in a block.
  struct Part {
    int x0, y0, x1, y1;
    int64_t samples() const { return int64_t{x1 - x0} * (y1 - y0); }
  };
  /// samples: a plane of the picture, whose size counts.
  Part PartOf(int plane, const Plane& samples, int column, int row) const;
  /// A block of chroma; sizes are rounded down.
  PictureSize ChromaBlock() const;
  /// The positions of a block's activity, in the picture: those whose neighbours lie inside of it; may be empty.
  Part Inner(int column, int row) const;

  PictureFormat format;
  int block;         // the side of a block
  bool is_weighted;  // false: the picture is too small for blocks, and is one without a weight
  bool is_big;       // activities are those of cells of 2x2 samples
  int columns, rows;
};

enum class XpsnrOrder { kNone, kFirst, kSecond };  // of changes over time

/// The options.
struct XpsnrSettings {
  XpsnrOrder order;
  std::string key_suffix;  // of outputs
};

/// The input of the sums.
struct XpsnrFrame {
  std::array<Plane, 3> reference, distorted;
  const Plane* before = nullptr;  // luma of the reference's earlier pictures; null where there is none
  const Plane* before_that = nullptr;
  XpsnrOrder order = XpsnrOrder::kFirst;
};

/// Row buffers of one thread.
struct XpsnrBuffers : Workspace {
  explicit XpsnrBuffers(const XpsnrGrid& grid);

  static constexpr int kPadding = 64;  // columns beyond the picture

  std::vector<uint32_t> pairs;   // sums of pairs of columns: of errors, activities and changes
  std::vector<std::byte> zeros;  // a row of samples before the clip
};

/// The sums of one row of blocks, XPSNR_WORDS per block, with SIMD (Highway).
void XpsnrBlockRow(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words,
                   XpsnrBuffers& buffers);

/// The same in plain loops, the reference implementation.
void XpsnrBlockRowRef(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words);

/// The weighted sum of squared errors of each plane, from the sums of all blocks (docs/spec/beyond.md 2.3 to 2.5).
std::array<int64_t, 3> XpsnrErrors(const XpsnrGrid& grid, std::span<const int64_t> words);

/// The mean in dB of `frames` frames of a plane of `samples` whose roots of weighted errors add up to `roots`
/// (docs/spec/beyond.md 2.5, 2.6); `otherwise` where those are too small for it.
double XpsnrDecibels(int bit_depth, int64_t samples, double roots, int64_t frames, double otherwise);

extern const Metric kXpsnrMetric;

}  // namespace acutance
