#include "video/scale.h"

#include <utility>

#include "video/device_filter.h"

namespace acutance {
namespace {

class ScaledVideo : public DeviceFilter {
 public:
  ScaledVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureConversion> scaling,
              std::shared_ptr<const PictureConversion> own)
      : DeviceFilter(std::move(source), std::move(scaling)), own_(std::move(own)) {}

  const PictureFormat& format() const override { return own_->format(); }
  /// Pixels are square: other sizes than that of the display are a caller's choice.
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.pixel_aspect = 1;
    return facts;
  }

 protected:
  Result<Picture> Apply(const Picture& picture) override { return own_->Make(picture); }
  bool HasScalingBelow() const override { return scaling_ != own_ && DeviceFilter::HasScalingBelow(); }

 private:
  const std::shared_ptr<const PictureConversion> own_;  // without what lies below
};

}  // namespace

Result<std::unique_ptr<VideoSource>> ScaleVideo(std::unique_ptr<VideoSource> source, int width, int height,
                                                const ScaleOptions& options) {
  if (source->is_on_device()) return Error(StatusCode::kUnsupported, "pictures in a device's memory are not scaled");
  PictureFormat to = source->format();
  to.width = width;
  to.height = height;
  ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(source->format(), to, options));
  const auto shared = std::make_shared<const Scaler>(std::move(scaler));
  auto own = PictureConversion(source->format()).WithSize(shared);
  auto scaling = DeviceFilter::ScalingBelow(*source)->WithSize(shared);
  if (!scaling) scaling = own;  // devices would make what lies below after it
  return std::unique_ptr<VideoSource>(
      std::make_unique<ScaledVideo>(std::move(source), std::move(scaling), std::move(own)));
}

}  // namespace acutance
