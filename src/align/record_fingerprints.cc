#include "align/record_fingerprints.h"

#include <algorithm>
#include <span>
#include <utility>

#include "align/align_tracks.h"
#include "align/identity_alignment.h"
#include "io/forwarding_source.h"

namespace acutance {
namespace {

constexpr int kMostThreads = 4;  // more take the cores that feed a device

/// A video whose frames leave their fingerprints. Of a whole one, the thread that scores may read the rest while the
/// one that reads ahead is at the last picture it has room for.
class RecordingVideo : public ForwardingSource {
 public:
  RecordingVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<FingerprintTrack> track, bool is_whole)
      : ForwardingSource(std::move(source)), track_(std::move(track)), is_whole_(is_whole) {
    track_->Begin(source_->frame_rate());
    if (is_whole_) track_->SetReader([this] { return Next(); });
  }
  ~RecordingVideo() override {
    if (is_whole_) track_->SetReader(nullptr);
  }

  Result<std::optional<Picture>> Next() override {
    const std::lock_guard lock(mutex_);
    if (track_->has_ended()) return std::optional<Picture>();
    Result<std::optional<Picture>> picture = source_->Next();
    if (!picture.ok()) return picture;
    if (*picture) track_->Add(**picture, source_->time());
    else if (is_whole_) track_->End();
    return picture;
  }

  Status DecodeOn(const DeviceDecoding& decoding) override {
    if (track_->is_left()) return source_->DecodeOn(decoding);
    return Error(StatusCode::kUnsupported, "its alignment is checked by its pictures; use --align index");
  }

  Result<int64_t> Skip(int64_t count) override {
    if (!is_whole_) return source_->Skip(count);
    for (int64_t skipped = 0; skipped < count; ++skipped) {
      ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, Next());
      if (!picture) return skipped;
    }
    return count;
  }

 private:
  std::mutex mutex_;  // one picture at a time
  const std::shared_ptr<FingerprintTrack> track_;
  const bool is_whole_;
};

}  // namespace

std::shared_ptr<ThreadPool> MakeFingerprintCrew(int threads) {
  return std::make_shared<ThreadPool>(threads > 1 ? std::min((threads + 3) / 4, kMostThreads) : 0,
                                      ThreadPool::Mode::kThreads);
}

Picture LumaOf(const Picture& picture, const Rectangle& crop) {
  Picture part{.format = picture.format, .planes = {}, .memory = picture.memory};
  const Plane& luma = picture.planes[0];
  part.planes[0] = {luma.data + crop.y * luma.stride + static_cast<ptrdiff_t>(crop.x) * picture.format.BytesPerSample(),
                    luma.stride, crop.width, crop.height};
  return part;
}

void FingerprintTrack::Begin(std::optional<double> rate) {
  const std::lock_guard lock(mutex_);
  track_.rate = PlausibleRate(rate);
}

void FingerprintTrack::SetCrop(const Rectangle& crop) {
  const std::lock_guard lock(mutex_);
  crop_ = crop;
}

void FingerprintTrack::Add(const Picture& picture, std::optional<double> time) {
  const std::lock_guard lock(mutex_);
  const bool is_here = picture.planes[0].data != nullptr;
  if (!is_here && !is_left_) return;
  Picture seen = crop_ && is_here ? LumaOf(picture, *crop_) : picture;
  // A decoder may wait for the memory on its device, which is of no use here.
  if (is_left_) left_.push_back(is_here ? std::move(seen) : Picture());
  else stream_.Add(std::move(seen));
  ++added_;
  if (PlausibleTime(time)) track_.times.push_back(*time);
}

int64_t FingerprintTrack::size() const {
  const std::lock_guard lock(mutex_);
  return added_;
}

void FingerprintTrack::LeaveToSession() {
  const std::lock_guard lock(mutex_);
  is_left_ = true;
}

bool FingerprintTrack::is_left() const {
  const std::lock_guard lock(mutex_);
  return is_left_;
}

