#include "backend/emu/fiber.h"

#include <utility>
#include <vector>

#include "backend/emu/sanitizer_fibers.h"

namespace acutance {
namespace {

constexpr size_t kStackBytes = 256 * 1024;  // sanitizers multiply the size of frames; untouched pages cost nothing

thread_local Fiber* running = nullptr;

// Of this thread, in use by no fiber: fresh memory would cost each launch some hundred page faults.
thread_local std::vector<std::unique_ptr<std::byte[]>> spare_stacks;

std::unique_ptr<std::byte[]> TakeStack() {
  if (spare_stacks.empty()) return std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  std::unique_ptr<std::byte[]> stack = std::move(spare_stacks.back());
  spare_stacks.pop_back();
  return stack;
}

}  // namespace

Fiber::Fiber() : stack_(TakeStack()), thread_inside_(sanitizer::CreateFiber()) {}

Fiber::~Fiber() {
  sanitizer::DestroyFiber(thread_inside_);
  spare_stacks.push_back(std::move(stack_));
}

void Fiber::Resume(void (*function)(void*), void* argument) {
  function_ = function;
  argument_ = argument;
  if (fresh_) Start();
  SwitchIn();
}

void Fiber::Start() {
  fresh_ = false;
  sanitizer::CleanStack(stack_.get(), kStackBytes);
  PrepareStack(inside_, stack_.get(), kStackBytes, &Fiber::Main);
}

void Fiber::SwitchIn() {
  Fiber* resumer = running;
  running = this;
  void* fake_stack = nullptr;
  thread_outside_ = sanitizer::CurrentFiber();
  sanitizer::StartSwitch(&fake_stack, stack_.get(), kStackBytes, thread_inside_);
  SwitchStack(outside_, inside_);
  sanitizer::FinishSwitch(fake_stack, nullptr, nullptr);
  running = resumer;
}

void Fiber::SwitchOut() {
  sanitizer::StartSwitch(&fake_stack_inside_, outside_stack_, outside_bytes_, thread_outside_);
  SwitchStack(inside_, outside_);
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
