#include "align/signed_video.h"

#include <algorithm>
#include <utility>

#include "io/forwarded_video.h"

namespace acutance {
namespace {

class SignedVideo : public ForwardedVideo {
 public:
  SignedVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<SharedTrack> track)
      : ForwardedVideo(std::move(source)), track_(std::move(track)) {}

  Result<std::optional<Picture>> Next() override {
    Result<std::optional<Picture>> picture = source_->Next();
    if (picture.ok() && *picture) track_->Add(**picture, source_->time());
    return picture;
  }

  /// Frames that are passed over leave none.
  Result<int64_t> Skip(int64_t count) override { return source_->Skip(count); }

 private:
  std::shared_ptr<SharedTrack> track_;
};

}  // namespace

Picture LumaOf(const Picture& picture, const Rectangle& crop) {
  Picture part{.format = picture.format, .planes = {}, .memory = picture.memory};
  const Plane& luma = picture.planes[0];
  part.planes[0] = {luma.data + crop.y * luma.stride + static_cast<ptrdiff_t>(crop.x) * picture.format.BytesPerSample(),
                    luma.stride, crop.width, crop.height};
  return part;
}

void SharedTrack::Begin(std::optional<double> rate) {
  const std::lock_guard lock(mutex_);
  track_.rate = PlausibleRate(rate);
}

void SharedTrack::SetCrop(const Rectangle& crop) {
  const std::lock_guard lock(mutex_);
  crop_ = crop;
}

void SharedTrack::Add(const Picture& picture, std::optional<double> time) {
  const std::lock_guard lock(mutex_);
  stream_.Add(crop_ ? LumaOf(picture, *crop_) : picture);
  ++added_;
  if (PlausibleTime(time)) track_.times.push_back(*time);
}

int64_t SharedTrack::size() const {
  const std::lock_guard lock(mutex_);
  return added_;
}

FrameTrack SharedTrack::Copy(int64_t count) {
  const std::lock_guard lock(mutex_);
  const std::vector<FrameSignature> made = stream_.TakeAll();
  track_.signatures.insert(track_.signatures.end(), made.begin(), made.end());
  const auto most = static_cast<ptrdiff_t>(std::min(count, track_.size()));
  FrameTrack copy;
  copy.rate = track_.rate;
  copy.signatures.assign(track_.signatures.begin(), track_.signatures.begin() + most);
  if (track_.times.size() == track_.signatures.size())
    copy.times.assign(track_.times.begin(), track_.times.begin() + most);
  return copy;
}

std::unique_ptr<VideoSource> SignFrames(std::unique_ptr<VideoSource> source, std::shared_ptr<SharedTrack> track) {
  track->Begin(source->frame_rate());
  return std::make_unique<SignedVideo>(std::move(source), std::move(track));
}

}  // namespace acutance
