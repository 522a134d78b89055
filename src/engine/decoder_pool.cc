#include "engine/decoder_pool.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {

class DecoderPool::Pooled : public DeviceDecoder {
 public:
  Pooled(std::weak_ptr<DecoderPool> pool, Idle mine) : pool_(std::move(pool)), mine_(std::move(mine)) {}

  ~Pooled() override {
    const std::shared_ptr<DecoderPool> pool = pool_.lock();
    if (!pool || !is_between_) return;
    static_cast<void>(CatchExceptions([&] {  // without room for it, it is closed
      pool->GiveBack(std::move(mine_));
      return Status();
    }));
  }

  Status Decode(std::span<const uint8_t> packet, int64_t time, const Show& show) override {
    is_between_ = false;
    return mine_.decoder->Decode(packet, time, show);
  }

  Status Finish(const Show& show) override {
    Status status = mine_.decoder->Finish(show);
    is_between_ = status.ok();
    return status;
  }

 private:
  const std::weak_ptr<DecoderPool> pool_;
  Idle mine_;
  bool is_between_ = true;  // two streams
};

DecoderPool::~DecoderPool() {
  if (process_.forked()) new std::vector<Idle>(std::move(idle_));  // for ever
}

Result<std::unique_ptr<DeviceDecoder>> DecoderPool::Open(const std::string& device, const CodedVideo& video,
                                                         const OpenDeviceDecoder& open) {
  Idle mine{device, video, nullptr};
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(idle_, [&](const Idle& idle) { return idle.device == device && idle.video == video; });
    if (!process_.forked() && found != idle_.end()) {
      mine = std::move(*found);
      idle_.erase(found);
    }
  }
  if (!mine.decoder) {
    ACU_ASSIGN_OR_RETURN(mine.decoder, open(video));
  }
  return std::unique_ptr<DeviceDecoder>(std::make_unique<Pooled>(weak_from_this(), std::move(mine)));
}

/// Those of other videos go first: they hold memory of the device.
void DecoderPool::GiveBack(Idle idle) {
  constexpr size_t kMost = 16;
  Idle surplus;  // is closed after the lock
  const std::lock_guard lock(mutex_);
  if (idle_.size() == kMost) {
    const auto other = std::ranges::find_if(idle_, [&](const Idle& each) { return each.video != idle.video; });
    const auto oldest = other == idle_.end() ? idle_.begin() : other;
    surplus = std::move(*oldest);
    idle_.erase(oldest);
  }
  idle_.push_back(std::move(idle));
}

void DecoderPool::Clear() {
  std::vector<Idle> closed;  // after the lock
  const std::lock_guard lock(mutex_);
  closed.swap(idle_);
}

}  // namespace acutance
