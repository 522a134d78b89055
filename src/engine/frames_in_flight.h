// Frames in flight of a session: bounds how many there are and restores their order, in which results are written.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/frame_job.h"

namespace acutance {

/// One thread at a time begins frames; any thread ends them, in any order; one at a time takes those that are in order.
class FramesInFlight {
 public:
  using Jobs = std::vector<std::shared_ptr<FrameJob>>;

  /// Begin blocks while more than `most` frames are in flight, and resumes when `resume_at` are left: one wake-up per
  /// frame would cost more than the frame. The thread that begins frames calls it.
  void SetLimits(int most, int resume_at);

  /// Sets the number of the first frame, while none is in flight.
  void StartAt(int64_t frame);
  void Begin();

  /// Takes frames whose work is done. True: the caller must call TakeReady until it returns none, on any thread.
  [[nodiscard]] bool End(Jobs jobs);

  /// The frames that come next in order, up to the first that is not done. Those of the call before are written now.
  Jobs TakeReady();
  void WaitUntilWritten(int64_t frame);
  int64_t written() const;

  /// Ends all waiting from now on: frames in flight may be lost.
  void Stop();

 private:
  bool IsReady() const { return !done_.empty() && done_.front(); }
  template <class Condition>
  void WaitUntil(std::unique_lock<std::mutex>& lock, Condition&& condition);

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable progressed_;
  int most_ = 0, resume_at_ = 0;
  bool is_waited_for_ = false;
  bool is_stopped_ = false;
  int count_ = 0;
  bool is_writing_ = false;                     // a thread takes what is ready
  int64_t first_ = 0;                           // the next frame to take
  std::deque<std::shared_ptr<FrameJob>> done_;  // from first_ on; null: in flight
  int64_t written_ = 0;
};

}  // namespace acutance
