#include "backend/emu/fiber.h"

#include <utility>
#include <vector>

#include "backend/emu/sanitizer_fibers.h"

namespace acutance {
namespace {

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

Fiber::Fiber() : stack_(TakeStack()), context_inside_(context.Take()) {}

Fiber::~Fiber() {
  context.GiveBack();
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
  sanitizer::CleanStack(stack_.memory.get(), stack_.bytes);
  PrepareStack(inside_, stack_.memory.get(), stack_.bytes, &Fiber::Main);
}

void Fiber::SwitchIn() {
  Fiber* resumer = running;
  running = this;
  void* fake_stack = nullptr;
  context_outside_ = sanitizer::CurrentFiber();
  sanitizer::StartSwitch(&fake_stack, stack_.memory.get(), stack_.bytes, context_inside_);
  SwitchStack(outside_, inside_);
  sanitizer::FinishSwitch(fake_stack, nullptr, nullptr);
  running = resumer;
}

void Fiber::SwitchOut() {
  sanitizer::StartSwitch(&fake_stack_inside_, outside_stack_, outside_bytes_, context_outside_);
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
