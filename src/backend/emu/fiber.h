// A function with a stack of its own that may stop in the middle and go on when it is resumed, on the thread that made
// it.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/emu/stack_switch.h"

namespace acutance {

struct FiberStack {
  std::unique_ptr<std::byte[]> memory;
  size_t bytes;  // that are used, from its low end
};

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;

  /// Runs `function(argument)` until it yields or returns; if it had yielded, from there. A fiber whose function has
  /// returned starts it again.
  void Resume(void (*function)(void*), void* argument);

  /// Forgets where the function stopped: the next Resume starts it afresh.
  void Abandon() { fresh_ = true; }

  /// Returns to the code that resumed the running fiber.
  static void Yield();

 private:
  static void Main();
  void Start();
  void SwitchIn();
  void SwitchOut();

  FiberStack stack_;
  StackPoint inside_, outside_;
  bool fresh_ = true;
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;

  // State for the sanitizers' view of stacks.
  void* fake_stack_inside_ = nullptr;
  const void* outside_stack_ = nullptr;
  size_t outside_bytes_ = 0;
  void* context_inside_ = nullptr;
  void* context_outside_ = nullptr;
};

}  // namespace acutance
