#include "video/convert_range.h"

#include <utility>

#include "video/device_filter.h"

namespace acutance {
namespace {

class ConvertedRange : public DeviceFilter {
 public:
  ConvertedRange(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureConversion> scaling,
                 std::shared_ptr<const ColorConverter> changer, bool to_full)
      : DeviceFilter(std::move(source), std::move(scaling)),
        changer_(std::move(changer)),
        color_(this->source().color()) {
    color_.full_range = to_full;
  }

  const PictureFormat& format() const override { return changer_->format(); }
  VideoColor color() const override { return color_; }

 protected:
  Result<Picture> Apply(const Picture& picture) override { return changer_->Change(picture, pool_); }

 private:
  const std::shared_ptr<const ColorConverter> changer_;
  VideoColor color_;
  PicturePool pool_;
};

}  // namespace

std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, const SampleRange& to) {
  const PictureFormat& format = source->format();
  const SampleRange from = {source->color().full_range.value_or(false), format.bit_depth};
  auto changer = std::make_shared<const ColorConverter>(format, WeightsOfRange(from, to));
  auto scaling = DeviceFilter::ScalingBelow(*source)->WithColor(changer);
  return std::make_unique<ConvertedRange>(std::move(source), std::move(scaling), std::move(changer), to.is_full);
}

}  // namespace acutance
