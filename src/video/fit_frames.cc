#include "video/fit_frames.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "convert/picture_conversion.h"
#include "image/lazy_picture.h"

namespace acutance {
namespace {

using ConversionPtr = std::shared_ptr<const PictureConversion>;

/// From one range to another of fewer bits, rounded to nearest. WeightsOfRange has the numbers of ranges.
ColorWeights WeightsOfFewerBits(const SampleRange& from, const SampleRange& to) {
  constexpr int kBits = 24;
  struct Span {
    int64_t least, length;
  };
  const auto span_of = [](const SampleRange& range, bool is_luma) -> Span {
    const int64_t unit = int64_t{1} << (range.bit_depth - 8);
    if (range.is_full) return {is_luma ? 0 : 128 * unit, (256 * unit) - 1};
    return {is_luma ? 16 * unit : 128 * unit, (is_luma ? 219 : 224) * unit};
  };
  ColorWeights weights{.bits = kBits, .bit_depth = to.bit_depth};
  for (int p = 0; p < 3; ++p) {
    const Span own = span_of(from, p == 0), wanted = span_of(to, p == 0);
    const int64_t weight = ((wanted.length << kBits) + own.length / 2) / own.length;
    weights.weights[p][p] = weight;
    weights.bias[p] = (wanted.least << kBits) - weight * own.least + (int64_t{1} << (kBits - 1));
  }
  return weights;
}

/// All that changes except the size.
Result<ConversionPtr> SamplesTo(const FrameForm& from, const FrameForm& to) {
  auto conversion = std::make_shared<const PictureConversion>(from.format);
  const SampleRange own = {from.full_range, from.format.bit_depth}, wanted = {to.full_range, to.format.bit_depth};
  const bool has_fewer_bits = wanted.bit_depth < own.bit_depth;
  if (has_fewer_bits || own.is_full != wanted.is_full || (own.is_full && own.bit_depth != wanted.bit_depth)) {
    const ColorWeights weights = has_fewer_bits ? WeightsOfFewerBits(own, wanted) : WeightsOfRange(own, wanted);
    conversion = conversion->WithColor(std::make_shared<const ColorConverter>(from.format, weights));
  }
  if (from.format.pixel_format != to.format.pixel_format) {
    const ChromaChange change = {.to = to.format.pixel_format, .siting = from.siting, .to_siting = to.siting};
    ACU_ASSIGN_OR_RETURN(ChromaScaler chroma, ChromaScaler::Make(conversion->format(), change));
    conversion = conversion->WithChroma(std::make_shared<const ChromaScaler>(std::move(chroma)));
  }
  if (conversion->format().bit_depth < wanted.bit_depth) conversion = conversion->WithBitDepth(wanted.bit_depth);
  return conversion;
}

/// The conversions of the last form are kept: frames of one form follow each other.
class Fit {
 public:
  Result<Picture> operator()(const Picture& picture, const FrameForm& from, const FrameForm& to) {
    if (!from_ || !from_->Matches(from)) {
      ACU_ASSIGN_OR_RETURN(samples_, SamplesTo(from, to));
      ACU_ASSIGN_OR_RETURN(size_, SizeTo(samples_->format(), to));
      from_ = from;
    }
    const bool has_luma_alone = from.format.PlaneCount() > 1 && !picture.planes[1].data;
    Picture own = picture;
    if (!samples_->is_identity()) {
      ACU_ASSIGN_OR_RETURN(own, samples_->Apply(picture, has_luma_alone));
    }
    if (!size_) return own;
    ACU_ASSIGN_OR_RETURN(Picture fitted, size_->Apply(own, has_luma_alone));
    fitted.lazy = std::make_shared<const LazyPicture>(std::move(own), size_);
    return fitted;
  }

 private:
  static Result<ConversionPtr> SizeTo(const PictureFormat& from, const FrameForm& to) {
    if (from == to.format) return ConversionPtr();
    ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(from, to.format, {.siting = to.siting}));
    return PictureConversion(from).WithSize(std::make_shared<const Scaler>(std::move(scaler)));
  }

  std::optional<FrameForm> from_;
  ConversionPtr samples_, size_;  // size_: null where that stays
};

}  // namespace

FrameFit MakeFrameFit() { return Fit(); }

Picture WithoutOwnSize(Picture picture) {
  if (HasOwnSize(picture)) picture.lazy = nullptr;
  return picture;
}

}  // namespace acutance
