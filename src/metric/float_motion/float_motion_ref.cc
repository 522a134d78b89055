#include "metric/float_motion/float_motion.h"

#include <cmath>
#include <vector>

#include "metric/blocks/border.h"
#include "metric/blocks/float_samples.h"
#include "metric/blocks/words.h"

namespace acutance {
namespace {

using Row = std::vector<float>;

/// A row of the blurred plane: first the columns, then the row.
Row Blur(const Plane& plane, int bit_depth, std::span<const float> taps, int y) {
  const int radius = static_cast<int>(taps.size()) / 2;
  Row columns(plane.width), row(plane.width);
  for (int x = 0; x < plane.width; ++x)
    for (int k = -radius; k <= radius; ++k)
      columns[x] += taps[k + radius] * FloatSample(plane, bit_depth, x, mirror_index(y + k, plane.height));
  for (int x = 0; x < plane.width; ++x)
    for (int k = -radius; k <= radius; ++k) row[x] += taps[k + radius] * columns[mirror_index(x + k, plane.width)];
  return row;
}

/// Where sample i of a side of n, halved, reads: bilinear, mirrored.
struct Position {
  int first;
  int second;
  float weight;  // of the second
};

Position HalfPosition(int i, int n) {
  const float ratio = static_cast<float>(n) / static_cast<float>(HalfLength(n));
  const float center = static_cast<float>((i + 0.5) * ratio - 0.5);
  const int first = mirror_index(static_cast<int>(std::floor(center)), n);
  const int second = mirror_index(static_cast<int>(std::ceil(center)), n);
  return {first, second, center - static_cast<float>(first)};
}

/// A row of the blurred plane, halved.
Row BlurHalf(const Plane& plane, int bit_depth, std::span<const float> taps, int y) {
  const Position vertical = HalfPosition(y, plane.height);
  const Row upper = Blur(plane, bit_depth, taps, vertical.first);
  const Row lower = Blur(plane, bit_depth, taps, vertical.second);
  Row row(HalfLength(plane.width));
  for (size_t x = 0; x < row.size(); ++x) {
    const Position at = HalfPosition(static_cast<int>(x), plane.width);
    row[x] = float_motion::halved_sample(at.weight, vertical.weight, upper[at.first], upper[at.second], lower[at.first],
                                         lower[at.second]);
  }
  return row;
}

}  // namespace

void FloatMotionRowSumsRef(const FloatMotionRefInput& input, RowBand band, int64_t* words) {
  const auto blur = input.half ? BlurHalf : Blur;
  for (int y = band.begin; y < band.end; ++y) {
    const Row earlier = blur(input.earlier, input.bit_depth, input.taps, y);
    const Row current = blur(input.current, input.bit_depth, input.taps, y);
    float sum = 0;
    for (size_t x = 0; x < current.size(); ++x) sum += float_motion::absolute_difference(earlier[x], current[x]);
    words[y] = WordFromFloat(sum);
  }
}

}  // namespace acutance
