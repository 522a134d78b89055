// Memory for pictures, recycled when the last reference to a picture is dropped.
#pragma once

#include <cstddef>
#include <memory>

#include "base/status.h"

namespace acutance {

/// Buffers of one size, aligned to 64 bytes, not cleared. The pool holds as many as were in use
/// at once and frees its memory when it and the last buffer are gone. Any thread may drop a
/// buffer.
class BufferPool {
 public:
  explicit BufferPool(size_t bytes);
  Result<std::shared_ptr<std::byte>> Get();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace acutance
