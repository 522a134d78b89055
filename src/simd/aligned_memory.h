// Memory for vectors.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>

namespace acutance {

/// Throws std::bad_alloc where there is no memory, for which Highway returns null.
template <class T>
hwy::AlignedFreeUniquePtr<T[]> AllocateVectors(size_t count) {
  hwy::AlignedFreeUniquePtr<T[]> memory = hwy::AllocateAligned<T>(count);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace acutance
