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

size_t ReferenceStore::TakenBytes() const {
  size_t bytes = 0;
  for (const Entry& entry : entries_) bytes += std::max(entry.needed, entry.reference->bytes());
  return bytes;
}

Result<std::shared_ptr<KeptReference>> ReferenceStore::Find(const std::string& path, const OpenOptions& options) {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.reference->path() == path; });
  if (found != entries_.end() && found->reference->HasChanged()) {
    entries_.erase(found);  // it may take more than before
  } else if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().reference;
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  const size_t all = video->is_instant() ? 0 : BytesOf(*video);
  const bool is_known = all > 0 || video->is_instant();
  // A file that does not tell how many frames it has gets half of the memory at least, and one that is too large none.
  const size_t needed = !is_known ? most_bytes_ / 2 : all <= most_bytes_ ? all : 0;
  while (!entries_.empty() && TakenBytes() + needed > most_bytes_) entries_.pop_back();
  const size_t most = is_known ? needed : most_bytes_ - std::min(most_bytes_, TakenBytes());
  entries_.push_front({std::make_shared<KeptReference>(path, most, devices_), is_known ? needed : 0});
  return entries_.front().reference;
}

std::vector<std::shared_ptr<KeptReference>> ReferenceStore::references() const {
  std::vector<std::shared_ptr<KeptReference>> references;
  for (const Entry& entry : entries_) references.push_back(entry.reference);
  return references;
}

bool ReferenceStore::Drop(const std::string& path) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.reference->path() == path; }) > 0;
}

}  // namespace acutance::cli
