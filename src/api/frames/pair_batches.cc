#include "api/frames/pair_batches.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/environment.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "exec/tuning.h"

namespace acutance::frames {
namespace {

struct Known {
  std::weak_ptr<SharedDevice> device;
  PairBatches::Work work;
  std::weak_ptr<PairBatches> batches;
};

struct Registry {
  std::mutex mutex;  // guards what follows
  std::vector<Known> known;
};

/// Never destroyed: clients may call while the program ends.
Registry& TheRegistry() {
  static Registry& registry = *new Registry();
  return registry;
}

}  // namespace

/// A recorded batch takes as long with fewer pairs, so pictures that fill a device alone are not gathered: several of
/// them are in flight.
FrameGathering GatheringOf(const PictureFormat& format) {
  constexpr int kMany = 8;
  if (const char* asked = Variable("ACUTANCE_FRAME_BATCHES")) {
    int frames = 0, batches = 0;
    if (std::sscanf(asked, "%d:%d", &frames, &batches) == 2 && frames > 0 && batches > 0)
      return {.most_frames = frames, .most_batches = batches};
  }
  switch (ClassifyWorkload(format.width, format.height)) {
    case WorkloadClass::kSmall:
      return {.most_frames = kMany, .most_batches = 4};
    case WorkloadClass::kMedium:
      return {.most_frames = 1, .most_batches = 10};
    default:
      return {.most_frames = 1, .most_batches = 4};
  }
}

bool PairBatches::Work::operator==(const Work& other) const {
  const auto are_same = [](const FeatureRequest& a, const FeatureRequest& b) {
    return a.metric == b.metric && a.options == b.options;
  };
  return format == other.format && std::ranges::equal(features, other.features, are_same);
}

std::shared_ptr<PairBatches> PairBatches::Find(const std::shared_ptr<SharedDevice>& device, const Work& work,
                                               const std::shared_ptr<const Warn>& warn) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.known, [](const Known& known) { return known.batches.expired(); });
  for (const Known& known : registry.known)
    if (known.work == work && known.device.lock() == device)
      if (std::shared_ptr<PairBatches> batches = known.batches.lock(); batches && batches->Join(warn)) return batches;
  auto batches = std::make_shared<PairBatches>();
  batches->Join(warn);
  if (!batches->Open(*device, work).ok()) return nullptr;
  registry.known.push_back({device, work, batches});
  return batches;
}

/// False where the session has failed.
bool PairBatches::Join(const std::shared_ptr<const Warn>& warn) {
  const std::lock_guard lock(mutex_);
  std::erase_if(warns_, [](const auto& other) { return other.expired(); });
  if (warn) warns_.push_back(warn);
  return failure_.ok();
}

void PairBatches::Tell(const std::string& warning) {
  std::vector<std::weak_ptr<const Warn>> warns;
  {
    const std::lock_guard lock(mutex_);
    warns = warns_;
  }
  for (const auto& each : warns)
    if (const std::shared_ptr<const Warn> warn = each.lock(); warn && *warn) (*warn)(warning);
}

/// Fails where nothing would run on the device.
Status PairBatches::Open(SharedDevice& device, const Work& work) {
  constexpr int kMostThreads = 16;  // which score where the device fails
  SessionSpec spec = {
      .features = work.features, .threads = std::min(UsableCpus(), kMostThreads), .format = work.format};
  spec.devices = std::make_shared<DevicePicker>(device.Lend());
  spec.gathering = GatheringOf(work.format);
  spec.writes_scores = false;  // tables would grow with every frame
  spec.on_warning = [this](const std::string& warning) { Tell(warning); };
  spec.on_results = [this](std::span<FrameResults* const> frames) {
    Deliver(frames);
    return Status();
  };
  spec.on_failure = [this](const Status& status) {
    const std::lock_guard lock(mutex_);
    Fail(status);
  };
  ACU_ASSIGN_OR_RETURN(session_, Session::Open(std::move(spec)));
  metrics_ = session_->metric_runs();
  return session_->device() && !session_->RunsOnCpu() ? Status() : Status(StatusCode::kNoDevice, "");
}

PairBatches::~PairBatches() { session_.reset(); }

/// The results of the next frames, in order.
void PairBatches::Deliver(std::span<FrameResults* const> frames) {
  const std::lock_guard lock(mutex_);
  for (const FrameResults* frame : frames) {
    Request& request = *requests_.front();
    requests_.pop_front();
    request.status = CatchExceptions([&] {
      request.receive(metrics_, frame->runs);
      return Status();
    });
    request.is_done = true;
  }
  changed_.notify_all();
}

Status PairBatches::Score(Picture reference, Picture distorted, const Receiver& receive) {
  Request request = {receive};
  {
    const std::lock_guard adding(adding_);
    {
      const std::lock_guard lock(mutex_);
      if (!failure_.ok()) return failure_;
      requests_.push_back(&request);
    }
    std::vector<Picture> pictures;
    pictures.push_back(std::move(distorted));
    const Status status = session_->Add(std::move(reference), std::move(pictures));
    const std::lock_guard lock(mutex_);
    if (!status.ok()) Fail(status);  // frames and requests would no longer be the same
  }
  Status failure;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return request.is_done || !failure_.ok(); });
    if (request.is_done) return request.status;
    failure = failure_;
  }
  End();
  return failure;
}

/// Called with the lock. The first failure stays.
void PairBatches::Fail(const Status& status) {
  if (failure_.ok()) failure_ = status;
  changed_.notify_all();
}

/// Waits until no thread of the session reads pictures or has results.
void PairBatches::End() {
  const std::lock_guard adding(adding_);
  session_.reset();
}

}  // namespace acutance::frames
