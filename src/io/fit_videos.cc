#include "io/fit_videos.h"

#include <algorithm>
#include <utility>

#include "io/raised_depth.h"
#include "io/scaled_video.h"

namespace acutance {
namespace {

using Inputs = std::vector<PairReaderInput*>;  // the reference first

Result<PictureFormat> SizeOf(const CommonSize& size, const Inputs& inputs) {
  if (size.of == CommonSize::Of::kReference) return inputs.front()->video->format();
  PictureFormat format = inputs[1]->video->format();
  if (size.of == CommonSize::Of::kDistorted) {
    for (const PairReaderInput* input : inputs)
      if (input != inputs.front() &&
          (input->video->format().width != format.width || input->video->format().height != format.height))
        return Error(StatusCode::kInvalidArgument,
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
      return Error(StatusCode::kInvalidArgument, "the depth of pictures in a device's memory is not raised");
    steps.push_back(fmt::format("{} is raised from {} to {} bits", input->name, depth, deepest));
    input->video = RaiseBitDepth(std::move(input->video), deepest);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> FitVideos(const FitOptions& options, PairReaderInput& reference,
                                           std::vector<PairReaderInput>& distorted) {
  Inputs inputs{&reference};
  for (PairReaderInput& input : distorted) inputs.push_back(&input);
  std::vector<std::string> steps;
  if (options.size) ACU_RETURN_IF_ERROR(FitSizes(*options.size, inputs, steps));
  if (options.raise_bit_depth) ACU_RETURN_IF_ERROR(RaiseToDeepest(inputs, steps));
  return steps;
}

}  // namespace acutance
