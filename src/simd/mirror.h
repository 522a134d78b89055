// Borders of rows in buffers that have space beyond both ends (metric/blocks/border.kernel.h has the rule).
#pragma once

namespace acutance {

/// Fills the `reach` places before the first value of a row.
template <class T>
void MirrorBefore(T* first, int reach) {
  for (int k = 1; k <= reach; ++k) first[-k] = first[k];
}

/// Fills the `reach` places after the last value of a row.
template <class T>
void MirrorAfter(T* last, int reach) {
  for (int k = 1; k <= reach; ++k) last[k] = last[-k];
}

}  // namespace acutance
