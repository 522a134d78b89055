// Switches from one stack to another in a few instructions. An emulated launch switches a million
// times, and swapcontext() makes a system call for the signal mask each time.
#pragma once

#if defined(__x86_64__) && !defined(ACU_EMU_UCONTEXT)
#define ACU_EMU_OWN_SWITCH
#else
#include <ucontext.h>
#endif

#include <cstddef>

namespace acutance {

/// The point at which a stack was left.
struct StackPoint {
#if defined(ACU_EMU_OWN_SWITCH)
  void* top = nullptr;
#else
  ucontext_t context;
#endif
};

/// Makes `point` the beginning of `main` on a stack of its own. `main` must not return.
void PrepareStack(StackPoint& point, std::byte* stack, size_t bytes, void (*main)());

/// Stores the current point in `from` and continues at `to`.
void SwitchStack(StackPoint& from, StackPoint& to);

}  // namespace acutance
