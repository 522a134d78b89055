#include "run/video_cache.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/threads/parallel_for.h"
#include "base/usable_cpus.h"
#include "video/open_video.h"

namespace acutance {
namespace {

constexpr size_t kMostPipeBytes = size_t{1} << 30;     // of a pipe's pictures
constexpr size_t kMostStartBytes = size_t{320} << 20;  // of a file's first pictures: all that are compared in 1080p

}  // namespace

Result<FolderVideos> FindVideos(const std::string& folder, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  FolderVideos found;
  for (const std::string& name : names) {
    const std::string path = Join(folder, name);
    if (name[0] == '.' || !IsRegularFile(path)) continue;
    const auto video = OpenVideo(path, options);
    if (video.ok() || video.status().code() == StatusCode::kInvalidArgument) found.files.push_back(path);
    else found.passed_over.push_back(video.status().message());
  }
  if (!found.files.empty()) return found;
  if (found.passed_over.empty()) return Error(StatusCode::kNotFound, "{}: there is no file in it", folder);
  return Error(StatusCode::kNotFound, "{}: there is no video in it ({})", folder, fmt::join(found.passed_over, "; "));
}

bool VideoCache::IsFile(size_t video) const { return IsRegularFile(PathOf(video)); }

Result<std::unique_ptr<VideoSource>> VideoCache::Open(size_t video, const OpenOptions& options) {
  if (video == 0 && request_->cached_reference) return request_->cached_reference->Open(options, reference_key_);
  const std::string& path = PathOf(video);
  const AlignmentRequest::Mode mode = request_->pairing.mode;
  const bool is_aligned = mode == AlignmentRequest::Mode::kAuto || mode == AlignmentRequest::Mode::kTimes;
  if (!is_aligned && request_->run_videos < 2) return OpenVideo(path, options);
  auto replay = replays_.find(path);
  if (IsFile(video)) {
    Result<std::unique_ptr<VideoSource>> again =
        replay == replays_.end() ? Error(StatusCode::kNotFound, "") : replay->second.Open();
    return again.ok() ? std::move(again) : OpenVideo(path, options);
  }
  if (replay == replays_.end()) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> source, OpenVideo(path, options));
    replay = replays_.emplace(path, ReplayBuffer(std::move(source), kMostPipeBytes)).first;
  }
  Result<std::unique_ptr<VideoSource>> again = replay->second.Open();
  if (again.ok()) return again;
  return Error(again.status().code(), "{}: frames do not fit one by one, and {}", path, again.status().message());
}

std::vector<Result<std::unique_ptr<VideoSource>>> VideoCache::OpenAll(const OpenOptions& options) {
  std::vector<Result<std::unique_ptr<VideoSource>>> videos;
  std::vector<size_t> files, others;
  for (size_t v = 0; v <= request_->distorted.size(); ++v) {
    videos.emplace_back(Error(StatusCode::kCancelled, "{} was not opened", PathOf(v)));
    const bool is_cached = IsCached(v) || (v == 0 && request_->cached_reference);
    (IsFile(v) && !is_cached ? files : others).push_back(v);
  }
  const auto open = [&](int i) {
    videos[files[i]] = OpenVideo(PathOf(files[i]), options);
    return Status();
  };
  const Status status = ParallelFor(UsableCpus(), static_cast<int>(files.size()), open);
  if (!status.ok() && !files.empty()) videos[files.front()] = status;
  for (const size_t v : others)
    if (std::all_of(videos.begin(), videos.begin() + static_cast<ptrdiff_t>(v),
                    [](const auto& each) { return each.ok(); }))
      videos[v] = Open(v, options);
  return videos;
}

Result<std::unique_ptr<VideoSource>> VideoCache::OpenForStart(size_t video, const OpenOptions& options) {
  const std::string& path = PathOf(video);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> source, OpenVideo(path, options));
  if (source->is_instant() || request_->max_memory || PathOf(0) == PathOf(1)) return source;
  return replays_.insert_or_assign(path, ReplayBuffer(std::move(source), kMostStartBytes)).first->second.Open();
}

void VideoCache::ReleaseAsRead() {
  for (auto& [path, replay] : replays_) replay.ReleaseAsRead();
}

void VideoCache::HoldPipes(bool hold) {
  for (auto& [path, replay] : replays_) replay.Hold(hold);
}

}  // namespace acutance
