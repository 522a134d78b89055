#include "run/video_options.h"

#include <fmt/format.h>

namespace acutance {
namespace {

std::string_view OptionNameOf(Matrix matrix) {
  if (matrix == Matrix::kBt601) return "bt601";
  if (matrix == Matrix::kBt709) return "bt709";
  return matrix == Matrix::kBt2020 ? "bt2020" : "";
}

std::string_view OptionNameOf(const ChromaSiting& siting) {
  if (siting.vertical == 0.5) return siting.horizontal == 0 ? "left" : siting.horizontal == 0.5 ? "center" : "";
  if (siting.vertical != 0) return "";
  return siting.horizontal == 0 ? "topleft" : siting.horizontal == 0.5 ? "top" : "";
}

}  // namespace

OptionTexts VideoOptions(const std::optional<double>& frame_rate, const VideoColor& color,
                         const std::optional<ChromaSiting>& siting) {
  OptionTexts video;
  if (frame_rate) video["fps"] = fmt::format("{}", *frame_rate);
  if (color.full_range) video["range"] = *color.full_range ? "full" : "limited";
  if (const auto matrix = OptionNameOf(color.matrix); !matrix.empty()) video["matrix"] = matrix;
  if (siting)
    if (const auto location = OptionNameOf(*siting); !location.empty()) video["chroma_location"] = location;
  if (color.is_hdr()) video["transfer"] = color.transfer == Transfer::kPq ? "pq" : "hlg";
  return video;
}

}  // namespace acutance
