// Frames end in any order and are written in theirs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/frame_job.h"

namespace acutance {

/// One thread at a time.
class ReorderBuffer {
 public:
  using Jobs = std::vector<std::shared_ptr<FrameJob>>;

  /// The first frame that comes.
  void StartAt(int64_t index) { first_ = index; }

  void Put(Jobs jobs);

  /// Whether the next frame has come.
  bool IsReady() const { return !jobs_.empty() && jobs_.front(); }

  /// All frames from the next one on, up to the first that has not come.
  Jobs Take();

  /// Whether so many frames wait for one before them that no more should begin.
  bool IsFull() const;

 private:
  int64_t first_ = 0;
  std::deque<std::shared_ptr<FrameJob>> jobs_;  // of the frames from first_ on; null: has not come
};

}  // namespace acutance
