#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "convert/picture_conversion.h"
#include "video/filters.h"
#include "video/fit_frames.h"
#include "video/video_filter.h"

namespace acutance {
namespace {

using ConversionPtr = std::shared_ptr<const PictureConversion>;

/// What a conversion changes next to the pictures.
struct Changes {
  std::optional<VideoColor> color{};
  std::optional<ChromaSiting> siting{};
  bool has_square_pixels = false;  // other sizes than that of the display are the caller's choice
  bool copies_alone = false;       // which are not worth the memory that caching pictures for another reading takes
};

class ConversionFilter : public VideoFilter {
 public:
  /// own: from the source's pictures to this video's. whole: the same with the source's conversion before it, for
  /// devices; `own` if that cannot be combined and the host does it, null if devices do not convert.
  ConversionFilter(std::unique_ptr<VideoSource> source, ConversionPtr own, ConversionPtr whole, Changes changes = {})
      : VideoFilter(std::move(source)), changes_(changes), own_(std::move(own)), whole_(std::move(whole)) {}

  const PictureFormat& format() const override { return own_->format(); }
  VideoColor color() const override { return changes_.color ? *changes_.color : source().color(); }
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    if (changes_.siting) facts.siting = changes_.siting;
    if (changes_.has_square_pixels) facts.pixel_aspect = 1;
    return facts;
  }
  void SkipChroma() override {
    luma_only_ = true;
    VideoFilter::SkipChroma();
  }
  ConversionPtr conversion() const override { return whole_; }
  void DeferConversion() override {
    defers_ = true;
    if (whole_ != own_ && source_->conversion()) source_->DeferConversion();
  }
  bool is_instant() const override { return (defers_ || changes_.copies_alone) && source().is_instant(); }
  bool is_costly() const override { return !defers_ || IsCostly(source()); }

 protected:
  /// Pictures that a filter below had to convert on the host are converted there, too.
  Result<Picture> Make(const Picture& picture) override {
    if (HasOwnSize(picture)) return Make(WithoutOwnSize(picture));
    if (!defers_ || SourceOf(picture).format != whole_->source_format()) return own_->Apply(picture, luma_only_);
    return DeferPicture(SourceOf(picture), format(), whole_);
  }

  Changes changes_;
  ConversionPtr own_, whole_;  // final once pictures are read or other videos read this one
  bool luma_only_ = false;

 private:
  bool defers_ = false;
};

/// Both conversions of a filter that adds a step, by `with`, to those of its source.
template <class With>
std::pair<ConversionPtr, ConversionPtr> Conversions(const VideoSource& source, const With& with) {
  ConversionPtr own = with(PictureConversion(source.format()));
  const ConversionPtr below = source.conversion();
  ConversionPtr whole = below ? with(*below) : own;
  return {std::move(own), std::move(whole)};
}

/// All planes of the source are needed for luma, and the color is chosen after opening.
class RgbFilter : public ConversionFilter {
 public:
  explicit RgbFilter(std::unique_ptr<VideoSource> source) : ConversionFilter(std::move(source), nullptr, nullptr) {
    Choose({}, this->source().format().bit_depth);
  }

  Status SetRgbColor(const VideoColor& color, int bit_depth) override {
    Choose(color, bit_depth);
    return {};
  }
  std::unique_ptr<VideoSource> TakeRgb() override { return std::move(source_); }
  void SkipChroma() override { luma_only_ = true; }

 private:
  void Choose(const VideoColor& color, int bit_depth) {
    VideoColor to = source().color();
    to.full_range = color.full_range.value_or(false);
    to.matrix = color.matrix == Matrix::kUnknown ? Matrix::kBt709 : color.matrix;
    const PictureFormat& from = source().format();
    const ColorWeights weights = WeightsOfRgb(SharesOf(to.matrix), from.bit_depth, {*to.full_range, bit_depth});
    const auto converter = std::make_shared<const ColorConverter>(from, weights);
    std::tie(own_, whole_) =
        Conversions(source(), [&](const PictureConversion& before) { return before.WithColor(converter); });
    changes_.color = to;
  }
};

/// Frames whose own size is not that of their video are scaled from it, on the host.
class SizeFilter : public ConversionFilter {
 public:
  SizeFilter(std::unique_ptr<VideoSource> source, ConversionPtr own, ConversionPtr whole, const ScaleOptions& options)
      : ConversionFilter(std::move(source), std::move(own), std::move(whole), {.has_square_pixels = true}),
        options_(options) {}

