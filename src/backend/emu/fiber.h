// Fiber: a function with a stack of its own that may stop in the middle and continue when it is resumed, on the thread
// that created it.
#pragma once

#if defined(__x86_64__) && !defined(ACU_EMU_UCONTEXT)
#define ACU_EMU_OWN_SWITCH
#else
#include <ucontext.h>
#endif

#include <cstddef>
#include <memory>

namespace acutance {

/// The point at which a stack was left.
struct StackPoint {
#if defined(ACU_EMU_OWN_SWITCH)
  void* top = nullptr;
#else
  ucontext_t context;
#endif
};

struct FiberStack {
  std::unique_ptr<std::byte[]> memory;
  size_t bytes;  // that are used, from its low end
};

class Fiber {
 public:
  /// Runs `function(argument)` when it is resumed.
  Fiber(void (*function)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;

  /// Runs the function until it yields or returns; if it had yielded, from there. A fiber whose function has returned
  /// starts it again.
  void Resume();

  /// Forgets where the function stopped: the next Resume starts it afresh.
  void Abandon() { fresh_ = true; }

  /// Returns to the code that resumed the running fiber.
  static void Yield();

  /// Stops the running fiber and resumes `next` in its place: where that yields or returns, the code continues that
  /// resumed the running one. One switch of stacks, where a yield and a Resume are two.
  static void YieldTo(Fiber& next);

 private:
  /// The code that resumed a fiber, and what the sanitizers know of its stack.
  struct Outside {
    StackPoint point;
    const void* stack = nullptr;
    size_t bytes = 0;
    void* context = nullptr;
  };

  static void Main();
  void SwitchIn(StackPoint& from, void** fake_stack);
  void SwitchOut();
  void Arrive();

  StackPoint inside_;
  Outside* outside_ = nullptr;  // on the stack of Resume
  bool fresh_ = true;
  void (*const function_)(void*);
  void* const argument_;
  FiberStack stack_;

  // State for the sanitizers' view of stacks.
  void* fake_stack_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace acutance
