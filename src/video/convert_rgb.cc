#include "video/convert_rgb.h"

#include <utility>

#include "video/device_filter.h"

namespace acutance {
namespace {

class RgbVideo : public DeviceFilter {
 public:
  explicit RgbVideo(std::unique_ptr<VideoSource> source) : DeviceFilter(std::move(source), nullptr) {
    Choose({}, this->source().format().bit_depth);
  }

  const PictureFormat& format() const override { return changer_->format(); }
  VideoColor color() const override { return color_; }
  Status SetRgbColor(const VideoColor& color, int bit_depth) override {
    Choose(color, bit_depth);
    return {};
  }
  std::unique_ptr<VideoSource> TakeRgb() override { return std::move(source_); }
  /// All planes of the source are needed for luma.
  void SkipChroma() override { luma_only_ = true; }

 protected:
  Result<Picture> Apply(const Picture& rgb) override { return changer_->Change(rgb, pool_, luma_only_); }

 private:
  void Choose(const VideoColor& color, int bit_depth) {
    color_ = source().color();
    color_.full_range = color.full_range.value_or(false);
    color_.matrix = color.matrix == Matrix::kUnknown ? Matrix::kBt709 : color.matrix;
    const PictureFormat& from = source().format();
    const SampleRange to = {*color_.full_range, bit_depth};
    const ColorWeights weights = WeightsOfRgb(SharesOf(color_.matrix), from.bit_depth, to);
    changer_ = std::make_shared<const ColorConverter>(from, weights);
    scaling_ = ScalingBelow(source())->WithColor(changer_);
  }

  VideoColor color_;
  std::shared_ptr<const ColorConverter> changer_;
  PicturePool pool_;
  bool luma_only_ = false;
};

}  // namespace

LumaShares SharesOf(Matrix matrix) {
  switch (matrix) {
    case Matrix::kBt601:
      return {2990, 1140};
    case Matrix::kBt2020:
      return {2627, 593};
    case Matrix::kSmpte240:
      return {2120, 870};
    case Matrix::kFcc:
      return {3000, 1100};
    default:
      return {2126, 722};
  }
}

std::unique_ptr<VideoSource> ConvertRgb(std::unique_ptr<VideoSource> source) {
  return std::make_unique<RgbVideo>(std::move(source));
}

}  // namespace acutance
