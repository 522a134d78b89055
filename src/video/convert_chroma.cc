#include "video/convert_chroma.h"

#include <utility>

#include "video/device_filter.h"

namespace acutance {
namespace {

class ChromaVideo : public DeviceFilter {
 public:
  ChromaVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureConversion> scaling,
              std::shared_ptr<const ChromaScaler> scaler, const ChromaSiting& siting)
      : DeviceFilter(std::move(source), std::move(scaling)), scaler_(std::move(scaler)), siting_(siting) {}

  const PictureFormat& format() const override { return scaler_->format(); }
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.siting = siting_;
    return facts;
  }
  void SkipChroma() override {
    luma_only_ = true;
    VideoFilter::SkipChroma();
  }

 protected:
  Result<Picture> Apply(const Picture& picture) override {
    if (!luma_only_) return scaler_->Scale(picture, pool_);
    Picture luma = picture;
    luma.format = format();
    luma.planes[1] = luma.planes[2] = {};
    return luma;
  }

 private:
  const std::shared_ptr<const ChromaScaler> scaler_;
  const ChromaSiting siting_;
  PicturePool pool_;
  bool luma_only_ = false;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> ChangeChroma(std::unique_ptr<VideoSource> source, const ChromaChange& change) {
  if (source->is_on_device())
    return Error(StatusCode::kUnsupported, "the chroma of pictures in a device's memory is not brought to another's");
  ACU_ASSIGN_OR_RETURN(ChromaScaler made, ChromaScaler::Make(source->format(), change));
  auto scaler = std::make_shared<const ChromaScaler>(std::move(made));
  // Devices make no chroma where there is none: what is there already costs nothing.
  auto scaling = scaler->adds() ? nullptr : DeviceFilter::ScalingBelow(*source)->WithChroma(scaler);
  return std::unique_ptr<VideoSource>(
      std::make_unique<ChromaVideo>(std::move(source), std::move(scaling), std::move(scaler), change.to_siting));
}

}  // namespace acutance
