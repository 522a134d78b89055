#include "io/fit_videos.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/converted_range.h"
#include "io/raised_depth.h"
#include "io/scaled_video.h"
#include "io/turned_video.h"

namespace acutance {
namespace {

using Inputs = std::vector<PairReaderInput*>;  // the reference first

std::string_view NameOf(Transfer transfer) { return kTransferNames[static_cast<int>(transfer)]; }

/// Profile 5 has no layer that other decoders show rightly: its samples are IPT, which only a Dolby decoder makes YUV
/// of.
Status CheckDolbyVision(bool force, const PairReaderInput& input, std::vector<std::string>& steps) {
  constexpr int kIptProfile = 5;
  if (input.video->facts().dolby_vision_profile != kIptProfile) return {};
  const std::string problem = input.name + " is Dolby Vision of profile 5, whose samples are no YUV";
  if (!force)
    return Error(StatusCode::kUnsupported,
                 "{}: convert it with a decoder for it (such as FFmpeg's filter libplacebo), or --force", problem);
  steps.push_back(problem + ": the scores mean little");
  return {};
}

Status TurnAndCrop(bool heed_display, const Inputs& inputs, std::vector<std::string>& steps) {
  for (PairReaderInput* input : inputs) {
    const PictureFormat stored = input->video->format();
    if (heed_display && input->video->facts().orientation != Orientation()) {
      ACU_ASSIGN_OR_RETURN(input->video, TurnVideo(std::move(input->video)));
      const PictureFormat& shown = input->video->format();
      steps.push_back(fmt::format("{} is turned as it is shown, from {}x{} to {}x{}", input->name, stored.width,
                                  stored.height, shown.width, shown.height));
    }
    if (!input->crop) continue;
    ACU_ASSIGN_OR_RETURN(input->video, CropVideo(std::move(input->video), *input->crop));
    steps.push_back(fmt::format("{} is cropped to {}", input->name, ToText(*input->crop)));
  }
  return {};
}

double ShapeOf(const VideoSource& video) {
  return video.format().width * video.facts().pixel_aspect / video.format().height;
}

/// Headers may say anything. Anamorphic video reaches from 0.5 to 2.
Status CheckPixels(const Inputs& inputs) {
  constexpr double kMost = 100;
  for (const PairReaderInput* input : inputs) {
    const double aspect = input->video->facts().pixel_aspect;
    if (aspect >= 1 / kMost && aspect <= kMost) continue;
    return Error(StatusCode::kBadData,
                 "{} says that its pixels are {:.4g} times as wide as high, which no video is shown with; correct its "
                 "header first, for example: ffmpeg -i IN -vf setsar=1 OUT",
                 input->name, aspect);
  }
  return {};
}

/// Sizes are rounded to whole blocks, so that shapes differ a little.
Status CheckShapes(bool force, const Inputs& inputs, std::vector<std::string>& steps) {
  constexpr double kTolerance = 0.03;
  const PairReaderInput& reference = *inputs.front();
  const double shape = ShapeOf(*reference.video);
  for (const PairReaderInput* input : inputs) {
    const double own = ShapeOf(*input->video);
    if (std::abs(own - shape) <= kTolerance * shape) continue;
    const PictureFormat &one = reference.video->format(), &other = input->video->format();
    const std::string problem =
        fmt::format("{} is {}x{}, shown {:.3f} times as wide as high, and {} {}x{}, shown {:.3f} times", reference.name,
                    one.width, one.height, shape, input->name, other.width, other.height, own);
    if (!force)
      return Error(StatusCode::kUnsupported,
                   "{}: scaling would squash one of them; cut black bars off with --crop auto, give the part that both "
                   "show with --crop, or --force",
                   problem);
    steps.push_back(problem + ": one of them is squashed");
  }
  return {};
}

/// A curve that is not told is taken as SDR beside HDR: encoders write that of HDR, for players need it.
Status CheckTransfers(bool force, const Inputs& inputs, std::vector<std::string>& steps) {
  const PairReaderInput& reference = *inputs.front();
  const VideoColor own = reference.video->color();
  for (const PairReaderInput* input : inputs) {
    const VideoColor color = input->video->color();
    if ((!own.is_hdr() && !color.is_hdr()) || own.transfer == color.transfer) continue;
    const std::string problem =
        fmt::format("{} is {} and {} {}", reference.name, NameOf(own.transfer), input->name, NameOf(color.transfer));
    if (!force)
      return Error(StatusCode::kUnsupported,
                   "{}: their samples mean different light; map the tones of one of them first, or --force", problem);
    steps.push_back(problem + ": their samples mean different light, and the scores little");
  }
  for (const PairReaderInput* input : inputs) ACU_RETURN_IF_ERROR(CheckDolbyVision(force, *input, steps));
  if (own.is_hdr()) steps.push_back("the videos are " + std::string(NameOf(own.transfer)) + ", and models know SDR");
  return {};
}

/// A video that does not tell its range has the limited one, as in H.264 and HEVC.
Status FitRanges(const Inputs& inputs, std::vector<std::string>& steps) {
  const std::optional<bool> wanted = inputs.front()->video->color().full_range;
  const bool full = wanted.value_or(false);
  for (PairReaderInput* input : inputs) {
    const std::optional<bool> own = input->video->color().full_range;
    if (own.value_or(false) == full) continue;
    if (input->video->is_on_device())
      return Error(StatusCode::kUnsupported, "the range of pictures in a device's memory is not converted");
    const std::string_view assumed = wanted && own ? "" : " (a range that is not told is taken as limited)";
    steps.push_back(fmt::format("{} is converted from {} range{}", input->name,
                                full ? "limited to full" : "full to limited", assumed));
    input->video = ConvertRange(std::move(input->video), full);
  }
  return {};
}

/// The size with square pixels, which takes nothing from the stored one.
PictureFormat ShownSize(bool heed_display, const VideoSource& video) {
  constexpr double kSquare = 0.01;
  PictureFormat format = video.format();
  const double aspect = heed_display ? video.facts().pixel_aspect : 1;
  const auto stretched = [](int side, double by) { return 2 * static_cast<int>(std::floor(side * by / 2 + 0.5)); };
  if (aspect > 1 + kSquare) format.width = stretched(format.width, aspect);
  else if (aspect < 1 - kSquare) format.height = stretched(format.height, 1 / aspect);
  return format;
}

Result<PictureFormat> SizeOf(const CommonSize& size, bool heed_display, const Inputs& inputs) {
  PictureFormat format = inputs[1]->video->format();
  if (size.of == CommonSize::Of::kReference) {
    format = ShownSize(heed_display, *inputs.front()->video);
    ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
    return format;
  }
  if (size.of == CommonSize::Of::kDistorted) {
    for (const PairReaderInput* input : inputs)
      if (input != inputs.front() &&
          (input->video->format().width != format.width || input->video->format().height != format.height))
        return Error(StatusCode::kUnsupported,
                     "the distorted videos have different sizes: scale to the reference's, or to WIDTHxHEIGHT");
    return format;
  }
  format.width = size.width;
  format.height = size.height;
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  return format;
}

std::string DescribePixels(double aspect) {
  return aspect == 1 ? "" : fmt::format(" with pixels {:.4g} times as wide as high", aspect);
}

Status FitSizes(const CommonSize& size, bool heed_display, const Inputs& inputs, std::vector<std::string>& steps) {
  ACU_ASSIGN_OR_RETURN(const PictureFormat to, SizeOf(size, heed_display, inputs));
  for (PairReaderInput* input : inputs) {
    const PictureFormat from = input->video->format();
    if (from.width == to.width && from.height == to.height) continue;
    const VideoFacts facts = input->video->facts();
    const ScaleOptions options = {.filter = size.filter, .siting = facts.siting.value_or(ChromaSiting())};
    ACU_ASSIGN_OR_RETURN(input->video, ScaleVideo(std::move(input->video), to.width, to.height, options));
    steps.push_back(fmt::format("{} is scaled from {}x{}{} to {}x{} ({})", input->name, from.width, from.height,
                                DescribePixels(heed_display ? facts.pixel_aspect : 1), to.width, to.height,
                                kScaleFilterNames[static_cast<int>(size.filter)]));
  }
  return {};
}

Status RaiseToDeepest(const Inputs& inputs, std::vector<std::string>& steps) {
  int deepest = 0;
  for (const PairReaderInput* input : inputs) deepest = std::max(deepest, input->video->format().bit_depth);
  for (PairReaderInput* input : inputs) {
    const int depth = input->video->format().bit_depth;
    if (depth == deepest) continue;
    if (input->video->is_on_device())
      return Error(StatusCode::kUnsupported, "the depth of pictures in a device's memory is not raised");
    steps.push_back(fmt::format("{} is raised from {} to {} bits", input->name, depth, deepest));
    input->video = RaiseBitDepth(std::move(input->video), deepest);
  }
  return {};
}

bool ReadSide(std::string_view text, int& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<CommonSize> ParseCommonSize(std::string_view size, std::string_view filter) {
  CommonSize common;
  if (const std::optional<ScaleFilter> found = FindScaleFilter(filter)) common.filter = *found;
  else return std::nullopt;
  if (size == "ref") return common;
  if (size == "dis") {
    common.of = CommonSize::Of::kDistorted;
    return common;
  }
  const size_t x = size.find('x');
  if (x == size.npos || !ReadSide(size.substr(0, x), common.width) || !ReadSide(size.substr(x + 1), common.height) ||
      !CheckPictureFormat({common.width, common.height, 8, PixelFormat::k400}).ok())
    return std::nullopt;
  common.of = CommonSize::Of::kGiven;
  return common;
}

Result<std::vector<std::string>> FitVideos(const FitOptions& options, PairReaderInput& reference,
                                           std::vector<PairReaderInput>& distorted) {
  Inputs inputs{&reference};
  for (PairReaderInput& input : distorted) inputs.push_back(&input);
  std::vector<std::string> steps;
  ACU_RETURN_IF_ERROR(TurnAndCrop(options.heed_display, inputs, steps));
  if (options.heed_color) {
    ACU_RETURN_IF_ERROR(CheckTransfers(options.force, inputs, steps));
    ACU_RETURN_IF_ERROR(FitRanges(inputs, steps));
  }
  if (options.heed_display) ACU_RETURN_IF_ERROR(CheckPixels(inputs));
  if (options.heed_display) ACU_RETURN_IF_ERROR(CheckShapes(options.force, inputs, steps));
  if (options.size) ACU_RETURN_IF_ERROR(FitSizes(*options.size, options.heed_display, inputs, steps));
  if (options.raise_bit_depth) ACU_RETURN_IF_ERROR(RaiseToDeepest(inputs, steps));
  return steps;
}

}  // namespace acutance
