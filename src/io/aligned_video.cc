#include "io/aligned_video.h"

#include <utility>

#include "io/unmade_video.h"

namespace acutance {
namespace {

class AlignedVideo : public UnmadeVideo {
 public:
  AlignedVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureScaling> scaling)
      : UnmadeVideo(std::move(source), std::move(scaling)) {}

  /// Copies are not worth the memory that keeping pictures for another reading takes.
  bool is_instant() const override { return source().is_instant(); }

 protected:
  Result<Picture> MakeNow(const Picture& picture) override { return scaling_->Make(picture); }
};

}  // namespace

std::unique_ptr<VideoSource> AlignVideo(std::unique_ptr<VideoSource> source) {
  auto nothing = std::make_shared<const PictureScaling>(source->format());
  return std::make_unique<AlignedVideo>(std::move(source), std::move(nothing));
}

}  // namespace acutance
