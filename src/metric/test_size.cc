#include "metric/test_size.h"

namespace acutance {
namespace {

constexpr int kStep = 8, kLargest = 1024, kQuick = 200;

bool Takes(const Metric& metric, PictureSize size, PixelFormat pixel_format) {
  return MakeExtractor(metric, OptionValues(metric.options), {size.width, size.height, 8, pixel_format}).ok();
}

}  // namespace

PictureSize TestSizeOf(const Metric& metric) {
  if (Takes(metric, metric.smallest, PixelFormat::k444)) return metric.smallest;
  for (int side = kStep; side < kLargest; side += kStep)
    if (const int twice = side < kQuick ? 2 * side : side; Takes(metric, {side, side}, PixelFormat::k420))
      return {twice, twice};
  return metric.smallest;
}

}  // namespace acutance
