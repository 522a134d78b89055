#include "io/ffmpeg/segment_crew.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/trace.h"

namespace acutance {

using Clock = std::chrono::steady_clock;
using Outcome = SegmentWorker::Outcome;

namespace {

/// Seconds a frame of a decoder on the CPU, rather too many: HEVC of 10 bits took 9.6 ns a pixel and thread, with
/// noise.
double GuessPace(const PictureFormat& format, int threads) {
  constexpr double kSecondsOfPixel = 10e-9;
  return kSecondsOfPixel * static_cast<double>(format.width) * static_cast<double>(format.height) /
         std::max(threads, 1);
}

}  // namespace

/// Without a thread of its own, a segment waits for the worker of another.
void SegmentCrew::Add(Segment segment, const Size& size) {
  auto job = std::make_shared<Job>();
  job->segment = std::move(segment);
  bool has_idle = false;
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    most_waiting_ = size.frames;
    guess_ = GuessPace(size.device.video.format, size.threads);
    const auto waiting = std::ranges::count_if(jobs_, [](const auto& each) { return !each->is_taken; });
    has_idle = waiting <= static_cast<ptrdiff_t>(idle_);
  }
  has_work_.notify_all();  // not each worker takes each segment
  if (has_idle) return;
  if (started_on_device_ < static_cast<size_t>(size.on_device))
    Start(MakeDeviceWorker(setup_, size.device), true, started_on_device_);
  else if (started_on_cpu_ < static_cast<size_t>(size.on_cpu))
    Start(MakeFfmpegWorker(setup_, size.threads), false, started_on_cpu_);
}

void SegmentCrew::Start(std::unique_ptr<SegmentWorker> worker, bool is_on_device, size_t& count) {
  std::thread thread;
  const auto work = [this, mine = std::shared_ptr(std::move(worker)), is_on_device] { Work(*mine, is_on_device); };
  CountOnDevice(is_on_device ? 1 : 0);
  if (!StartThread(thread, work).ok()) return CountOnDevice(is_on_device ? -1 : 0);
  threads_.push_back(std::move(thread));
  ++count;
}

void SegmentCrew::CountOnDevice(int more) {
  const std::scoped_lock lock(mutex_);
  workers_on_device_ += more;
}

void SegmentCrew::NoteDevice() {
  const std::scoped_lock lock(mutex_);
  used_device_ = true;
}

bool SegmentCrew::IsReady(const Job& job) const {
  return is_stopped_ || !job.frames.empty() || job.is_done || (!job.is_taken && unable_ == threads_.size());
}

/// The caller may wait for any of the first segment's frames and for the first one of the next, so these never wait for
/// the caller; and where its worker turned out to be unable, another one must get to the first segment.
bool SegmentCrew::HasRoom(const Job& job) const {
  return is_stopped_ || job.is_dropped || waiting_ < most_waiting_ || job.frames.empty() || !jobs_.front()->is_taken ||
         (job.frames.size() <= kMostHeld && &job == jobs_.front().get());
}

size_t SegmentCrew::waiting() {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

bool SegmentCrew::used_device() const {
  const std::scoped_lock lock(mutex_);
  return used_device_;
}

SegmentCrew::Event SegmentCrew::Next(DecodedFrame& frame) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Job> job = jobs_.front();
  has_news_.wait(lock, [&] { return IsReady(*job); });
  if (is_stopped_) return Event::kCancel;
  if (!job->frames.empty()) {
    if (jobs_.size() > 1 && job->segment.order.size() - job->taken <= kMostHeld) {
      const std::shared_ptr<Job> next = jobs_[1];
      has_news_.wait(lock, [&] { return IsReady(*next); });
      if (is_stopped_) return Event::kCancel;
      if (next->frames.empty() && (!next->is_done || next->is_doubtful)) return Event::kDoubt;
    }
    frame = std::move(job->frames.front());
    job->frames.pop_front();
    ++job->taken;
    --waiting_;
    has_room_.notify_all();
    return Event::kFrame;
  }
  if (!job->is_done || job->is_doubtful) return Event::kDoubt;
  jobs_.pop_front();
  has_room_.notify_all();
  return Event::kEnd;
}

bool SegmentCrew::BeginsSoundly() {
  std::unique_lock lock(mutex_);
  if (jobs_.empty()) return true;
  const std::shared_ptr<Job> job = jobs_.front();
  has_news_.wait(lock, [&] { return IsReady(*job); });
  return is_stopped_ || !job->frames.empty() || (job->is_done && !job->is_doubtful);
}

void SegmentCrew::Clear() {
  std::unique_lock lock(mutex_);
  for (const auto& job : jobs_) job->is_dropped = true;
  has_room_.notify_all();
  has_news_.wait(lock, [&] {
    return std::ranges::none_of(jobs_, [](const auto& job) { return job->is_taken && !job->is_done; });
  });
  jobs_.clear();
  waiting_ = 0;
  used_device_ = false;
}

