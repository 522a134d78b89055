#include "io/rgb_video.h"

#include <algorithm>
#include <utility>

#include "io/wrapped_video.h"

namespace acutance {
namespace {

constexpr int64_t kUnit = 10000;  // of the shares

/// The shares of red and blue in luma.
struct LumaShares {
  int64_t red, blue;
};

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

/// Divides whole numbers above 0.
int64_t DivideRounded(int64_t numerator, int64_t denominator) {
  return (2 * numerator + denominator) / (2 * denominator);
}

template <class Sample>
void MakePlane(const Picture& rgb, const std::array<int64_t, 3>& weights, int64_t bias, int64_t top, std::byte* to,
               ptrdiff_t stride) {
  for (int y = 0; y < rgb.format.height; ++y) {
    const Sample *red = rgb.planes[0].Row<Sample>(y), *green = rgb.planes[1].Row<Sample>(y),
                 *blue = rgb.planes[2].Row<Sample>(y);
    auto* out = reinterpret_cast<Sample*>(to + y * stride);
    for (int x = 0; x < rgb.format.width; ++x) {
      const int64_t sum = weights[0] * red[x] + weights[1] * green[x] + weights[2] * blue[x] + bias;
      out[x] = static_cast<Sample>(std::clamp<int64_t>(sum >> RgbWeights::kBits, 0, top));
    }
  }
}

class RgbVideo : public WrappedVideo {
 public:
  explicit RgbVideo(std::unique_ptr<VideoSource> source) : WrappedVideo(std::move(source)) { Choose({}); }

  VideoColor color() const override { return color_; }
  Status SetRgbColor(const VideoColor& color) override {
    Choose(color);
    return {};
  }
  std::unique_ptr<VideoSource> TakeRgb() override { return std::move(source_); }
  /// All planes of the source are needed for luma.
  void SkipChroma() override { luma_only_ = true; }

 protected:
  Result<Picture> Make(const Picture& rgb) override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture made, AllocatePicture(format()));
    Picture out = made.Share();
    const int64_t top = (int64_t{1} << format().bit_depth) - 1;
    for (int p = 0; p < 3; ++p) {
      if (p > 0 && luma_only_) out.planes[p] = {};
      else if (format().bit_depth == 8)
        MakePlane<uint8_t>(rgb, weights_.weights[p], weights_.bias[p], top, made.data[p], made.stride[p]);
      else MakePlane<uint16_t>(rgb, weights_.weights[p], weights_.bias[p], top, made.data[p], made.stride[p]);
    }
    return out;
  }

 private:
  void Choose(const VideoColor& color) {
    color_ = source().color();
    color_.full_range = color.full_range.value_or(false);
    color_.matrix = color.matrix == Matrix::kUnknown ? Matrix::kBt709 : color.matrix;
    weights_ = MakeRgbWeights(color_.matrix, *color_.full_range, format().bit_depth);
  }

  VideoColor color_;
  RgbWeights weights_;
  bool luma_only_ = false;
};

}  // namespace

RgbWeights MakeRgbWeights(Matrix matrix, bool full_range, int bit_depth) {
  const int64_t one = int64_t{1} << RgbWeights::kBits, unit = int64_t{1} << (bit_depth - 8);
  const int64_t top = (int64_t{1} << bit_depth) - 1;
  const int64_t luma = full_range ? top : 219 * unit, chroma = full_range ? top : 224 * unit;
  const auto [red, blue] = SharesOf(matrix);
  const auto weight = [&](int64_t share, int64_t of, int64_t span) {
    return DivideRounded(one * share * span, of * top);
  };
  const int64_t all = weight(1, 1, luma), r = weight(red, kUnit, luma), b = weight(blue, kUnit, luma);
  // Cb is (blue - luma) / (2 - 2 blue's share), and Cr the same of red.
  const int64_t half = weight(1, 2, chroma), cb = weight(red, 2 * (kUnit - blue), chroma),
                cr = weight(blue, 2 * (kUnit - red), chroma);
  const int64_t middle = 128 * unit * one + one / 2;
  return {.weights = {{{r, all - r - b, b}, {-cb, cb - half, half}, {half, cr - half, -cr}}},
          .bias = {(full_range ? 0 : 16 * unit * one) + one / 2, middle, middle}};
}

std::unique_ptr<VideoSource> ConvertRgb(std::unique_ptr<VideoSource> source) {
  return std::make_unique<RgbVideo>(std::move(source));
}

}  // namespace acutance
