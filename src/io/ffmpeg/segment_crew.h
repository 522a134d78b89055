// Crew of decoders, each on segments of its own, whose frames come out in the stream's order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "io/ffmpeg/segment.h"

namespace acutance {

class SegmentCrew {
 public:
  /// setup outlives it.
  explicit SegmentCrew(const DecoderSetup& setup) : setup_(setup) {}
  ~SegmentCrew() { End(); }
  SegmentCrew(const SegmentCrew&) = delete;
  SegmentCrew& operator=(const SegmentCrew&) = delete;

  /// The next segment, for one of at most `workers` decoders, each of that many threads.
  void Add(Segment segment, int workers, int threads);

  bool empty() const { return jobs_.empty(); }
  size_t size() const { return jobs_.size(); }
  /// Frames of its segments that Next() has not returned.
  size_t frames() const { return frames_; }

  enum class Event {
    kFrame,
    kEnd,     // of a segment
    kDoubt,   // its frames from here on may not be those of a decoder from the stream's start
    kCancel,  // Stop()
  };
  /// Waits for the next frame of the first segment.
  Event Next(FramePtr& frame);

  /// Drops all segments.
  void Clear();
  /// Ends waits from now on. Any thread.
  void Stop();

 private:
  struct Job {
    Segment segment;
    int threads = 1;
    std::atomic<bool> is_dropped = false;
    // Under the mutex:
    std::deque<FramePtr> frames;
    bool is_taken = false;
    bool is_done = false;
    bool is_doubtful = false;
  };

  void Work();
  std::shared_ptr<Job> Take();
  bool Decode(Job& job);  // false: in doubt
  bool Drain(AVCodecContext& decoder, DamageWatch& watch, Job& job);
  void End();

  const DecoderSetup& setup_;
  std::deque<std::shared_ptr<Job>> jobs_;  // changed on the caller's thread, under the mutex
  size_t frames_ = 0;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable has_work_, has_news_;
  size_t idle_ = 0;
  bool is_stopped_ = false;
  bool is_ending_ = false;
};

}  // namespace acutance
