#include "io/fit_videos.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/converted_range.h"
#include "io/raised_depth.h"
#include "io/scaled_video.h"

namespace acutance {
namespace {

using Inputs = std::vector<PairReaderInput*>;  // the reference first

std::string_view NameOf(Transfer transfer) { return kTransferNames[static_cast<int>(transfer)]; }

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

Result<PictureFormat> SizeOf(const CommonSize& size, const Inputs& inputs) {
  if (size.of == CommonSize::Of::kReference) return inputs.front()->video->format();
  PictureFormat format = inputs[1]->video->format();
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

Status FitSizes(const CommonSize& size, const Inputs& inputs, std::vector<std::string>& steps) {
  ACU_ASSIGN_OR_RETURN(const PictureFormat to, SizeOf(size, inputs));
  for (PairReaderInput* input : inputs) {
    const PictureFormat from = input->video->format();
    if (from.width == to.width && from.height == to.height) continue;
    ACU_ASSIGN_OR_RETURN(input->video,
                         ScaleVideo(std::move(input->video), to.width, to.height, {.filter = size.filter}));
    steps.push_back(fmt::format("{} is scaled from {}x{} to {}x{} ({})", input->name, from.width, from.height, to.width,
                                to.height, kScaleFilterNames[static_cast<int>(size.filter)]));
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
  if (options.heed_color) {
    ACU_RETURN_IF_ERROR(CheckTransfers(options.force, inputs, steps));
    ACU_RETURN_IF_ERROR(FitRanges(inputs, steps));
  }
  if (options.size) ACU_RETURN_IF_ERROR(FitSizes(*options.size, inputs, steps));
  if (options.raise_bit_depth) ACU_RETURN_IF_ERROR(RaiseToDeepest(inputs, steps));
  return steps;
}

}  // namespace acutance
