#include "align/read_tracks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "align/align_tracks.h"
#include "base/threads/parallel_for.h"

namespace acutance {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

double FastestOverSlowest(const std::vector<std::unique_ptr<VideoSource>>& videos) {
  double slowest = kUnlimited, fastest = 0;
  for (const auto& video : videos)
    if (const std::optional<double> rate = PlausibleRate(video->frame_rate())) {
      slowest = std::min(slowest, *rate);
      fastest = std::max(fastest, *rate);
    }
  return fastest > 0 && slowest > 0 ? fastest / slowest : 1;
}

bool IsOfTheVideo(const Status& error) {
  return error.code() != StatusCode::kCancelled && error.code() != StatusCode::kOutOfMemory;
}

/// Reads until there are `most` frames, a number that may fall. True: the video has ended, by `damage` if that is no
/// OK.
Result<bool> ReadTrack(VideoSource& video, const std::atomic<int64_t>& most, FrameTrack& track, Status& damage) {
  while (track.size() < most.load()) {
    const Result<std::optional<Picture>> picture = video.Next();
    if (!picture.ok() && (track.size() == 0 || !IsOfTheVideo(picture.status()))) return picture.status();
    if (!picture.ok()) damage = picture.status();
    if (!picture.ok() || !*picture) return true;
    track.fingerprints.push_back(FingerprintOf(**picture));
    if (const std::optional<double> time = PlausibleTime(video.time())) track.times.push_back(*time);
  }
  return false;
}

void TruncateTrack(int64_t most, FrameTrack& track) {
  if (track.size() <= most) return;
  track.is_whole = false;
  track.fingerprints.resize(most);
  if (std::ssize(track.times) > most) track.times.resize(most);
}

}  // namespace

int64_t WorthReading(int64_t shortest, double rates) {
  constexpr double kWander = 1.3, kFastest = 60;  // drops, speeds, and rates that are not declared
  return static_cast<int64_t>(
      std::ceil((static_cast<double>(shortest) * kWander + 1.2 * kMostSecondsApart * kFastest) * std::max(1.0, rates)));
}

TrackReading::TrackReading(const std::vector<std::unique_ptr<VideoSource>>& videos)
    : videos_(videos),
      tracks_(videos.size()),
      firsts_(videos.size()),
      damages_(videos.size()),
      ended_(videos.size()),
      rates_(FastestOverSlowest(videos)) {
  for (size_t v = 0; v < videos.size(); ++v) tracks_[v].rate = PlausibleRate(videos[v]->frame_rate());
}

Status TrackReading::ReadTo(std::optional<int64_t> most_frames) {
  std::atomic<int64_t> most = most_frames.value_or(kUnlimited);
  const auto count = static_cast<int>(videos_.size());
  ACU_RETURN_IF_ERROR(ParallelFor(count, count, [&](int video) {
    const auto v = static_cast<size_t>(video);
    if (ended_[v] == 0) {
      ACU_ASSIGN_OR_RETURN(const bool has_ended, ReadTrack(*videos_[v], most, tracks_[v], damages_[v]));
      ended_[v] = has_ended;
    }
    // Each video bounds the others by where it ended.
    const int64_t worth = ended_[v] != 0 ? WorthReading(tracks_[v].size(), rates_) : kUnlimited;
    for (int64_t seen = most.load(); worth < seen && !most.compare_exchange_weak(seen, worth);) continue;
    return Status();
  }));
  for (size_t v = 0; v < tracks_.size(); ++v) {
    FrameTrack& track = tracks_[v];
    track.is_whole = ended_[v] != 0;
    if (track.times.size() != track.fingerprints.size()) track.times.clear();
    TruncateTrack(most.load(), track);
  }
  return {};
}

Status TrackReading::ReadWindow(const std::vector<int64_t>& begins, const std::vector<int64_t>& ends) {
  const auto count = static_cast<int>(videos_.size());
  return ParallelFor(count, count, [&](int video) {
    const auto v = static_cast<size_t>(video);
    FrameTrack& track = tracks_[v];
    const int64_t past = std::clamp<int64_t>(begins[v] - firsts_[v], 0, track.size());
    track.fingerprints.erase(track.fingerprints.begin(), track.fingerprints.begin() + past);
    track.times.erase(track.times.begin(), track.times.begin() + std::min<int64_t>(past, std::ssize(track.times)));
    firsts_[v] += past;
    if (ended_[v] != 0) return Status();
    ACU_ASSIGN_OR_RETURN(const bool has_ended, ReadTrack(*videos_[v], ends[v] - firsts_[v], track, damages_[v]));
    ended_[v] = has_ended;
    if (track.times.size() != track.fingerprints.size()) track.times.clear();
    return Status();
  });
}

FrameTrack TrackReading::PartOf(size_t video, int64_t begin, int64_t end, int64_t most) const {
  const FrameTrack& track = tracks_[video];
  const int64_t first = std::clamp<int64_t>(begin - firsts_[video], 0, track.size());
  const int64_t last = std::clamp<int64_t>(end - firsts_[video], first, track.size());
  FrameTrack part;
  part.rate = track.rate;
  part.fingerprints.assign(track.fingerprints.begin() + first, track.fingerprints.begin() + last);
  if (!track.times.empty()) part.times.assign(track.times.begin() + first, track.times.begin() + last);
  part.is_whole = last == track.size() && (ended_[video] != 0 || firsts_[video] + last >= most);
  return part;
}

Status TrackReading::CountRest(int64_t most) {
  for (size_t v = 0; v < tracks_.size(); ++v)
    if (ended_[v] != 0) most = std::min(most, WorthReading(CountOf(v), rates_));
  for (size_t v = 0; v < tracks_.size(); ++v) {
    if (ended_[v] != 0 || CountOf(v) >= most) continue;
    const Result<int64_t> skipped = videos_[v]->Skip(most - CountOf(v));
    if (!skipped.ok() && !IsOfTheVideo(skipped.status())) return skipped.status();
    if (!skipped.ok()) damages_[v] = skipped.status();
    firsts_[v] += skipped.ok() ? *skipped : 0;
  }
  return {};
}

}  // namespace acutance
