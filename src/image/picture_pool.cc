#include "image/picture_pool.h"

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

Result<MutablePicture> PicturePool::Allocate(const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(const PictureLayout layout, LayOutPicture(format));
  void* memory = free_->Take(layout.bytes);
  if (!memory) return NoMemoryForPicture(layout);
  const auto give_back = [free = free_, bytes = layout.bytes](void* block) { free->Give(block, bytes); };
  return layout.In(std::shared_ptr<void>(memory, give_back));
}

}  // namespace acutance