void FingerprintTrack::Put(const FrameFingerprint& fingerprint) {
  const std::lock_guard lock(mutex_);
  made_.push_back(fingerprint);
  left_.pop_front();
}

int64_t FingerprintTrack::Made(int64_t frames) const {
  const std::lock_guard lock(mutex_);
  return is_left_ ? std::min(frames, first_ + std::ssize(made_)) : frames;
}

void FingerprintTrack::MakeUpTo(int64_t count) {
  const std::vector<FrameFingerprint> made = stream_.TakeAll();
  made_.insert(made_.end(), made.begin(), made.end());
  for (; first_ + std::ssize(made_) < count && !left_.empty() && left_.front().planes[0].data; left_.pop_front())
    made_.push_back(FingerprintOf(left_.front()));
}

FrameTrack FingerprintTrack::Copy(int64_t count) {
  const std::lock_guard lock(mutex_);
  MakeUpTo(count);
  const DeclaredTimes declared = TimesOf(count);
  return {.fingerprints = {made_.begin(), made_.begin() + static_cast<ptrdiff_t>(Known(count))},
          .times = {declared.times.begin(), declared.times.end()},
          .rate = declared.rate};
}

void FingerprintTrack::Forget(int64_t count) {
  const std::lock_guard lock(mutex_);
  MakeUpTo(count);
  const bool has_times = first_ + std::ssize(track_.times) == added_;
  const int64_t known = Known(count);
  if (forgotten_)
    for (int64_t k = 0; k < known; ++k) forgotten_(made_[k]);
  made_.erase(made_.begin(), made_.begin() + known);
  if (has_times) track_.times.erase(track_.times.begin(), track_.times.begin() + known);
  first_ += known;
}

FrameTrack FingerprintTrack::CopyOf(const std::vector<int64_t>& frames) {
  const std::lock_guard lock(mutex_);
  FrameTrack some;
  for (const int64_t frame : frames) some.fingerprints.push_back(made_[frame]);
  return some;
}

DeclaredTimes FingerprintTrack::TimesOf(int64_t count) const {
  const bool of_all = first_ + std::ssize(track_.times) == added_;
  return {track_.rate, std::span(track_.times).first(of_all ? static_cast<size_t>(Known(count)) : 0)};
}

std::optional<Alignment> FingerprintTrack::FitPlainly(FingerprintTrack& reference, FingerprintTrack& distorted,
                                                      int64_t count) {
  const std::scoped_lock lock(reference.mutex_, distorted.mutex_);
  reference.MakeUpTo(count);
  distorted.MakeUpTo(count);
  if (!ClocksAgree(reference.TimesOf(count), distorted.TimesOf(count))) return std::nullopt;
  if (!IsIdentityAlignment(reference.made_, distorted.made_, count)) return std::nullopt;
  return AlignPlainly(reference.Known(count), distorted.Known(count));
}

bool FingerprintTrack::ReadRest(int64_t most) {
  const auto read = [this] {
    const std::lock_guard lock(mutex_);
    return read_;
  }();
  while (read && size() < most) {
    const Result<std::optional<Picture>> picture = read();
    if (!picture.ok()) return false;
    if (!*picture) return true;
  }
  return has_ended();
}

bool FingerprintTrack::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

void FingerprintTrack::End() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
}

void FingerprintTrack::SetReader(std::function<Result<std::optional<Picture>>()> read) {
  const std::lock_guard lock(mutex_);
  read_ = std::move(read);
}

std::unique_ptr<VideoSource> RecordFingerprints(std::unique_ptr<VideoSource> source,
                                                std::shared_ptr<FingerprintTrack> track) {
  return std::make_unique<RecordingVideo>(std::move(source), std::move(track), false);
}

std::unique_ptr<VideoSource> RecordAllFingerprints(std::unique_ptr<VideoSource> source,
                                                   std::shared_ptr<FingerprintTrack> track) {
  return std::make_unique<RecordingVideo>(std::move(source), std::move(track), true);
}

}  // namespace acutance
