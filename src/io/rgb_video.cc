#include "io/rgb_video.h"

#include <utility>

#include "io/deepened_video.h"
#include "io/unmade_video.h"

namespace acutance {
namespace {

class RgbVideo : public UnmadeVideo {
 public:
  explicit RgbVideo(std::unique_ptr<VideoSource> source) : UnmadeVideo(std::move(source), nullptr) { Choose({}); }

  VideoColor color() const override { return color_; }
  Status SetRgbColor(const VideoColor& color) override {
    Choose(color);
    return {};
  }
  void DeepenRgb(int bit_depth) override {
    source_ = DeepenVideo(std::move(source_), bit_depth, /*full_range=*/true);
    Choose(color_);
  }
  std::unique_ptr<VideoSource> TakeRgb() override { return std::move(source_); }
  /// All planes of the source are needed for luma.
  void SkipChroma() override { luma_only_ = true; }

 protected:
  Result<Picture> MakeNow(const Picture& rgb) override { return changer_->Change(rgb, pool_, luma_only_); }

 private:
  void Choose(const VideoColor& color) {
    color_ = source().color();
    color_.full_range = color.full_range.value_or(false);
    color_.matrix = color.matrix == Matrix::kUnknown ? Matrix::kBt709 : color.matrix;
    const ColorWeights weights = WeightsOfRgb(SharesOf(color_.matrix), *color_.full_range, format().bit_depth);
    changer_ = std::make_shared<const ColorChanger>(format(), weights);
    scaling_ = ScalingBelow(source())->WithColor(changer_);
  }

  VideoColor color_;
  std::shared_ptr<const ColorChanger> changer_;
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
