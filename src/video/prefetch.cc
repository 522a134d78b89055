#include "video/prefetch.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/trace.h"
#include "video/video_filter.h"

namespace acutance {
namespace {

constexpr size_t kMostBytes = size_t{256} << 20;
constexpr int kMostThreads = 8;

class AheadVideo : public ForwardingSource {
 public:
  AheadVideo(std::unique_ptr<VideoSource> video, std::shared_ptr<ThreadPool> crew, int most)
      : ForwardingSource(std::move(video)),
        wrapped_(static_cast<VideoFilter&>(*source_)),
        crew_(std::move(crew)),
        most_(static_cast<size_t>(most)) {}

  /// The crew works on the pictures of a video that goes away here.
  ~AheadVideo() override { WaitForAll(); }

  std::optional<double> time() const override { return time_; }

  Result<std::optional<Picture>> Next() override {
    while (!has_ended_ && pictures_.size() < most_) ReadOne();
    if (pictures_.empty()) return end_;
    Ahead& first = pictures_.front();
    WaitFor(first);
    time_ = first.time;
    Result<Picture> made = std::move(first.made);
    pictures_.pop_front();
    if (made.ok()) return std::optional(std::move(*made));
    WaitForAll();
    pictures_.clear();
    has_ended_ = true;
    return made.status();
  }

  Result<int64_t> Skip(int64_t count) override {
    int64_t skipped = 0;
    for (; skipped < count && !pictures_.empty(); ++skipped) {
      WaitFor(pictures_.front());
      pictures_.pop_front();
    }
    if (skipped == count || has_ended_) return skipped;
    ACU_ASSIGN_OR_RETURN(const int64_t more, source_->Skip(count - skipped));
    return skipped + more;
  }

  bool Jump(double part) override {
    if (!source_->Jump(part)) return false;
    WaitForAll();
    pictures_.clear();
    return true;
  }

 private:
  struct Ahead {
    Picture lazy;
    std::optional<double> time;
    Result<Picture> made{Picture()};
    bool is_made = false;
  };

  void ReadOne() {
    Result<std::optional<Picture>> lazy = wrapped_.NextLazy();
    if (!lazy.ok() || !*lazy) {
      has_ended_ = true;
      if (!lazy.ok()) end_ = lazy.status();
      return;
    }
    // A deque leaves its elements where they are.
    Ahead& ahead = pictures_.emplace_back();
    ahead.lazy = std::move(**lazy);
    ahead.time = source_->time();
    crew_->RunSoon(0, [this, &ahead] { MakeOne(ahead); });
  }

  void MakeOne(Ahead& ahead) noexcept {
    const TraceSpan span("convert");
    ahead.made = CatchExceptionsResult<Picture>([&] { return wrapped_.ApplyAll(ahead.lazy); });
    ahead.lazy = {};
    const std::lock_guard lock(mutex_);
    ahead.is_made = true;
    made_.notify_all();
  }

  void WaitFor(const Ahead& ahead) {
    std::unique_lock lock(mutex_);
    made_.wait(lock, [&] { return ahead.is_made; });
  }
  void WaitForAll() {
    for (const Ahead& ahead : pictures_) WaitFor(ahead);
  }

  VideoFilter& wrapped_;
  const std::shared_ptr<ThreadPool> crew_;
  const size_t most_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::deque<Ahead> pictures_;  // in order
  std::optional<double> time_;
  bool has_ended_ = false;
  Result<std::optional<Picture>> end_{std::optional<Picture>()};
};

}  // namespace

std::unique_ptr<VideoSource> Prefetch(std::unique_ptr<VideoSource> video, std::shared_ptr<ThreadPool> crew, int most) {
  if (!crew || most < 1 || !VideoFilter::IsCostly(*video)) return video;
  return std::make_unique<AheadVideo>(std::move(video), std::move(crew), most);
}

std::shared_ptr<ThreadPool> MakePictureCrew(int threads) {
  return threads > 1 ? std::make_shared<ThreadPool>(std::min(threads / 2, kMostThreads), ThreadPool::Mode::kThreads)
                     : nullptr;
}

int MostAhead(const PictureFormat& format, int threads) {
  size_t bytes = 0;
  for (int p = 0; p < format.PlaneCount(); ++p)
    bytes += static_cast<size_t>(format.PlaneWidth(p)) * static_cast<size_t>(format.PlaneHeight(p)) *
             static_cast<size_t>(format.BytesPerSample());
  const auto most = static_cast<int>(kMostBytes / std::max<size_t>(bytes, 1));
  return std::clamp(most, 1, 2 * std::min(threads, kMostThreads));
}

}  // namespace acutance
