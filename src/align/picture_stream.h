// Values of a video's pictures, computed in the background while the pictures pass.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/exception_barrier.h"
#include "base/threads/thread_pool.h"
#include "image/picture.h"

namespace acutance {

/// The values of pictures, in order. One thread adds pictures, one takes values.
template <class Value>
class PictureStream {
 public:
  /// Computes the value of a picture, after the picture before it or an empty one. Any thread.
  using Maker = std::function<Value(const Picture& picture, const Picture& before)>;

  /// crew: null for none.
  PictureStream(std::shared_ptr<ThreadPool> crew, Maker make)
      : crew_(std::move(crew)), slots_(std::make_shared<Slots>(std::move(make))) {}

  /// before: empty where values do not depend on it.
  void Add(Picture picture, Picture before = {}) {
    const size_t bytes = BytesOf(picture);
    Slot* slot = nullptr;
    {
      const std::lock_guard lock(slots_->mutex);
      slot = &slots_->waiting.emplace_back(Slot{std::move(picture), std::move(before), {}});
    }
    const auto make = [slots = slots_, slot] { Make(*slots, *slot); };
    if (crew_) crew_->RunSoon(bytes, make);
    else make();
  }

  /// The values that were not taken yet, up to the first that is not computed yet.
  std::vector<Value> TakeMade() {
    const std::lock_guard lock(slots_->mutex);
    size_t made = 0;
    while (made < slots_->waiting.size() && slots_->waiting[made].state != Slot::kWaits) ++made;
    return TakeFirst(*slots_, made);
  }

  /// The values of all pictures so far that were not taken yet.
  std::vector<Value> TakeAll() {
    std::unique_lock lock(slots_->mutex);
    const size_t count = slots_->waiting.size();
    for (size_t i = 0; i < count; ++i)
      slots_->finished.wait(lock, [&] { return slots_->waiting[i].state != Slot::kWaits; });
    return TakeFirst(*slots_, count);
  }

 private:
  struct Slot {
    Picture picture, before;
    Value value;
    enum { kWaits, kMade, kFailed } state = kWaits;
  };
  struct Slots {
    explicit Slots(Maker maker) : make(std::move(maker)) {}
    const Maker make;
    std::mutex mutex;
    std::condition_variable finished;
    std::deque<Slot> waiting;  // from the first that was not taken
  };

  static size_t BytesOf(const Picture& picture) {
    size_t bytes = 0;
    for (const Plane& plane : picture.planes)
      if (plane.data != nullptr)
        bytes += static_cast<size_t>(std::abs(plane.stride)) * static_cast<size_t>(plane.height);
    return bytes;
  }

  static void Make(Slots& slots, Slot& slot) noexcept {
    const Status made = CatchExceptions([&] {
      slot.value = slots.make(slot.picture, slot.before);
      return Status();
    });
    if (made.ok()) slot.picture = slot.before = {};
    const std::lock_guard lock(slots.mutex);
    slot.state = made.ok() ? Slot::kMade : Slot::kFailed;
    slots.finished.notify_all();
  }

  static std::vector<Value> TakeFirst(Slots& slots, size_t count) {
    std::vector<Value> taken;
    taken.reserve(count);
    for (; count > 0; --count) {
      Slot& slot = slots.waiting.front();
      // Once more, in a thread whose exceptions are errors of the run.
      taken.push_back(slot.state == Slot::kMade ? std::move(slot.value) : slots.make(slot.picture, slot.before));
      slots.waiting.pop_front();
    }
    return taken;
  }

  const std::shared_ptr<ThreadPool> crew_;
  const std::shared_ptr<Slots> slots_;
};

}  // namespace acutance
