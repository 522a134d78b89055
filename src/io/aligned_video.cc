#include "io/aligned_video.h"

#include <utility>

#include "io/wrapped_video.h"
#include "scale/picture_scaling.h"

namespace acutance {
namespace {

class AlignedVideo : public WrappedVideo {
 public:
  explicit AlignedVideo(std::unique_ptr<VideoSource> source)
      : WrappedVideo(std::move(source)), scaling_(std::make_shared<const PictureScaling>(this->source().format())) {}

  std::shared_ptr<const PictureScaling> scaling() const override { return scaling_; }
  void LeaveUnmade() override { leaves_unmade_ = true; }
  /// Copies are not worth the memory that keeping pictures for another reading takes.
  bool is_instant() const override { return source().is_instant(); }
  bool is_costly() const override { return !leaves_unmade_; }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    return leaves_unmade_ ? MakeLater(picture, format(), scaling_) : scaling_->Make(picture);
  }

 private:
  const std::shared_ptr<const PictureScaling> scaling_;  // changes nothing
  bool leaves_unmade_ = false;
};

}  // namespace

std::unique_ptr<VideoSource> AlignVideo(std::unique_ptr<VideoSource> source) {
  return std::make_unique<AlignedVideo>(std::move(source));
}

}  // namespace acutance
