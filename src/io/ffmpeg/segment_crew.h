// Crew of decoders, each on segments of its own, whose frames come out in the stream's order.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "io/ffmpeg/segment_worker.h"

namespace acutance {

/// Workers take the next segment whenever they are free, so that quick ones take more of them. Next to a device, those
/// on the CPU take one that the device would not have decoded sooner, since frames wait for the first segment that
/// lacks. What a device leaves in doubt is decoded again on the CPU.
class SegmentCrew {
 public:
  /// setup outlives it.
  explicit SegmentCrew(const DecoderSetup& setup) : setup_(setup) {}
  ~SegmentCrew() { End(); }
  SegmentCrew(const SegmentCrew&) = delete;
  SegmentCrew& operator=(const SegmentCrew&) = delete;

  struct Size {
    int on_cpu = 0;     // workers at most
    int threads = 1;    // of each decoder on the CPU
    int on_device = 0;  // workers at most
    DeviceCrew device{};
    size_t frames = 0;  // that wait to be returned, at most; each segment may have kMostHeld more
  };
  void Add(Segment segment, const Size& size);

  bool empty() const { return jobs_.empty(); }
  size_t size() const { return jobs_.size(); }
  enum class Event {
    kFrame,
    kEnd,     // of a segment
    kDoubt,   // the next frames may not be those of a decoder from the stream's start
    kCancel,  // Stop()
  };
  /// Waits for the next frame of the first segment. Its last ones wait for the first frame of the next segment: where
  /// that is damaged, a decoder from the stream's start may not give frames that it holds.
  Event Next(DecodedFrame& frame);
  static constexpr size_t kMostHeld = 16;

  /// Decoded frames that Next() has not returned. Any thread.
  size_t waiting();

  /// Waits for the first frame of the first segment, if there is one. False: there are doubts.
  bool BeginsSoundly();

  /// Whether a device has decoded a segment since the last Clear(). Any thread.
  bool used_device() const;

  /// Drops all segments.
  void Clear();
  /// And ends all workers; Add() starts others.
  void Dismiss();
  /// Ends waits from now on. Any thread.
  void Stop();

 private:
  struct Job {
    Segment segment;
    size_t given = 0;  // frames
    size_t taken = 0;  // by Next()
    // Under the mutex:
    std::deque<DecodedFrame> frames;
    bool is_taken = false;
    bool is_dropped = false;
    bool is_done = false;
    bool is_doubtful = false;
  };

  /// How long a decoder takes for a frame; its last segments count most.
  struct Pace {
    double seconds = 0;
    double frames = 0;
    double OfFrame() const { return frames > 0 ? seconds / frames : 0; }
    void Add(double more_seconds, size_t more_frames) {
      seconds = seconds / 2 + more_seconds;
      frames = frames / 2 + static_cast<double>(more_frames);
    }
  };

  void Start(std::unique_ptr<SegmentWorker> worker, bool is_on_device, size_t& count);
  void CountOnDevice(int more);
  void NoteDevice();
  void Work(SegmentWorker& worker, bool is_on_device);
  std::shared_ptr<Job> Take(bool is_on_device);
  std::shared_ptr<Job> FirstFree() const;
  std::shared_ptr<Job> FirstForCpu() const;
  bool IsReady(const Job& job) const;
  bool HasRoom(const Job& job) const;
  SegmentWorker::Outcome Decode(SegmentWorker& worker, Job& job, Pace* pace);
  void Finish(Job& job, SegmentWorker::Outcome outcome);
  void End();

  const DecoderSetup& setup_;
  std::deque<std::shared_ptr<Job>> jobs_;  // changed on the caller's thread, under the mutex
  std::vector<std::thread> threads_;
  size_t started_on_cpu_ = 0, started_on_device_ = 0;
  // Under the mutex:
  int workers_on_device_ = 0;
  bool used_device_ = false;
  Pace on_cpu_, on_device_;
  double guess_ = 0;  // of on_cpu_, until that is known
  mutable std::mutex mutex_;
  std::condition_variable has_work_, has_news_, has_room_;
  size_t most_waiting_ = 0, waiting_ = 0;  // frames
  size_t idle_ = 0;
  size_t unable_ = 0;  // workers that ended
  bool is_stopped_ = false;
  bool is_ending_ = false;
};

}  // namespace acutance
