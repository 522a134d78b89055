#include "video/pair_reader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/time_sum.h"
#include "base/trace.h"
#include "video/fit_frames.h"

namespace acutance {
namespace {

using Item = Result<std::optional<Picture>>;

/// The numbers that libvmaf's tool prints in "pixel formats do not match: 0, 3"; 4: 4:0:0, which it does not read.
int ToolNumber(PixelFormat format) {
  constexpr int kNumbers[] = {4, 0, 2, 3};
  return kNumbers[static_cast<int>(format)];
}

/// How many pairs there are, where every video declares its length.
std::optional<int64_t> PairCount(const PairReaderInput& reference, const std::vector<PairReaderInput>& distorted,
                                 int64_t limit) {
  std::vector<const PairReaderInput*> inputs{&reference};
  for (const PairReaderInput& input : distorted) inputs.push_back(&input);
  int64_t count = limit;
  for (const PairReaderInput* input : inputs) {
    const std::optional<int64_t> frames = input->video->frame_count();
    if (!frames) return std::nullopt;
    count = std::min(count, std::max<int64_t>(*frames - input->skip, 0));
  }
  return count;
}

}  // namespace

std::vector<std::string> Incompatibilities(const PictureFormat& reference, const PictureFormat& distorted) {
  std::vector<std::string> problems;
  if (reference.width != distorted.width || reference.height != distorted.height)
    problems.push_back(fmt::format("dimensions do not match: {}x{}, {}x{}", reference.width, reference.height,
                                   distorted.width, distorted.height));
  if (reference.pixel_format != distorted.pixel_format)
    problems.push_back(fmt::format("pixel formats do not match: {}, {} ({}, {})", ToolNumber(reference.pixel_format),
                                   ToolNumber(distorted.pixel_format), PixelFormatName(reference.pixel_format),
                                   PixelFormatName(distorted.pixel_format)));
  if (reference.bit_depth != distorted.bit_depth)
    problems.push_back(fmt::format("bitdepths do not match: {}, {}", reference.bit_depth, distorted.bit_depth));
  return problems;
}

/// One video and the pictures read ahead of it.
class PairReader::Lane {
 public:
  Lane(PairReaderInput input, const PairReaderOptions& options) : input_(std::move(input)), options_(options) {}
  ~Lane() { End(); }

  VideoSource* Close() {
    End();
    return input_.video.get();
  }

  Status Start() {
    read_before_ = input_.video->reading_seconds();
    return reads_ahead() ? StartThread(thread_, [this] { ReadAhead(); }) : Status();
  }

  void End() {
    Stop();
    if (thread_.joinable()) thread_.join();
  }

  /// Wakes the threads that wait in this lane; waiting ends at once from now on.
  void Stop() {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    input_.video->Interrupt();
  }

  Item Next() {
    const TimeSum::Scope wait(waited_);
    if (!reads_ahead()) return Read();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || !queue_.empty() || !failure_.ok(); });
    if (stopped_) return Error(StatusCode::kCancelled, "reading {} was cancelled", input_.name);
    if (queue_.empty()) return failure_;
    Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return item;
  }

  ReadingTimes times() const {
    return {waited_.seconds(), busy_.seconds(), input_.video->reading_seconds() - read_before_};
  }

  const std::string& name() const { return input_.name; }
  const VideoSource& video() const { return *input_.video; }

 private:
  bool reads_ahead() const { return options_.read_ahead > 0 && !input_.video->is_instant(); }

  Item Read() {
    const TimeSum::Scope time(busy_);
    if (count_ == 0 && input_.skip > 0) {
      ACU_ASSIGN_OR_RETURN(const int64_t skipped, input_.video->Skip(input_.skip));
      if (skipped < input_.skip) return std::optional<Picture>();
    }
    if (options_.frame_limit && count_ >= *options_.frame_limit) return std::optional<Picture>();
    const TraceSpan span("read", count_++, input_.name);
    if (!input_.needed) return PassOver();
    Item item = input_.video->Next();
    if (item.ok() && *item && HasOwnSize(**item)) return std::optional(WithoutOwnSize(*std::move(*item)));
    return item;
  }

  Item PassOver() {
    ACU_ASSIGN_OR_RETURN(const int64_t passed, input_.video->Skip(1));
    return passed == 1 ? std::optional(Picture{.format = input_.video->format()}) : std::nullopt;
  }

  void ReadAhead() {
    Status status = CatchExceptions([this] {
      FillQueue();
      return Status();
    });
    if (status.ok()) return;
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::move(status);
    }
    changed_.notify_all();
  }

  void FillQueue() {
    for (bool more = true; more;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopped_ || queue_.size() < static_cast<size_t>(options_.read_ahead); });
        if (stopped_) return;
      }
      Item item = Read();
      more = item.ok() && item->has_value();
      {
        std::lock_guard lock(mutex_);
        queue_.push_back(std::move(item));
      }
      changed_.notify_all();
    }
  }

  PairReaderInput input_;
  const PairReaderOptions options_;
  TimeSum waited_, busy_;
  double read_before_ = 0;  // seconds
  int64_t count_ = 0;       // pictures requested; only on the reading thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  Status failure_;  // why the thread ended early
  bool stopped_ = false;
  std::thread thread_;
};