void SegmentCrew::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }
  has_news_.notify_all();
  has_room_.notify_all();
}

void SegmentCrew::End() {
  Clear();
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SegmentCrew::Dismiss() {
  End();
  threads_.clear();
  started_on_cpu_ = started_on_device_ = unable_ = 0;
  workers_on_device_ = 0;
  is_ending_ = false;
}

std::shared_ptr<SegmentCrew::Job> SegmentCrew::FirstFree() const {
  const auto free = std::ranges::find_if(jobs_, [](const auto& job) { return !job->is_taken && !job->is_dropped; });
  return free == jobs_.end() ? nullptr : *free;
}

/// The first free segment that a decoder on the CPU has no later than those on the device, by their pace so far. That
/// of the CPU is guessed at first: a segment of 4K could hold up a short video to its end. The device's is awaited.
std::shared_ptr<SegmentCrew::Job> SegmentCrew::FirstForCpu() const {
  if (workers_on_device_ == 0) return FirstFree();
  if (on_device_.frames == 0) return nullptr;
  const double pace = on_cpu_.frames > 0 ? on_cpu_.OfFrame() : guess_;
  double ahead = 0;  // seconds until the device comes to a segment, without those that it has begun
  for (const auto& job : jobs_) {
    if (job->is_taken || job->is_dropped) continue;
    const auto frames = static_cast<double>(job->segment.order.size());
    const double there = frames * on_device_.OfFrame();
    if (ahead + there >= frames * pace) return job;
    ahead += there / static_cast<double>(workers_on_device_);
  }
  return nullptr;
}

std::shared_ptr<SegmentCrew::Job> SegmentCrew::Take(bool is_on_device) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Job> job;
  ++idle_;
  has_work_.wait(lock, [&] {
    job = is_ending_ ? nullptr : is_on_device ? FirstFree() : FirstForCpu();
    return is_ending_ || job;
  });
  --idle_;
  if (job) job->is_taken = true;
  return job;
}

void SegmentCrew::Work(SegmentWorker& worker, bool is_on_device) {
  while (const std::shared_ptr<Job> job = Take(is_on_device)) {
    Outcome outcome = Decode(worker, *job, is_on_device ? &on_device_ : &on_cpu_);
    if (is_on_device && outcome == Outcome::kDone) NoteDevice();
    if (is_on_device && outcome == Outcome::kDoubt) outcome = Decode(*MakeFfmpegWorker(setup_, 1), *job, nullptr);
    if (outcome == Outcome::kUnable) CountOnDevice(is_on_device ? -1 : 0);
    Finish(*job, outcome);
    if (outcome == Outcome::kUnable) return;
  }
}

/// Frames that another worker has given before are left out. pace: of such workers; may be null.
Outcome SegmentCrew::Decode(SegmentWorker& worker, Job& job, Pace* pace) {
  const TraceSpan span("decode segment");
  // A driver makes a decoder when the first packet comes, which is no part of its pace.
  const size_t unpaced = pace == &on_device_ ? 1 : 0;
  Clock::time_point start = Clock::now();
  Clock::duration waited{};
  {
    const std::scoped_lock lock(mutex_);
    if (job.is_dropped) return Outcome::kDoubt;
  }
  size_t known = std::exchange(job.given, 0);
  const auto give = [&](DecodedFrame frame) {
    std::unique_lock lock(mutex_);
    if (++job.given == unpaced) start = Clock::now();
    if (known > 0) {
      --known;
    } else {
      const Clock::time_point full = Clock::now();
      has_room_.wait(lock, [&] { return HasRoom(job); });
      waited += Clock::now() - full;
      job.frames.push_back(std::move(frame));
      ++waiting_;
    }
    has_news_.notify_all();
    return !job.is_dropped;
  };
  Outcome outcome = Outcome::kDoubt;
  static_cast<void>(CatchExceptions([&] {
    outcome = worker.Decode(job.segment, give);
    return Status();
  }));
  if (pace && outcome == Outcome::kDone && job.given > unpaced) {
    const std::scoped_lock lock(mutex_);
    pace->Add(std::chrono::duration<double>(Clock::now() - start - waited).count(), job.given - unpaced);
  }
  return outcome;
}

void SegmentCrew::Finish(Job& job, Outcome outcome) {
  {
    const std::scoped_lock lock(mutex_);
    if (outcome == Outcome::kUnable) {
      job.is_taken = false;
      ++unable_;
      has_room_.notify_all();
    } else {
      job.is_done = true;
      job.is_doubtful = outcome == Outcome::kDoubt;
    }
    has_news_.notify_all();
  }
  has_work_.notify_all();
}

}  // namespace acutance
