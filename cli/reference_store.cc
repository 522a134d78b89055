#include "cli/reference_store.h"

#include <algorithm>

namespace acutance::cli {
namespace {

/// Bytes of all its pictures; 0 where the file does not tell how many there are.
size_t BytesOf(const VideoSource& video) {
  const PictureFormat& format = video.format();
  size_t picture = 0;
  for (int p = 0; p < format.PlaneCount(); ++p)
    picture += static_cast<size_t>(format.PlaneWidth(p)) * format.PlaneHeight(p) * format.BytesPerSample();
  const double all = static_cast<double>(picture) * static_cast<double>(video.frame_count().value_or(0));
  constexpr double kMost = 1e18;  // of a file that tells nonsense
  return static_cast<size_t>(std::clamp(all, 0.0, kMost));
}

}  // namespace

size_t ReferenceStore::KeptBytes() const {
  size_t bytes = 0;
  for (const auto& reference : references_) bytes += reference->bytes();
  return bytes;
}

Result<std::shared_ptr<KeptReference>> ReferenceStore::Find(const std::string& path, const OpenOptions& options) {
  const auto found =
      std::ranges::find_if(references_, [&](const auto& reference) { return reference->path() == path; });
  if (found != references_.end()) {
    references_.splice(references_.begin(), references_, found);
    return references_.front();
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  // A file that does not tell how many frames it has gets half of the memory at least.
  const size_t all = BytesOf(*video), needed = video->is_instant() ? 0 : all > 0 ? all : most_bytes_ / 2;
  if (needed <= most_bytes_)
    while (!references_.empty() && KeptBytes() + needed > most_bytes_) references_.pop_back();
  const size_t left = most_bytes_ - std::min(most_bytes_, KeptBytes());
  references_.push_front(std::make_shared<KeptReference>(path, left, devices_));
  return references_.front();
}

bool ReferenceStore::Drop(const std::string& path) {
  return std::erase_if(references_, [&](const auto& reference) { return reference->path() == path; }) > 0;
}

}  // namespace acutance::cli
