#include "backend/emu/fiber.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "backend/emu/sanitizer_fibers.h"
#include "base/threads/exception_barrier.h"

// Switches from one stack to another in a few instructions: an emulated launch switches a million times, and
// swapcontext() makes a system call for the signal mask each time.
#if defined(ACU_EMU_OWN_SWITCH)

// The System V ABI has a callee preserve six registers and the return address. No kernel changes the floating-point
// modes, so that they are not switched.
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
#endif

namespace acutance {
namespace {

#if defined(ACU_EMU_OWN_SWITCH)

/// Makes `point` the beginning of `main` on a stack of its own. `main` must not return.
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

/// Stores the current point in `from` and continues at `to`.
void SwitchStack(StackPoint& from, StackPoint& to) { acu_switch_stack(&from.top, to.top); }

#else

void PrepareStack(StackPoint& point, std::byte* stack, size_t bytes, void (*main)()) {
  getcontext(&point.context);
  point.context.uc_stack.ss_sp = stack;
  point.context.uc_stack.ss_size = bytes;
  point.context.uc_link = nullptr;
  makecontext(&point.context, main, 0);
}

void SwitchStack(StackPoint& from, StackPoint& to) { swapcontext(&from.context, &to.context); }

#endif

constexpr size_t kStackBytes = 256 * 1024;  // sanitizers multiply the size of frames; untouched pages cost nothing

thread_local Fiber* running = nullptr;

// Stacks of this thread that no fiber uses. Fresh memory would cost each launch some hundred page
// faults.
thread_local std::vector<FiberStack> spare_stacks;

/// Stacks lie a multiple of a page apart. If all began at the same place in a page, they would share a few sets of the
/// first cache, so each begins a line further.
size_t BytesOfStack(size_t number) {
  constexpr size_t kLine = 64, kPage = 4096;
  return kStackBytes - number * kLine % kPage;
}

/// One sanitizer context for all fibers of a thread: the time that the thread sanitizer takes for
/// a switch grows with the number of contexts. Its reports mix up the calls of these fibers
/// alone.
class SharedContext {
 public:
  void* Take() {
    if (users_++ == 0) context_ = sanitizer::CreateFiber();
    return context_;
  }
  void GiveBack() {
    if (--users_ == 0) sanitizer::DestroyFiber(context_);
  }

 private:
  void* context_ = nullptr;
  int users_ = 0;
};

thread_local SharedContext context;

FiberStack TakeStack() {
  static thread_local size_t made = 0;
  if (spare_stacks.empty()) return {std::make_unique_for_overwrite<std::byte[]>(kStackBytes), BytesOfStack(made++)};
  FiberStack stack = std::move(spare_stacks.back());
  spare_stacks.pop_back();
  return stack;
}

}  // namespace

Fiber::Fiber(void (*function)(void*), void* argument)
    : function_(function), argument_(argument), stack_(TakeStack()), context_(context.Take()) {}

Fiber::~Fiber() {
  context.GiveBack();
  static_cast<void>(CatchExceptions([this] {  // without room for it among the spare ones, it is freed
    spare_stacks.push_back(std::move(stack_));
    return Status();
  }));
}

void Fiber::Resume() {
  Fiber* const resumer = running;
  Outside outside;
  outside.context = sanitizer::CurrentFiber();
  outside_ = &outside;
  void* fake_stack = nullptr;
  SwitchIn(outside.point, &fake_stack);
  sanitizer::FinishSwitch(fake_stack, nullptr, nullptr);
  running = resumer;
}

void Fiber::SwitchIn(StackPoint& from, void** fake_stack) {
  if (fresh_) {
    fresh_ = false;
    sanitizer::CleanStack(stack_.memory.get(), stack_.bytes);
    PrepareStack(inside_, stack_.memory.get(), stack_.bytes, &Fiber::Main);
  }
  running = this;
  sanitizer::StartSwitch(fake_stack, stack_.memory.get(), stack_.bytes, context_);
  SwitchStack(from, inside_);
}

void Fiber::SwitchOut() {
  sanitizer::StartSwitch(&fake_stack_, outside_->stack, outside_->bytes, outside_->context);
  SwitchStack(inside_, outside_->point);
  Arrive();
}

void Fiber::Yield() { running->SwitchOut(); }

void Fiber::YieldTo(Fiber& next) {
  Fiber* const self = running;
  next.outside_ = self->outside_;
  next.SwitchIn(self->inside_, &self->fake_stack_);
  self->Arrive();
}

void Fiber::Arrive() {
  const void* stack = nullptr;
  size_t bytes = 0;
  sanitizer::FinishSwitch(fake_stack_, &stack, &bytes);
  if (outside_->stack) return;  // from another fiber
  outside_->stack = stack;
  outside_->bytes = bytes;
}

void Fiber::Main() {
  Fiber* self = running;
  self->fake_stack_ = nullptr;
  self->Arrive();
  for (;;) {
    self->function_(self->argument_);
    self->SwitchOut();
  }
}

}  // namespace acutance
