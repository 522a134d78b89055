#include "io/ffmpeg/segment_crew.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/trace.h"
#include "io/ffmpeg/library.h"

namespace acutance {

void SegmentCrew::Add(Segment segment, int workers, int threads) {
  auto job = std::make_shared<Job>();
  frames_ += segment.order.size();
  job->segment = std::move(segment);
  job->threads = threads;
  bool has_idle = false;
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
    has_idle = std::ranges::count_if(jobs_, [](const auto& each) { return !each->is_taken; }) <=
               static_cast<ptrdiff_t>(idle_);
  }
  has_work_.notify_one();
  if (has_idle || workers_.size() >= static_cast<size_t>(workers)) return;
  // Without a thread of its own, the segment waits for one of the others.
  std::thread worker;
  if (StartThread(worker, [this] { Work(); }).ok()) workers_.push_back(std::move(worker));
}

SegmentCrew::Event SegmentCrew::Next(FramePtr& frame) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Job> job = jobs_.front();
  if (workers_.empty()) return Event::kDoubt;
  has_news_.wait(lock, [&] { return is_stopped_ || !job->frames.empty() || job->is_done; });
  if (is_stopped_) return Event::kCancel;
  if (!job->frames.empty()) {
    frame = std::move(job->frames.front());
    job->frames.pop_front();
    --frames_;
    return Event::kFrame;
  }
  if (job->is_doubtful) return Event::kDoubt;
  jobs_.pop_front();
  return Event::kEnd;
}

void SegmentCrew::Clear() {
  std::unique_lock lock(mutex_);
  for (const auto& job : jobs_) job->is_dropped = true;
  has_news_.wait(lock, [&] {
    return std::ranges::none_of(jobs_, [](const auto& job) { return job->is_taken && !job->is_done; });
  });
  jobs_.clear();
  frames_ = 0;
}

void SegmentCrew::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }
  has_news_.notify_all();
}

void SegmentCrew::End() {
  Clear();
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::shared_ptr<SegmentCrew::Job> SegmentCrew::Take() {
  std::unique_lock lock(mutex_);
  const auto is_free = [](const auto& job) { return !job->is_taken && !job->is_dropped; };
  ++idle_;
  has_work_.wait(lock, [&] { return is_ending_ || std::ranges::any_of(jobs_, is_free); });
  --idle_;
  const auto free = std::ranges::find_if(jobs_, is_free);
  if (is_ending_ || free == jobs_.end()) return nullptr;
  (*free)->is_taken = true;
  return *free;
}

void SegmentCrew::Work() {
  while (const std::shared_ptr<Job> job = Take()) {
    bool is_right = false;
    static_cast<void>(CatchExceptions([&] {
      is_right = Decode(*job);
      return Status();
    }));
    const std::scoped_lock lock(mutex_);
    job->is_done = true;
    job->is_doubtful = !is_right;
    has_news_.notify_all();
  }
}

bool SegmentCrew::Decode(Job& job) {
  const TraceSpan span("decode segment", job.segment.packets.empty() ? -1 : job.segment.packets.front().number);
  DamageWatch watch;  // outlives the decoder
  DecoderPtr decoder;
  if (setup_.Open(job.threads, OnError::kFind, watch, decoder) < 0) return false;
  for (StreamPacket& packet : job.segment.packets) {
    if (job.is_dropped || SendPacket(*decoder, &packet) < 0 || !Drain(*decoder, watch, job)) return false;
    packet.packet.reset();
  }
  SendPacket(*decoder, nullptr);
  return Drain(*decoder, watch, job) && job.segment.order.is_complete();
}

/// Takes the frames that the decoder gives without another packet.
bool SegmentCrew::Drain(AVCodecContext& decoder, DamageWatch& watch, Job& job) {
  for (;;) {
    FramePtr frame = MakeFrame();
    if (!frame) return false;
    const int error = Ffmpeg().avcodec_receive_frame(&decoder, frame.get());
    if (watch.has_errors()) return false;
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return true;
    if (error < 0 || IsCorrupt(*frame) || !watch.IsComplete(*frame)) return false;
    const FrameOrder::Verdict verdict = job.segment.order.Check(*frame);
    if (verdict == FrameOrder::Verdict::kWrong) return false;
    if (verdict == FrameOrder::Verdict::kBeyond) continue;
    const std::scoped_lock lock(mutex_);
    job.frames.push_back(std::move(frame));
    has_news_.notify_all();
  }
}

}  // namespace acutance
