#include "engine/choose_crop.h"

#include "io/bars.h"

namespace acutance {
namespace {

/// The same part of another size.
Rectangle ScaleTo(const PictureFormat& to, const PictureFormat& from, const Rectangle& part) {
  const auto scaled = [](int value, int numerator, int denominator) {
    return static_cast<int>((int64_t{value} * numerator + denominator / 2) / denominator);
  };
  return AlignToChroma({scaled(part.width, to.width, from.width), scaled(part.height, to.height, from.height),
                        scaled(part.x, to.width, from.width), scaled(part.y, to.height, from.height)},
                       to.pixel_format);
}

}  // namespace

Result<std::optional<Rectangle>> ChooseCrop(const CropChoice& choice, const PairReaderInput& input,
                                            const PairReaderInput& reference, const OpenOptions& open,
                                            const std::function<void(std::string)>& warn) {
  const PictureFormat& format = input.video->format();
  if (choice.find_bars) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Rectangle> content, FindBars(input.name, open));
    if (!content) warn(fmt::format("{} is too dark to tell its bars; nothing of it is cut off", input.name));
    const bool turned = input.video->facts().orientation.transposed;
    const int width = turned ? format.height : format.width, height = turned ? format.width : format.height;
    return content && *content != Rectangle{width, height} ? content : std::nullopt;
  }
  if (!choice.reference || &input == &reference) return choice.reference;
  if (choice.distorted) return choice.distorted;
  return std::optional(ScaleTo(format, reference.video->format(), *choice.reference));
}

}  // namespace acutance
