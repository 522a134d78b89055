// Memory for pictures, taken up again as soon as the last reader of a picture lets go of it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/status.h"

namespace acutance {

/// Buffers of one size, aligned to 64 bytes, not cleared. The pool holds as many as were in use at once, no more, and
/// gives its memory back when it and the last buffer are gone. Buffers may be dropped on any thread.
class BufferPool {
 public:
  explicit BufferPool(size_t bytes);
  Result<std::shared_ptr<std::byte>> Get();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace acutance
