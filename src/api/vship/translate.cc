#include "api/vship/translate.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace acutance::vship {
namespace {

struct SampleKind {
  int sample, bits;
  bool is_float;
};
constexpr SampleKind kSamples[] = {{kFloat, 32, true},   {kHalf, 16, true},    {kUint8, 8, false},
                                   {kUint9, 9, false},   {kUint10, 10, false}, {kUint12, 12, false},
                                   {kUint14, 14, false}, {kUint16, 16, false}};

/// Sizes outside of all limits stay invalid.
int IntOf(int64_t size) { return static_cast<int>(std::clamp<int64_t>(size, -2, std::numeric_limits<int>::max())); }

/// -1 stands for no resizing; 0 is taken so as well.
int TargetOf(int64_t size) { return size == -1 ? 0 : IntOf(size); }

/// The display decides what light samples are, so the videos' transfer function must be its own.
bool Shows(std::string_view display, int transfer) {
  if (display == "standard_hdr_pq") return transfer == kTransferPq;
  if (display == "standard_hdr_hlg") return transfer == kTransferHlg;
  if (display.starts_with("standard_hdr_linear")) return transfer == kTransferLinear;
  return transfer == kTransferBt709 || transfer == kTransferBt470Bg || transfer == kTransferBt601 ||
         transfer == kTransferSrgb;
}

}  // namespace

Outcome FormatOf(const Colorspace& colors, FrameFormat& format) {
  const auto kind = std::ranges::find(kSamples, colors.sample, &SampleKind::sample);
  if (kind == std::end(kSamples))
    return Failure(kNotSupported, "sample type {}: there are 0 and 1, floats, and 2, 3, 5, 7, 9 and 11, integers",
                   colors.sample);
  if (colors.range != kLimited && colors.range != kFull)
    return Failure(kNotSupported, "range {}: there are 0 and 1", colors.range);
  format = {.width = IntOf(colors.width),
            .height = IntOf(colors.height),
            .bits = kind->bits,
            .is_float = kind->is_float,
            .subsampling_x = colors.sub_width,
            .subsampling_y = colors.sub_height,
            .matrix = colors.matrix,
            .transfer = colors.transfer,
            .full_range = colors.range == kFull,
            .chroma_location = colors.chroma_location,
            .target_width = TargetOf(colors.target_width),
            .target_height = TargetOf(colors.target_height),
            .crop_left = colors.crop_left,
            .crop_right = colors.crop_right,
            .crop_top = colors.crop_top,
            .crop_bottom = colors.crop_bottom};
  return {};
}

api::Feature Ssimulacra2Feature() { return {"ssimulacra2", {}}; }

api::Feature ButteraugliFeature(int norm, float intensity) {
  return {"butteraugli", {{"qnorm", fmt::format("{}", norm)}, {"intensity_target", fmt::format("{}", intensity)}}};
}

Outcome CvvdpFeature(const InitCvvdp& init, const FrameFormat& format, api::Feature& feature) {
  constexpr float kMostFramesPerSecond = 300;
  if (!(init.fps > 0 && init.fps <= kMostFramesPerSecond))
    return Failure(kNotSupported, "{} frames a second: they must be above 0 and up to {}", init.fps,
                   kMostFramesPerSecond);
  const std::string display = init.model && *init.model ? init.model : "standard_fhd";
  const std::string displays = init.config ? init.config : "";
  if (format.scored_width() < 2 || format.scored_height() < 2)
    return Failure(kNotSupported, "pictures must be 2x2 at least");
  // A client's own displays may show any.
  if (displays.empty() && !Shows(display, format.transfer))
    return Failure(kNotSupported, "the display {} does not show transfer function {}", display, format.transfer);
  feature = {"cvvdp", {{"conversion", "common"}, {"display", display}, {"fps", fmt::format("{}", init.fps)}}};
  if (!displays.empty()) feature.options["display_file"] = displays;
  if (init.resize_to_display) feature.options.insert({{"resize", "bicubic"}, {"keep_aspect", "true"}});
  return {};
}

}  // namespace acutance::vship
