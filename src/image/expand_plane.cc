#include "image/expand_plane.h"

namespace acutance {
namespace {

template <class Sample>
void ShiftPlane(const Plane& from, int shift, std::byte* to, ptrdiff_t stride) {
  for (int y = 0; y < from.height; ++y) {
    const Sample* in = from.Row<Sample>(y);
    auto* out = reinterpret_cast<uint16_t*>(to + y * stride);
    for (int x = 0; x < from.width; ++x) out[x] = static_cast<uint16_t>(in[x] << shift);
  }
}

}  // namespace

void ExpandPlane(const Plane& plane, int from_depth, int to_depth, std::byte* to, ptrdiff_t stride) {
  const int shift = to_depth - from_depth;
  if (from_depth == 8) ShiftPlane<uint8_t>(plane, shift, to, stride);
  else ShiftPlane<uint16_t>(plane, shift, to, stride);
}

}  // namespace acutance
