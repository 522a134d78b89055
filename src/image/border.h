// Border rules of the metrics (spec: whole-sample mirror without repeating the edge).
#pragma once

namespace acutance {

/// Index -k reads k, index n-1+k reads n-1-k. Valid for -n < i < 2n-1.
constexpr int MirrorIndex(int i, int n) {
  if (i < 0) i = -i;
  return i < n ? i : 2 * n - 2 - i;
}

}  // namespace acutance
