// Session on a device that scores the pairs of several scorers together, in batches.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/shared_device.h"
#include "engine/session.h"

namespace acutance::frames {

/// For features that read no earlier frames. Any thread may call any member.
class PairBatches {
 public:
  /// What a session computes.
  struct Work {
    std::vector<FeatureRequest> features;
    PictureFormat format;
    bool operator==(const Work& other) const;
  };

  /// Called with a device's failure, after which the CPU continues.
  using Warn = std::function<void(const std::string&)>;

  /// The session for this work on this device: that of other scorers, or a new one. Null where the device cannot do it.
  /// warn: called while it exists; null: nothing is.
  static std::shared_ptr<PairBatches> Find(const std::shared_ptr<SharedDevice>& device, const Work& work,
                                           const std::shared_ptr<const Warn>& warn);
  PairBatches() = default;
  ~PairBatches();
  PairBatches(const PairBatches&) = delete;

  using Receiver = std::function<void(std::span<const MetricRun> metrics, std::span<const RunResult> results)>;
  /// Scores a pair, with those that other threads score meanwhile, and calls `receive` before it returns. After a
  /// failure, which may be another pair's, nothing reads the pictures and no later pair is scored.
  Status Score(Picture reference, Picture distorted, const Receiver& receive);

 private:
  struct Request {
    const Receiver& receive;
    bool is_done = false;
    Status status{};
  };

  Status Open(SharedDevice& device, const Work& work);
  bool Join(const std::shared_ptr<const Warn>& warn);
  void Tell(const std::string& warning);
  void Deliver(std::span<FrameResults* const> frames);
  void Fail(const Status& status);
  void End();

  std::mutex adding_;  // guards the session; before the other
  std::unique_ptr<Session> session_;
  std::span<const MetricRun> metrics_;  // of the session

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Request*> requests_;  // in the order of the session's frames
  Status failure_;
  std::vector<std::weak_ptr<const Warn>> warns_;  // of the scorers
};

/// How devices take the pairs of scorers.
FrameGathering GatheringOf(const PictureFormat& format);

}  // namespace acutance::frames
