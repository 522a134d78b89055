#include "image/rectangle.h"

#include <fmt/format.h>

namespace acutance {

std::string ToText(const Rectangle& rectangle) {
  return fmt::format("{}:{}:{}:{}", rectangle.width, rectangle.height, rectangle.x, rectangle.y);
}

int ChromaStepX(PixelFormat format) { return format == PixelFormat::k420 || format == PixelFormat::k422 ? 2 : 1; }
int ChromaStepY(PixelFormat format) { return format == PixelFormat::k420 ? 2 : 1; }

Rectangle AlignToChroma(const Rectangle& rectangle, PixelFormat pixel_format) {
  const int step_x = ChromaStepX(pixel_format), step_y = ChromaStepY(pixel_format);
  const int x = (rectangle.x + step_x - 1) / step_x * step_x, y = (rectangle.y + step_y - 1) / step_y * step_y;
  return {(rectangle.x + rectangle.width - x) / step_x * step_x, (rectangle.y + rectangle.height - y) / step_y * step_y,
          x, y};
}

}  // namespace acutance
