#include "metric/block_sums.h"

namespace acutance {

std::vector<int64_t> AddUp(const BlockGrid& grid, std::span<const int64_t> sums) {
  const size_t count = sums.size() / grid.count();
  std::vector<int64_t> total(count);
  for (size_t i = 0; i < sums.size(); ++i) total[i % count] += sums[i];
  return total;
}

}  // namespace acutance
