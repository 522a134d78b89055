#include <algorithm>
#include <utility>

#include "io/forwarding_source.h"
#include "video/filters.h"

namespace acutance {
namespace {

class SelectedFrames : public ForwardingSource {
 public:
  SelectedFrames(std::unique_ptr<VideoSource> source, std::vector<int64_t> frames)
      : ForwardingSource(std::move(source)), frames_(std::move(frames)) {}

  std::optional<int64_t> frame_count() const override { return static_cast<int64_t>(frames_.size()); }

  Result<std::optional<Picture>> Next() override {
    if (next_ == frames_.size()) return std::optional<Picture>();
    if (frames_[next_] < passed_) return Again();
    const int64_t before = frames_[next_] - passed_;
    ACU_ASSIGN_OR_RETURN(const int64_t skipped, source_->Skip(before));
    if (skipped < before) {
      next_ = frames_.size();
      return std::optional<Picture>();
    }
    passed_ = frames_[next_] + 1;
    ACU_ASSIGN_OR_RETURN(held_, source_->Next());
    return Again();
  }

  /// The source skips these frames together with those between them, before the next one.
  Result<int64_t> Skip(int64_t count) override {
    const int64_t skipped = std::min(count, static_cast<int64_t>(frames_.size() - next_));
    next_ += static_cast<size_t>(skipped);
    return skipped;
  }

 private:
  /// The picture that was read last, which is kept where the next frame is the same.
  std::optional<Picture> Again() {
    const int64_t frame = frames_[next_++];
    const bool is_last = next_ == frames_.size() || frames_[next_] != frame;
    return is_last ? std::exchange(held_, std::nullopt) : held_;
  }

  const std::vector<int64_t> frames_;
  size_t next_ = 0;     // in frames_
  int64_t passed_ = 0;  // of the source
  std::optional<Picture> held_;
};

}  // namespace

std::unique_ptr<VideoSource> SelectFrames(std::unique_ptr<VideoSource> source, std::vector<int64_t> frames) {
  return std::make_unique<SelectedFrames>(std::move(source), std::move(frames));
}

}  // namespace acutance
