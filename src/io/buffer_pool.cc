#include "io/buffer_pool.h"

#include <mutex>
#include <new>
#include <vector>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

constexpr std::align_val_t kAlign{64};

}  // namespace

struct BufferPool::State {
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlign); }
  };

  explicit State(size_t size) : bytes(size) {}
  const size_t bytes;
  std::mutex mutex;
  std::vector<std::unique_ptr<std::byte, Free>> spare;
};

BufferPool::BufferPool(size_t bytes) : state_(std::make_shared<State>(bytes)) {}

Result<std::shared_ptr<std::byte>> BufferPool::Get() {
  std::unique_ptr<std::byte, State::Free> memory;
  {
    std::lock_guard lock(state_->mutex);
    if (!state_->spare.empty()) {
      memory = std::move(state_->spare.back());
      state_->spare.pop_back();
    }
  }
  if (!memory) memory.reset(static_cast<std::byte*>(::operator new(state_->bytes, kAlign, std::nothrow)));
  if (!memory) return Error(StatusCode::kOutOfMemory, "no memory for a picture of {} MB", state_->bytes >> 20);
  auto give_back = [state = state_](std::byte* returned) {
    std::unique_ptr<std::byte, State::Free> owned(returned);
    static_cast<void>(CatchExceptions([&] {  // without room for it among the spare ones, it is freed
      std::lock_guard lock(state->mutex);
      state->spare.push_back(std::move(owned));
      return Status();
    }));
  };
  return std::shared_ptr<std::byte>(memory.release(), std::move(give_back));
}

}  // namespace acutance
