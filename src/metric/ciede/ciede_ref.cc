#include <algorithm>

#include "metric/ciede/ciede.h"

namespace acutance {
namespace {

using namespace ciede;

int SampleAt(const Plane& plane, int bit_depth, int x, int y) {
  return bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
}

int ChromaAt(const Plane& plane, int bit_depth, const CiedeChroma& chroma, int x, int y) {
  switch (chroma.format) {
    case PixelFormat::k420:
      return SampleAt(plane, bit_depth, std::min(x / 2, plane.width - 1), std::min(y / 2, plane.height - 1));
    case PixelFormat::k422: {
      const int column = x % chroma.stride, row = std::min(y / 2 + x / chroma.stride, plane.height - 1);
      return column < plane.width ? SampleAt(plane, bit_depth, column, row) : 0;
    }
    default:
      return SampleAt(plane, bit_depth, x, y);
  }
}

CiedeLab LabAt(const CiedePicture& picture, int bit_depth, const CiedeChroma& chroma, int x, int y) {
  const int unit = 1 << (bit_depth - 8);
  const int luma = SampleAt(picture.planes[0], bit_depth, x, y);
  const int cb = ChromaAt(picture.planes[1], bit_depth, chroma, x, y);
  const int cr = ChromaAt(picture.planes[2], bit_depth, chroma, x, y);
  return lab_of(luma - 16 * unit, cb - 128 * unit, cr - 128 * unit, steps_of(unit));
}

}  // namespace

double CiedeRowRef(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth,
                   const CiedeChroma& chroma, int y) {
  double sum = 0;
  for (int x = 0; x < reference.planes[0].width; ++x)
    sum += static_cast<double>(
        colour_difference(LabAt(reference, bit_depth, chroma, x, y), LabAt(distorted, bit_depth, chroma, x, y)));
  return sum;
}

}  // namespace acutance
