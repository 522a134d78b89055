#include <algorithm>

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
    const int64_t before = frames_[next_] - passed_;
    ACU_ASSIGN_OR_RETURN(const int64_t skipped, source_->Skip(before));
    if (skipped < before) {
      next_ = frames_.size();
      return std::optional<Picture>();
    }
    passed_ = frames_[next_++] + 1;
    return source_->Next();
  }

  /// The source skips these frames together with those between them, before the next one.
  Result<int64_t> Skip(int64_t count) override {
    const int64_t skipped = std::min(count, static_cast<int64_t>(frames_.size() - next_));
    next_ += static_cast<size_t>(skipped);
    return skipped;
  }

 private:
  const std::vector<int64_t> frames_;
  size_t next_ = 0;     // in frames_
  int64_t passed_ = 0;  // of the source
};

}  // namespace

std::unique_ptr<VideoSource> SelectFrames(std::unique_ptr<VideoSource> source, std::vector<int64_t> frames) {
  return std::make_unique<SelectedFrames>(std::move(source), std::move(frames));
}

}  // namespace acutance
