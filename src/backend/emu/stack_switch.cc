#include "backend/emu/stack_switch.h"

#include <cstdint>
#include <cstring>

#if defined(ACU_EMU_OWN_SWITCH)

// The System V ABI lets a callee keep six registers and the return address. No kernel changes the
// floating-point modes, so that they are not switched.
asm(R"(
.pushsection .text
.balign 16
.hidden acu_switch_stack
.globl acu_switch_stack
.type acu_switch_stack, @function
acu_switch_stack:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size acu_switch_stack, . - acu_switch_stack
.popsection
)");

extern "C" void acu_switch_stack(void** from, void* to);

namespace acutance {

void PrepareStack(StackPoint& point, std::byte* stack, size_t bytes, void (*main)()) {
  constexpr size_t kRegisters = 6;
  // From low to high: registers, the address to "return" to, and the return address of main, which has none. At the
  // first instruction of a function the stack's end is 8 beyond a multiple of 16.
  uintptr_t top = (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t{15};
  top -= sizeof(uint64_t) * (kRegisters + 2);
  uint64_t frame[kRegisters + 2] = {};
  frame[kRegisters] = reinterpret_cast<uintptr_t>(main);
  point.top = reinterpret_cast<void*>(top);
  std::memcpy(point.top, frame, sizeof(frame));
}

void SwitchStack(StackPoint& from, StackPoint& to) { acu_switch_stack(&from.top, to.top); }

}  // namespace acutance

#else

namespace acutance {

void PrepareStack(StackPoint& point, std::byte* stack, size_t bytes, void (*main)()) {
  getcontext(&point.context);
  point.context.uc_stack.ss_sp = stack;
  point.context.uc_stack.ss_size = bytes;
  point.context.uc_link = nullptr;
  makecontext(&point.context, main, 0);
}

void SwitchStack(StackPoint& from, StackPoint& to) { swapcontext(&from.context, &to.context); }

}  // namespace acutance

#endif
