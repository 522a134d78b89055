#include "io/scaled_video.h"

#include <utility>

#include "io/unmade_video.h"

namespace acutance {
namespace {

class ScaledVideo : public UnmadeVideo {
 public:
  ScaledVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureScaling> scaling)
      : UnmadeVideo(std::move(source), std::move(scaling)) {}

  const PictureFormat& format() const override { return scaling_->format(); }
  /// Pixels are square: other sizes than that of the display are a caller's choice.
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.pixel_aspect = 1;
    return facts;
  }

 protected:
  Result<Picture> MakeNow(const Picture& picture) override { return scaling_->Make(picture); }
  /// Devices scale first: other changes below are made before.
  bool HasScalingBelow() const override {
    const auto before = source().scaling();
    return before && before->KeepsAll();
  }
};

}  // namespace

Result<std::unique_ptr<VideoSource>> ScaleVideo(std::unique_ptr<VideoSource> source, int width, int height,
                                                const ScaleOptions& options) {
  if (source->is_on_device()) return Error(StatusCode::kUnsupported, "pictures in a device's memory are not scaled");
  PictureFormat to = source->format();
  to.width = width;
  to.height = height;
  ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(source->format(), to, options));
  auto scaling = std::make_shared<const PictureScaling>(std::make_shared<const Scaler>(std::move(scaler)));
  return std::unique_ptr<VideoSource>(std::make_unique<ScaledVideo>(std::move(source), std::move(scaling)));
}

}  // namespace acutance