 protected:
  Result<Picture> Make(const Picture& picture) override {
    if (!HasOwnSize(picture)) return ConversionFilter::Make(picture);
    const Picture& own = picture.lazy->source();
    if (own.format == format()) return own;
    ACU_ASSIGN_OR_RETURN(const ConversionPtr conversion, ConversionOf(own.format));
    return conversion->Apply(own, luma_only_);
  }

 private:
  /// Several threads may call it.
  Result<ConversionPtr> ConversionOf(const PictureFormat& from) {
    const std::lock_guard lock(mutex_);
    ConversionPtr& conversion = conversions_[{from.width, from.height}];
    if (!conversion) {
      ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(from, format(), options_));
      conversion = PictureConversion(from).WithSize(std::make_shared<const Scaler>(std::move(scaler)));
    }
    return conversion;
  }

  const ScaleOptions options_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, ConversionPtr> conversions_;  // by the frames' own sizes
};

}  // namespace

std::unique_ptr<VideoSource> AlignSamples(std::unique_ptr<VideoSource> source) {
  const auto identity = std::make_shared<const PictureConversion>(source->format());
  return std::make_unique<ConversionFilter>(std::move(source), identity, identity, Changes{.copies_alone = true});
}

Result<std::unique_ptr<VideoSource>> ScaleVideo(std::unique_ptr<VideoSource> source, int width, int height,
                                                const ScaleOptions& options) {
  PictureFormat to = source->format();
  to.width = width;
  to.height = height;
  ACU_ASSIGN_OR_RETURN(Scaler made, Scaler::Make(source->format(), to, options));
  const auto scaler = std::make_shared<const Scaler>(std::move(made));
  auto [own, whole] = Conversions(*source, [&](const PictureConversion& before) { return before.WithSize(scaler); });
  if (!whole) whole = own;  // devices would do what lies below after it
  return std::unique_ptr<VideoSource>(
      std::make_unique<SizeFilter>(std::move(source), std::move(own), std::move(whole), options));
}

Result<std::unique_ptr<VideoSource>> ConvertChroma(std::unique_ptr<VideoSource> source, const ChromaChange& change) {
  ACU_ASSIGN_OR_RETURN(ChromaScaler made, ChromaScaler::Make(source->format(), change));
  const auto scaler = std::make_shared<const ChromaScaler>(std::move(made));
  auto [own, whole] = Conversions(*source, [&](const PictureConversion& before) { return before.WithChroma(scaler); });
  if (scaler->adds()) whole = nullptr;  // devices add no chroma: what the source has costs nothing
  return std::unique_ptr<VideoSource>(std::make_unique<ConversionFilter>(
      std::move(source), std::move(own), std::move(whole), Changes{.siting = change.to_siting}));
}

std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, const SampleRange& to) {
  const PictureFormat& format = source->format();
  VideoColor color = source->color();
  const SampleRange from = {color.full_range.value_or(false), format.bit_depth};
  color.full_range = to.is_full;
  const auto converter = std::make_shared<const ColorConverter>(format, WeightsOfRange(from, to));
  auto [own, whole] =
      Conversions(*source, [&](const PictureConversion& before) { return before.WithColor(converter); });
  return std::make_unique<ConversionFilter>(std::move(source), std::move(own), std::move(whole),
                                            Changes{.color = color});
}

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
  return std::make_unique<RgbFilter>(std::move(source));
}

std::unique_ptr<VideoSource> ExpandBitDepth(std::unique_ptr<VideoSource> source, int bit_depth) {
  auto [own, whole] =
      Conversions(*source, [&](const PictureConversion& before) { return before.WithBitDepth(bit_depth); });
  return std::make_unique<ConversionFilter>(std::move(source), std::move(own), std::move(whole));
}

}  // namespace acutance
