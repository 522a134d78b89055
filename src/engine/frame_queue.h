// Queue of frames that wait for devices. The device that is free first takes the next batch.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/frame_job.h"

namespace acutance {

class FrameQueue {
 public:
  using Jobs = std::vector<std::shared_ptr<FrameJob>>;

  /// consecutive: the frames of a batch must follow one another, for metrics that compare them.
  explicit FrameQueue(bool consecutive) : consecutive_(consecutive) {}

  /// Registers a device that takes batches of `batch` frames.
  void Join(int batch);

  /// Takes back the unfinished frames of a device that failed, in order.
  void GiveBack(Jobs unfinished);

  /// Removes a device. Other devices take the frames, or after the last device the CPU, which then does all later
  /// frames too.
  void Leave();

  /// Frames are added in order.
  void Add(std::shared_ptr<FrameJob> job);

  /// No more frames follow, so that batches need not be full.
  void Drain();
  /// After a drain: the frames of another video follow.
  void Resume();

  /// Drops the waiting frames; devices get no more.
  void Stop();

  /// How long a batch that is not full waits for each further frame.
  using Patience = std::function<std::chrono::microseconds()>;

  /// The next batch: waits for `batch` frames, or fewer where no more can join them or none came for a while. Empty:
  /// stopped, or `cancelled` became true (with Wake). patience: asked once there is a frame; null: a session's.
  Jobs Take(int batch, const std::atomic<bool>& cancelled, const Patience& patience = nullptr);
  void Wake();

 private:
  bool StopOne();
  size_t RunLength(int batch) const;
  bool IsReady(int batch) const;

  const bool consecutive_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<FrameJob>> waiting_;
  int64_t added_ = 0;
  int devices_ = 0;
  int smallest_batch_ = 0;
  bool draining_ = false;
  bool stopped_ = false;
};

}  // namespace acutance
