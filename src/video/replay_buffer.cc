#include "video/replay_buffer.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "video/filters.h"

namespace acutance {
namespace {

size_t BytesOf(const Picture& picture) {
  size_t bytes = 0;
  for (const Plane& plane : picture.planes)
    if (plane.data) bytes += static_cast<size_t>(plane.width) * plane.height * picture.format.BytesPerSample();
  return bytes;
}

}  // namespace

struct ReplayBuffer::State {
  struct CachedPicture {
    Picture picture;
    std::optional<double> time;
  };

  std::unique_ptr<VideoSource> source;
  size_t most_bytes = 0;
  std::atomic<size_t> bytes = 0;  // of all that were read
  std::vector<CachedPicture> cached;
  std::atomic<size_t> read = 0;  // pictures of the source so far
  std::atomic<bool> ended = false;
  Status failure;  // why the source ended, where that was an error
  std::atomic<bool> is_held = false;
  bool is_released = false;  // the next reading is the last
  bool is_rgb = false;       // red, green and blue are cached: each reading chooses its conversion
};

class ReplayBuffer::Reading : public VideoSource {
 public:
  explicit Reading(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const PictureFormat& format() const override { return state_->source->format(); }
  VideoColor color() const override { return state_->source->color(); }
  VideoFacts facts() const override { return state_->source->facts(); }
  std::optional<int64_t> frame_count() const override { return state_->source->frame_count(); }
  std::optional<double> frame_rate() const override { return state_->source->frame_rate(); }
  std::optional<double> time() const override { return time_; }
  void SkipChroma() override { state_->source->SkipChroma(); }
  bool is_raw() const override { return state_->source->is_raw(); }
  Status CheckIntact() const override { return state_->source->CheckIntact(); }
  void Interrupt() override {
    if (!state_->is_held) state_->source->Interrupt();
  }
  double reading_seconds() const override { return state_->source->reading_seconds(); }
  /// Only where nothing reads on from here, since measuring reads the packets that are left.
  std::optional<int64_t> MeasureBitRate() override {
    return state_->ended || state_->is_released ? state_->source->MeasureBitRate() : std::nullopt;
  }
  Status DecodeBy(const HardwareDecoding& decoding) override {
    return state_->ended ? Status() : state_->source->DecodeBy(decoding);
  }
  StreamDamage damage() const override { return state_->source->damage(); }
  Decoding decoding() const override { return state_->source->decoding(); }
  std::vector<std::string> warnings() const override { return state_->source->warnings(); }
  std::vector<InputChange> frame_changes() const override { return state_->source->frame_changes(); }

  Result<std::optional<Picture>> Next() override {
    State& state = *state_;
    if (next_ < state.cached.size()) {
      const State::CachedPicture& cached = state.cached[next_++];
      time_ = cached.time;
      return std::optional(cached.picture);
    }
    if (!state.failure.ok()) return state.failure;
    if (state.ended) return std::optional<Picture>();
    Result<std::optional<Picture>> picture = state.source->Next();
    if (!picture.ok() || !*picture) {
      state.ended = true;
      if (!picture.ok()) state.failure = picture.status();
      return picture;
    }
    time_ = state.source->time();
    ++next_, ++state.read;
    state.bytes += BytesOf(**picture);
    if (state.bytes <= state.most_bytes) state.cached.push_back({**picture, time_});
    else state.cached = {};
    return picture;
  }

 private:
  std::shared_ptr<State> state_;
  size_t next_ = 0;
  std::optional<double> time_;
};

ReplayBuffer::ReplayBuffer(std::unique_ptr<VideoSource> source, size_t most_bytes) : state_(std::make_shared<State>()) {
  std::unique_ptr<VideoSource> rgb = source->TakeRgb();
  state_->is_rgb = rgb != nullptr;
  state_->source = rgb ? std::move(rgb) : std::move(source);
  state_->most_bytes = most_bytes;
}

size_t ReplayBuffer::bytes() const { return state_->bytes <= state_->most_bytes ? state_->bytes.load() : 0; }
int64_t ReplayBuffer::frames() const {
  return state_->bytes <= state_->most_bytes ? static_cast<int64_t>(state_->read) : 0;
}

size_t ReplayBuffer::MostBytes() const {
  const bool may_grow = !state_->ended && state_->bytes < state_->most_bytes;
  return may_grow ? state_->most_bytes : bytes();
}

void ReplayBuffer::KeepUpTo(size_t most_bytes) { state_->most_bytes = most_bytes; }

bool ReplayBuffer::has_failed() const { return !state_->failure.ok(); }

void ReplayBuffer::ReleaseAsRead() {
  state_->most_bytes = std::min(state_->most_bytes, state_->bytes.load());
  state_->is_released = true;
}

void ReplayBuffer::Hold(bool hold) { state_->is_held = hold; }

Result<std::unique_ptr<VideoSource>> ReplayBuffer::Open() {
  if (state_->cached.size() < state_->read)
    return Error(
        StatusCode::kUnsupported,
        "a pipe cannot be read again, and its pictures take more than the {} MB that are cached of it: write it "
        "to a file, or say how its frames are aligned (--align)",
        state_->most_bytes >> 20);
  std::unique_ptr<VideoSource> reading = std::make_unique<Reading>(state_);
  return state_->is_rgb ? ConvertRgb(std::move(reading)) : std::move(reading);
}

}  // namespace acutance
