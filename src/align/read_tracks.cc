#include "align/read_tracks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "align/align_tracks.h"
#include "base/guarded.h"

namespace acutance {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// How many frames are worth reading once the shortest video has ended after `shortest` frames.
int64_t WorthReading(int64_t shortest, double rates) {
  constexpr double kWander = 1.3, kFastest = 60;  // drops, speeds, and rates that are not told
  return static_cast<int64_t>(
      std::ceil((static_cast<double>(shortest) * kWander + 1.2 * kMostSecondsApart * kFastest) * std::max(1.0, rates)));
}

/// The videos' threads tell each other where they ended.
class TrackReader {
 public:
  TrackReader(VideoSource& video, std::atomic<int64_t>& most) : video_(video), most_(most) {}

  Status Read() {
    track_.rate = PlausibleRate(video_.frame_rate());
    while (track_.size() < most_.load()) {
      Result<std::optional<Picture>> picture = video_.Next();
      const bool is_lost = !picture.ok() && (track_.size() == 0 || picture.status().code() == StatusCode::kCancelled);
      if (is_lost) return picture.status();
      if (!picture.ok() || !*picture) return {};
      track_.signatures.push_back(SignatureOf(**picture));
      if (const std::optional<double> time = PlausibleTime(video_.time())) track_.times.push_back(*time);
    }
    track_.is_whole = false;
    return {};
  }

  FrameTrack& track() { return track_; }

 private:
  VideoSource& video_;
  std::atomic<int64_t>& most_;
  FrameTrack track_;
};

void CutTrack(int64_t most, FrameTrack& track) {
  if (track.times.size() != track.signatures.size()) track.times.clear();
  if (track.size() <= most) return;
  track.is_whole = false;
  track.signatures.resize(static_cast<size_t>(most));
  if (!track.times.empty()) track.times.resize(static_cast<size_t>(most));
}

}  // namespace

Result<std::vector<FrameTrack>> ReadTracks(const std::vector<std::unique_ptr<VideoSource>>& videos,
                                           std::optional<int64_t> most_frames) {
  double slowest = kNever, fastest = 0;
  for (const auto& video : videos)
    if (const std::optional<double> rate = PlausibleRate(video->frame_rate())) {
      slowest = std::min(slowest, *rate);
      fastest = std::max(fastest, *rate);
    }
  const double rates = fastest > 0 && slowest > 0 ? fastest / slowest : 1;
  std::atomic<int64_t> most = most_frames.value_or(kNever);
  std::vector<TrackReader> readers;
  for (const auto& video : videos) readers.emplace_back(*video, most);
  std::vector<Status> statuses(videos.size());
  {
    std::vector<std::thread> threads(videos.size());
    for (size_t v = 0; v < videos.size(); ++v) {
      const auto read = [&, v] {
        statuses[v] = Guarded([&] { return readers[v].Read(); });
        if (!readers[v].track().is_whole) return;
        const int64_t worth = WorthReading(readers[v].track().size(), rates);
        for (int64_t seen = most.load(); worth < seen && !most.compare_exchange_weak(seen, worth);) continue;
      };
      // Where no thread can be had the caller's reads.
      if (!StartThread(threads[v], read).ok()) read();
    }
    for (std::thread& thread : threads)
      if (thread.joinable()) thread.join();
  }
  std::vector<FrameTrack> tracks;
  for (size_t v = 0; v < videos.size(); ++v) {
    ACU_RETURN_IF_ERROR(statuses[v]);
    CutTrack(most.load(), readers[v].track());
    tracks.push_back(std::move(readers[v].track()));
  }
  return tracks;
}

}  // namespace acutance
