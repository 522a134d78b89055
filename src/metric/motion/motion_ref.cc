#include "metric/motion/motion_ref.h"

#include <cstdlib>
#include <vector>

#include "image/border.h"
#include "metric/motion/motion_math.h"

namespace acutance {
namespace {

template <class Sample>
int64_t Difference(const Plane& earlier, const Plane& current, int x, int y) {
  return int64_t{earlier.Row<Sample>(y)[x]} - int64_t{current.Row<Sample>(y)[x]};
}

template <class Sample>
std::vector<int64_t> FilterColumns(const Plane& earlier, const Plane& current, int bit_depth, int y) {
  std::vector<int64_t> row(current.width);
  for (int x = 0; x < current.width; ++x) {
    int64_t sum = int64_t{1} << (bit_depth - 1);
    for (int k = -2; k <= 2; ++k)
      sum += kMotionTaps[k + 2] * Difference<Sample>(earlier, current, x, MirrorIndex(y + k, current.height));
    row[x] = sum >> bit_depth;
  }
  return row;
}

int64_t FilterRowSad(const std::vector<int64_t>& row) {
  const int width = static_cast<int>(row.size());
  int64_t sad = 0;
  for (int x = 0; x < width; ++x) {
    int64_t sum = 32768;
    for (int k = -2; k <= 2; ++k) sum += kMotionTaps[k + 2] * row[MirrorIndex(x + k, width)];
    sad += std::abs(sum >> 16);
  }
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
