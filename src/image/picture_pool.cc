#include "image/picture_pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace acutance {

/// Free memory is a list whose links lie in that memory, so that giving back needs none.
class PicturePool::FreeBlocks {
 public:
  ~FreeBlocks() {
    while (first_) FreePictureMemory(std::exchange(first_, first_->next));
  }

  void* Take(size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      for (Block** link = &first_; *link; link = &(*link)->next)
        if ((*link)->bytes == bytes) return std::exchange(*link, (*link)->next);
    }
    return AllocatePictureMemory(bytes);
  }

  void Give(void* memory, size_t bytes) {
    const std::lock_guard lock(mutex_);
    first_ = new (memory) Block{first_, bytes};
  }

 private:
  struct Block {
    Block* next;
    size_t bytes;
  };
  static_assert(sizeof(Block) <= PictureLayout::kAlign);  // as large as the smallest picture

  std::mutex mutex_;
  Block* first_ = nullptr;
};

PicturePool::PicturePool() : free_(std::make_shared<FreeBlocks>()) {}

std::shared_ptr<std::byte> PicturePool::AllocateBytes(size_t bytes) {
  bytes = std::max(bytes, PictureLayout::kAlign);
  void* memory = free_->Take(bytes);
  if (!memory) return nullptr;
  return {static_cast<std::byte*>(memory), [free = free_, bytes](void* block) { free->Give(block, bytes); }};
}

Result<MutablePicture> PicturePool::Allocate(const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(const PictureLayout layout, LayOutPicture(format));
  std::shared_ptr<std::byte> memory = AllocateBytes(layout.bytes);
  if (!memory) return NoMemoryForPicture(layout);
  return layout.In(std::move(memory));
}

}  // namespace acutance
