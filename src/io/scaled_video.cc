#include "io/scaled_video.h"

#include <utility>

#include "io/wrapped_video.h"
#include "scale/picture_scaling.h"

namespace acutance {
namespace {

class ScaledVideo : public WrappedVideo {
 public:
  ScaledVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureScaling> scaling)
      : WrappedVideo(std::move(source)), scaling_(std::move(scaling)) {}

  const PictureFormat& format() const override { return scaling_->format(); }
  /// Pixels are square: other sizes than that of the display are a caller's choice.
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.pixel_aspect = 1;
    return facts;
  }

  std::shared_ptr<const PictureScaling> scaling() const override { return scaling_; }
  /// Devices scale first: other changes below are made before.
  void LeaveUnmade() override {
    leaves_unmade_ = true;
    if (const auto before = source().scaling(); before && before->KeepsAll()) source_->LeaveUnmade();
  }
  bool is_instant() const override { return leaves_unmade_ && source().is_instant(); }
  bool is_costly() const override { return !leaves_unmade_ || IsCostly(source()); }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    return leaves_unmade_ ? MakeLater(SourceOf(picture), format(), scaling_) : scaling_->Make(picture);
  }

 private:
  const std::shared_ptr<const PictureScaling> scaling_;
  bool leaves_unmade_ = false;
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
