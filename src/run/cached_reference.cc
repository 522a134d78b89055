#include "run/cached_reference.h"

#include <algorithm>
#include <utility>

#include "io/forwarding_source.h"
#include "video/open_video.h"

namespace acutance {
namespace {

/// Chroma is decoded, too: a later run may read it.
class WholeVideo : public ForwardingSource {
 public:
  using ForwardingSource::ForwardingSource;
  void SkipChroma() override {}
  Result<std::optional<Picture>> Next() override { return source_->Next(); }
};

}  // namespace

/// A reading that releases its token when it ends.
class CachedReference::Reading : public ForwardingSource {
 public:
  Reading(std::unique_ptr<VideoSource> source, std::shared_ptr<bool> token)
      : ForwardingSource(std::move(source)), token_(std::move(token)) {}
  Result<std::optional<Picture>> Next() override { return source_->Next(); }

 private:
  std::shared_ptr<bool> token_;
};

CachedReference::~CachedReference() {
  if (name_ != 0) devices_->Forget(name_);
}

std::optional<FileIdentity> CachedReference::IdentityOf(const std::string& path) {
  const std::optional<FileInfo> found = InfoOf(path);
  return found && found->kind == FileKind::kRegular ? std::optional(found->identity) : std::nullopt;
}

CachedReference::Settings CachedReference::SettingsOf(const OpenOptions& options) {
  return {options.raw,   options.raw_is_semi_planar, options.film_grain, options.take_all,
          options.track, options.stop_at_damage};
}

/// Invalidates what devices cached of the file as it was, or as it was read.
void CachedReference::Invalidate() {
  if (name_ != 0) devices_->Forget(name_);
  name_ = NewVideoIdentity();
  devices_->Remember(name_);
}

Result<std::unique_ptr<VideoSource>> CachedReference::OpenCached() {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> reading, video_->Open());
  return std::unique_ptr<VideoSource>(std::make_unique<Reading>(std::move(reading), reading_token_));
}

Result<std::unique_ptr<VideoSource>> CachedReference::OpenForCache(const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path_, options));
  if (video->is_instant()) return video;
  video_.emplace(std::make_unique<WholeVideo>(std::move(video)), most_bytes_);
  video_->Hold(true);  // a run that stops leaves it readable
  reading_token_ = std::make_shared<bool>(true);
  return OpenCached();
}

Result<std::unique_ptr<VideoSource>> CachedReference::Open(const OpenOptions& options, uint64_t& name) {
  const std::lock_guard lock(mutex_);
  name = 0;
  if ((reading_token_ && reading_token_.use_count() > 1)) return OpenVideo(path_, options);
  const std::optional<FileIdentity> identity = IdentityOf(path_);
  if (!identity || identity != identity_ || settings_ != SettingsOf(options) || (video_ && video_->has_failed())) {
    video_.reset();
    identity_ = identity;
    settings_ = SettingsOf(options);
    if (!identity) return OpenVideo(path_, options);
    Invalidate();
  }
  name = name_;
  if (!video_) return OpenForCache(options);
  Result<std::unique_ptr<VideoSource>> cached = OpenCached();
  return cached.ok() ? std::move(cached) : OpenVideo(path_, options);
}

bool CachedReference::HasChanged() const {
  const std::lock_guard lock(mutex_);
  return identity_ && identity_ != IdentityOf(path_);
}

size_t CachedReference::bytes() const {
  const std::lock_guard lock(mutex_);
  return video_ ? video_->bytes() : 0;
}

size_t CachedReference::MostBytes() const {
  const std::lock_guard lock(mutex_);
  return video_ ? video_->MostBytes() : most_bytes_;
}

void CachedReference::KeepUpTo(size_t most_bytes) {
  const std::lock_guard lock(mutex_);
  most_bytes_ = most_bytes;
  if (video_) video_->KeepUpTo(most_bytes);
}

int64_t CachedReference::frames() const {
  const std::lock_guard lock(mutex_);
  return video_ ? video_->frames() : 0;
}

int64_t CachedReference::device_frames() const {
  const std::lock_guard lock(mutex_);
  return name_ != 0 ? devices_->Frames(name_) : 0;
}

Result<std::optional<size_t>> PictureBytes(const std::string& path, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (video->is_instant()) return std::optional<size_t>(0);
  if (video->frame_count().value_or(0) <= 0) return std::optional<size_t>();
  const PictureFormat& format = video->format();
  size_t picture = 0;
  for (int p = 0; p < format.PlaneCount(); ++p)
    picture += static_cast<size_t>(format.PlaneWidth(p)) * format.PlaneHeight(p) * format.BytesPerSample();
  const double all = static_cast<double>(picture) * static_cast<double>(*video->frame_count());
  constexpr double kMost = 1e18;  // a file may declare any number of frames
  return std::optional<size_t>(static_cast<size_t>(std::min(all, kMost)));
}

}  // namespace acutance
