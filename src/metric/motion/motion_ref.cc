#include "metric/motion/motion.h"

#include <cstdlib>
#include <vector>

#include "metric/blocks/border.h"

namespace acutance {
namespace {

template <class Sample>
int32_t Difference(const Plane& earlier, const Plane& current, int x, int y) {
  return int32_t{earlier.Row<Sample>(y)[x]} - int32_t{current.Row<Sample>(y)[x]};
}

/// The filter around value i of n, mirrored.
template <class Value>
int32_t Filter(int i, int n, int shift, Value value) {
  const auto at = [&](int k) { return value(mirror_index(i + k, n)); };
  return motion::round_shift(motion::lowpass(at(-2), at(-1), at(0), at(1), at(2)), shift);
}

template <class Sample>
std::vector<int32_t> FilterColumns(const Plane& earlier, const Plane& current, int bit_depth, int y) {
  std::vector<int32_t> row(current.width);
  for (int x = 0; x < current.width; ++x)
    row[x] = Filter(y, current.height, bit_depth, [&](int i) { return Difference<Sample>(earlier, current, x, i); });
  return row;
}

int64_t FilterRowSad(const std::vector<int32_t>& row) {
  const int width = static_cast<int>(row.size());
  int64_t sad = 0;
  for (int x = 0; x < width; ++x) sad += std::abs(Filter(x, width, motion::kTapBits, [&](int i) { return row[i]; }));
  return sad;
}

}  // namespace

int64_t MotionSadRef(const Plane& earlier, const Plane& current, int bit_depth, RowBand band) {
  const auto filter_columns = bit_depth > 8 ? FilterColumns<uint16_t> : FilterColumns<uint8_t>;
  int64_t sad = 0;
  for (int y = band.begin; y < band.end; ++y) sad += FilterRowSad(filter_columns(earlier, current, bit_depth, y));
  return sad;
}

}  // namespace acutance
