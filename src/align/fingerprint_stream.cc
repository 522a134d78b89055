#include "align/fingerprint_stream.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

constexpr int kMostThreads = 4;  // more take the cores that feed a device

size_t BytesOf(const Picture& picture) {
  size_t bytes = 0;
  for (const Plane& plane : picture.planes)
    if (plane.data != nullptr) bytes += static_cast<size_t>(std::abs(plane.stride)) * static_cast<size_t>(plane.height);
  return bytes;
}

}  // namespace

FingerprintStream::FingerprintStream(std::shared_ptr<ThreadPool> crew)
    : crew_(std::move(crew)), slots_(std::make_shared<Slots>()) {}

void FingerprintStream::Make(Slots& slots, Slot& slot) noexcept {
  const Status made = CatchExceptions([&] {
    slot.fingerprint = FingerprintOf(slot.picture);
    return Status();
  });
  if (made.ok()) slot.picture = {};
  const std::lock_guard lock(slots.mutex);
  slot.state = made.ok() ? Slot::kMade : Slot::kFailed;
  slots.finished.notify_all();
}

void FingerprintStream::Add(Picture picture) {
  const size_t bytes = BytesOf(picture);
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(slots_->mutex);
    slot = &slots_->waiting.emplace_back(Slot{.picture = std::move(picture), .fingerprint = {}});
  }
  const auto make = [slots = slots_, slot] { Make(*slots, *slot); };
  if (crew_) crew_->RunSoon(bytes, make);
  else make();
}

std::vector<FrameFingerprint> FingerprintStream::TakeFirst(Slots& slots, size_t count) {
  std::vector<FrameFingerprint> taken;
  taken.reserve(count);
  for (; count > 0; --count) {
    Slot& slot = slots.waiting.front();
    // Once more, in a thread whose exceptions are errors of the run.
    taken.push_back(slot.state == Slot::kMade ? slot.fingerprint : FingerprintOf(slot.picture));
    slots.waiting.pop_front();
  }
  return taken;
}

std::vector<FrameFingerprint> FingerprintStream::TakeMade() {
  const std::lock_guard lock(slots_->mutex);
  const auto first = std::ranges::find(slots_->waiting, Slot::kWaits, &Slot::state);
  return TakeFirst(*slots_, static_cast<size_t>(first - slots_->waiting.begin()));
}

std::vector<FrameFingerprint> FingerprintStream::TakeAll() {
  std::unique_lock lock(slots_->mutex);
  const size_t count = slots_->waiting.size();
  for (size_t i = 0; i < count; ++i)
    slots_->finished.wait(lock, [&] { return slots_->waiting[i].state != Slot::kWaits; });
  return TakeFirst(*slots_, count);
}

std::shared_ptr<ThreadPool> MakeFingerprintCrew(int threads) {
  return std::make_shared<ThreadPool>(threads > 1 ? std::min((threads + 3) / 4, kMostThreads) : 0,
                                      ThreadPool::Mode::kThreads);
}

}  // namespace acutance
