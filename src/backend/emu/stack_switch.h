// Leaving one stack in the middle for another, in the few instructions that it takes: an emulated launch does it a
// million times, and swapcontext() asks the kernel for the signal mask each time.
#pragma once

#if defined(__x86_64__) && !defined(ACU_EMU_UCONTEXT)
#define ACU_EMU_OWN_SWITCH
#else
#include <ucontext.h>
#endif

#include <cstddef>

namespace acutance {

/// Where a stack was left.
struct StackPoint {
#if defined(ACU_EMU_OWN_SWITCH)
  void* top = nullptr;
#else
  ucontext_t context;
#endif
};

/// Makes `point` the beginning of `main` on a stack of its own. `main` must not return.
void PrepareStack(StackPoint& point, std::byte* stack, size_t bytes, void (*main)());

/// Leaves here, to be found again in `from`, and goes on at `to`.
void SwitchStack(StackPoint& from, StackPoint& to);

}  // namespace acutance
