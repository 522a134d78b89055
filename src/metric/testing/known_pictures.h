// The pictures of the known answers of docs/spec/siblings.md B.1.
#pragma once

#include <algorithm>

#include "metric/testing/pictures.h"

namespace acutance {

/// `t`: frame number.
inline int KnownSample(int plane, int column, int y, int t, bool distorted, int bit_depth) {
  const int x = column + 3 * t;
  int a = 20 + ((2 * x + 3 * y + ((x * y) >> 6) + 11 * plane * y) >> 3) % 160 +
          ((x >> 4) * 7 + (y >> 4) * 13 + 5 * plane) % 9 * 3 + ((5 * x * x + 3 * y * y + 7 * x * y + 13 * t) >> 4) % 5;
  if (distorted) a = (a >> 2) * 4 + ((3 * x * x + 5 * y + x * y + 3 * plane + 29 * t) >> 3) % 4;
  a = std::clamp(a, 0, 255);
  if (bit_depth == 8) return a;
  return (a << 2) + (7 * x + 11 * y + plane + (distorted ? 2 * t : t)) % 4;
}

/// 8 or 10 bits.
inline Picture KnownPicture(int bit_depth, int t, bool distorted) {
  return MakeTestPicture({400, 360, bit_depth, PixelFormat::k420},
                         [&](int p, int x, int y) { return KnownSample(p, x, y, t, distorted, bit_depth); });
}

}  // namespace acutance