class PairReader::State {
 public:
  PictureFormat format;
  std::optional<int64_t> frame_count;
  std::vector<std::unique_ptr<Lane>> lanes;  // the reference first
  int64_t index = 0;
  bool ended = false;
  std::vector<std::string> length_warnings;
  std::vector<size_t> unfinished;
};

Status PairReader::Check(const PairReaderInput& reference, const std::vector<PairReaderInput>& distorted) {
  std::string message;
  for (const PairReaderInput& input : distorted) {
    for (const std::string& line : Incompatibilities(reference.video->format(), input.video->format())) {
      if (!message.empty()) message += '\n';
      if (distorted.size() > 1) message += fmt::format("\"{}\": ", input.name);
      message += line;
    }
  }
  return message.empty() ? Status() : Status(StatusCode::kInvalidArgument, std::move(message));
}

Result<std::unique_ptr<PairReader>> PairReader::Open(PairReaderInput reference, std::vector<PairReaderInput> distorted,
                                                     const PairReaderOptions& options) {
  ACU_RETURN_IF_ERROR(Check(reference, distorted));
  auto state = std::make_unique<State>();
  state->format = reference.video->format();
  state->frame_count =
      PairCount(reference, distorted, options.frame_limit.value_or(std::numeric_limits<int64_t>::max()));
  state->lanes.push_back(std::make_unique<Lane>(std::move(reference), options));
  for (PairReaderInput& input : distorted) state->lanes.push_back(std::make_unique<Lane>(std::move(input), options));
  for (auto& lane : state->lanes) ACU_RETURN_IF_ERROR(lane->Start());
  return std::unique_ptr<PairReader>(new PairReader(std::move(state)));
}

PairReader::PairReader(std::unique_ptr<State> state) : state_(std::move(state)) {}

PairReader::~PairReader() { Cancel(); }

const PictureFormat& PairReader::format() const { return state_->format; }

const std::vector<std::string>& PairReader::length_warnings() const { return state_->length_warnings; }

const std::vector<size_t>& PairReader::unfinished() const { return state_->unfinished; }

std::optional<int64_t> PairReader::frame_count() const { return state_->frame_count; }

Result<std::optional<FramePair>> PairReader::Next() {
  if (state_->ended) return std::optional<FramePair>();
  std::vector<std::optional<Picture>> pictures;
  Status error;
  for (auto& lane : state_->lanes) {
    Item item = lane->Next();
    if (!item.ok() && error.ok()) error = item.status();
    pictures.push_back(item.ok() ? std::move(*item) : std::nullopt);
  }
  if (!error.ok()) {
    state_->ended = true;
    return error;
  }
  for (size_t i = 1; i < pictures.size(); ++i) {
    if (pictures[i].has_value() == pictures[0].has_value()) continue;
    const std::string &one = state_->lanes[i]->name(), &reference = state_->lanes[0]->name();
    const bool reference_is_longer = pictures[0].has_value();
    state_->length_warnings.push_back(fmt::format("\"{}\" ended before \"{}\".", reference_is_longer ? one : reference,
                                                  reference_is_longer ? reference : one));
  }
  FramePair pair{state_->index++};
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (!pictures[i]) state_->ended = true;
    else if (i == 0) pair.reference = *std::move(pictures[i]);
    else pair.distorted.push_back(*std::move(pictures[i]));
  }
  if (!state_->ended) return std::optional(std::move(pair));
  for (size_t i = 1; i < pictures.size(); ++i)
    if (pictures[0] && pictures[i]) state_->unfinished.push_back(i - 1);
  return std::optional<FramePair>();
}

std::vector<ReadingTimes> PairReader::times() const {
  std::vector<ReadingTimes> times;
  for (const auto& lane : state_->lanes) times.push_back(lane->times());
  return times;
}

Status PairReader::CheckIntact() const {
  for (const auto& lane : state_->lanes) ACU_RETURN_IF_ERROR(lane->video().CheckIntact());
  return {};
}

std::vector<VideoSource*> PairReader::Close() {
  std::vector<VideoSource*> videos;
  for (auto& lane : state_->lanes) videos.push_back(lane->Close());
  return videos;
}

void PairReader::Cancel() {
  for (auto& lane : state_->lanes) lane->Stop();
}

}  // namespace acutance
