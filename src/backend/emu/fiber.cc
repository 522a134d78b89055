#include "backend/emu/fiber.h"

#include "backend/emu/sanitizer_fibers.h"

namespace acutance {
namespace {

constexpr size_t kStackBytes = 256 * 1024;  // sanitizers multiply the size of frames; untouched pages cost nothing

thread_local Fiber* running = nullptr;

}  // namespace

Fiber::Fiber() : stack_(std::make_unique_for_overwrite<std::byte[]>(kStackBytes)) {
  thread_inside_ = sanitizer::CreateFiber();
}

Fiber::~Fiber() { sanitizer::DestroyFiber(thread_inside_); }

void Fiber::Resume(void (*function)(void*), void* argument) {
  function_ = function;
  argument_ = argument;
  if (fresh_) Start();
  SwitchIn();
}

void Fiber::Start() {
  fresh_ = false;
  sanitizer::CleanStack(stack_.get(), kStackBytes);
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.get();
  inside_.uc_stack.ss_size = kStackBytes;
  inside_.uc_link = nullptr;
  makecontext(&inside_, &Fiber::Main, 0);
}

void Fiber::SwitchIn() {
  Fiber* resumer = running;
  running = this;
  void* fake_stack = nullptr;
  thread_outside_ = sanitizer::CurrentFiber();
  sanitizer::StartSwitch(&fake_stack, stack_.get(), kStackBytes, thread_inside_);
  swapcontext(&outside_, &inside_);
  sanitizer::FinishSwitch(fake_stack, nullptr, nullptr);
  running = resumer;
}

void Fiber::SwitchOut() {
  sanitizer::StartSwitch(&fake_stack_inside_, outside_stack_, outside_bytes_, thread_outside_);
  swapcontext(&inside_, &outside_);
  sanitizer::FinishSwitch(fake_stack_inside_, &outside_stack_, &outside_bytes_);
}

void Fiber::Yield() { running->SwitchOut(); }

void Fiber::Main() {
  Fiber* self = running;
  sanitizer::FinishSwitch(nullptr, &self->outside_stack_, &self->outside_bytes_);
  for (;;) {
    self->function_(self->argument_);
    self->SwitchOut();
  }
}

}  // namespace acutance
