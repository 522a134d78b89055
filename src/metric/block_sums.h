// Sums of a metric by blocks of the picture, for maps of where a score is lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/damage.h"
#include "base/int_math.h"
#include "base/status.h"
#include "metric/metric.h"

namespace acutance {

/// Squares of `size` luma samples from the top left corner; the last ones may reach beyond the picture.
struct BlockGrid {
  BlockGrid(const PictureFormat& format, int block_size)
      : size(block_size), columns(CeilDiv(format.width, block_size)), rows(CeilDiv(format.height, block_size)) {}

  int count() const { return columns * rows; }
  /// The block of a place that is given in luma samples.
  int at(int x, int y) const { return std::min(y / size, rows - 1) * columns + std::min(x / size, columns - 1); }

  int size, columns, rows;
};

/// How much of a feature is lost in each block, row by row.
struct LossMap {
  std::string feature;         // "vif_scale0"
  std::vector<double> losses;  // they add up to what the feature lacks, except for rounding
  std::optional<Damage> damage{};
};

/// An Extractor whose sums can be distinguished by block.
class BlockSums {
 public:
  virtual ~BlockSums() = default;

  /// Adds the sums of a frame, ExtractorSpec::sums of each block: those of all blocks add up to the frame's, exactly.
  virtual void AddBlocks(const FrameView& frame, const BlockGrid& grid, std::span<int64_t> sums) const = 0;

  /// Loss maps from such sums.
  virtual std::vector<LossMap> Losses(const BlockGrid& grid, std::span<const int64_t> sums) const = 0;
};

/// The sums of all blocks together.
inline std::vector<int64_t> AddUp(const BlockGrid& grid, std::span<const int64_t> sums) {
  const size_t count = sums.size() / grid.count();
  std::vector<int64_t> total(count);
  for (size_t i = 0; i < sums.size(); ++i) total[i % count] += sums[i];
  return total;
}

}  // namespace acutance
