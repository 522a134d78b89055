// Memory for vectors.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
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

/// Zeroes at first. Those of a std::vector lie at a line of the cache or across two, by where the system's allocator
/// has room, and each load across two lines counts as two.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(size_t count) : size_(count), values_(AllocateVectors<T>(count)) {
    std::fill_n(values_.get(), count, T());
  }

  size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

 private:
  size_t size_ = 0;
  hwy::AlignedFreeUniquePtr<T[]> values_;
};

}  // namespace acutance
