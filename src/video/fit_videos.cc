#include "video/fit_videos.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "video/deinterlace.h"
#include "video/filters.h"
#include "video/fit_colors.h"

namespace acutance {
namespace {

/// Reports what opening changed.
void NoteSamples(const FitInputs& inputs, std::vector<FitStep>& steps) {
  for (const PairReaderInput* input : inputs)
    if (const std::string_view changed = input->video->facts().changed_samples; !changed.empty())
      steps.push_back({fmt::format("{}: {}", input->name, changed), input, Change::kSamples});
}

bool IsChosen(Deinterlacing choice, bool is_reference, bool is_interlaced) {
  const bool by_stream = choice == Deinterlacing::kAuto || choice == Deinterlacing::kOn;
  const bool by_name = choice == (is_reference ? Deinterlacing::kReference : Deinterlacing::kDistorted);
  return (by_stream && is_interlaced) || by_name || choice == Deinterlacing::kBoth;
}

/// Raw yuv does not declare whether it is interlaced, so that `auto` does nothing next to it.
Status Progress(Deinterlacing choice, const FitInputs& inputs, std::vector<FitStep>& steps) {
  const auto is_interlaced = [](const PairReaderInput* input) { return input->video->facts().is_interlaced; };
  const auto is_raw = [](const PairReaderInput* input) { return input->video->is_raw(); };
  const auto declared = std::ranges::find_if(inputs, is_interlaced);
  if (choice == Deinterlacing::kAuto && declared != inputs.end()) {
    if (std::ranges::all_of(inputs, is_interlaced)) {
      steps.push_back({"all videos are interlaced, and compared as they are; --deinterlace on makes them progressive"});
      return {};
    }
    if (std::ranges::any_of(inputs, is_raw)) {
      steps.push_back(
          {fmt::format("{} is interlaced, and raw yuv declares nothing; --deinterlace on makes it progressive, "
                       "ref, dis or both the raw one, too",
                       (*declared)->name)});
      return {};
    }
  }
  for (PairReaderInput* input : inputs) {
    if (!IsChosen(choice, input == inputs.front(), is_interlaced(input))) continue;
    const bool bottom = input->video->facts().bottom_field_first;
    ACU_ASSIGN_OR_RETURN(input->video, DeinterlaceVideo(std::move(input->video)));
    steps.push_back({fmt::format("{} is deinterlaced: the {} field of each combed frame is completed", input->name,
                                 bottom ? "bottom" : "top"),
                     input, Change::kDeinterlace});
  }
  return {};
}

Status RotateAndCrop(bool heed_display, const FitInputs& inputs, std::vector<FitStep>& steps) {
  for (PairReaderInput* input : inputs) {
    const PictureFormat stored = input->video->format();
    if (heed_display && input->video->facts().orientation != Orientation()) {
      ACU_ASSIGN_OR_RETURN(input->video, AutoRotate(std::move(input->video)));
      const PictureFormat& shown = input->video->format();
      steps.push_back({fmt::format("{} is rotated as displayed, from {}x{} to {}x{}", input->name, stored.width,
                                   stored.height, shown.width, shown.height),
                       input, Change::kTurn});
    }
    if (!input->crop) continue;
    ACU_ASSIGN_OR_RETURN(input->video, CropVideo(std::move(input->video), *input->crop));
    steps.push_back({fmt::format("{} is cropped to {}", input->name, ToText(*input->crop)), input, Change::kCrop});
  }
  return {};
}

/// Headers may declare any ratio. Anamorphic video has 0.5 to 2.
Status CheckPixels(const FitInputs& inputs) {
  constexpr double kMost = 100;
  for (const PairReaderInput* input : inputs) {
    const double aspect = input->shown_pixel_aspect();
    if (aspect >= 1 / kMost && aspect <= kMost) continue;
    return Error(StatusCode::kBadData,
                 "{}: implausible pixel aspect ratio {:.4g}; correct its header first, for example: ffmpeg -i IN -vf "
                 "setsar=1 OUT",
                 input->name, aspect);
  }
  return {};
}

ShapedVideo ShapedOf(const PairReaderInput& input) {
  const PictureFormat& format = input.video->format();
  return {format, {format.width, format.height}, input.shown_pixel_aspect()};
}

/// Encoders round sizes to whole blocks, by scaling or by cropping rows.
Status CheckShapes(bool force, const FitInputs& inputs, std::vector<FitStep>& steps) {
  constexpr double kTolerance = 0.03;
  const PairReaderInput& reference = *inputs.front();
  const ShapedVideo shaped = ShapedOf(reference);
  for (const PairReaderInput* input : inputs) {
    const ShapedVideo own = ShapedOf(*input);
    const bool nearly = std::abs(own.shape() - shaped.shape()) <= kTolerance * shaped.shape();
    if (nearly && (!ShapesDiffer(shaped, own) || input->crop)) continue;
    const PictureFormat &one = reference.video->format(), &other = input->video->format();
    const std::string problem =
        fmt::format("{} is {}x{}, shown {:.3f} times as wide as high, and {} {}x{}, shown {:.3f} times", reference.name,
                    one.width, one.height, shaped.shape(), input->name, other.width, other.height, own.shape());
    if (nearly) {
      steps.push_back({problem + ": one of them is squashed, unless rows or columns were cropped, which --crop auto "
                                 "detects"});
      continue;
    }
    if (!force)
      return Error(StatusCode::kUnsupported,
                   "{}: scaling would squash one of them; crop black bars with --crop auto, give the part that both "
                   "show with --crop, or --force",
                   problem);
    steps.push_back({problem + ": one of them is squashed"});
  }
  return {};
}

/// The size with square pixels, which takes nothing from the stored one.
PictureFormat ShownSize(bool heed_display, const PairReaderInput& input) {
  constexpr double kSquare = 0.01;
  PictureFormat format = input.video->format();
  const double aspect = heed_display ? input.shown_pixel_aspect() : 1;
  const auto stretched = [](int side, double by) { return 2 * static_cast<int>(std::floor(side * by / 2 + 0.5)); };
  if (aspect > 1 + kSquare) format.width = stretched(format.width, aspect);
  else if (aspect < 1 - kSquare) format.height = stretched(format.height, 1 / aspect);
  return format;
}

/// Refuses a size of another shape than the reference's.
Status CheckScale(const CommonSize& size, const FitInputs& inputs) {
  constexpr double kTolerance = 0.03;
  const PictureFormat shown = ShownSize(true, *inputs.front());
  const double shape = static_cast<double>(shown.width) / shown.height;
  const double asked = static_cast<double>(size.width) / size.height;
  if (std::abs(asked - shape) <= kTolerance * shape) return {};
  const double factor =
      std::min(static_cast<double>(size.width) / shown.width, static_cast<double>(size.height) / shown.height);
  const auto even = [&](int side) { return 2 * static_cast<int>(std::floor(side * factor / 2 + 0.5)); };
  return Error(StatusCode::kUnsupported,
               "--scale {}x{} would squash {}, which is shown {:.3f} times as wide as high; --scale {}x{} keeps its "
               "shape, and --force scales as told",
               size.width, size.height, inputs.front()->name, shape, even(shown.width), even(shown.height));
}

Result<PictureFormat> SizeOf(const CommonSize& size, bool heed_display, const FitInputs& inputs) {
  PictureFormat format = inputs[1]->video->format();
  if (size.of == CommonSize::Of::kReference) {
    format = ShownSize(heed_display, *inputs.front());
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

Status FitSizes(const CommonSize& size, bool heed_display, const FitInputs& inputs, std::vector<FitStep>& steps) {
  ACU_ASSIGN_OR_RETURN(const PictureFormat to, SizeOf(size, heed_display, inputs));
  for (PairReaderInput* input : inputs) {
    const PictureFormat from = input->video->format();
    if (from.width == to.width && from.height == to.height) continue;
    const VideoFacts facts = input->video->facts();
    const double aspect = heed_display ? input->shown_pixel_aspect() : 1;
    const ScaleOptions options = {.filter = size.filter, .siting = facts.siting.value_or(ChromaSiting())};
    ACU_ASSIGN_OR_RETURN(input->video, ScaleVideo(std::move(input->video), to.width, to.height, options));
    steps.push_back(
        {fmt::format("{} is scaled from {}x{}{} to {}x{} ({})", input->name, from.width, from.height,
                     DescribePixels(aspect), to.width, to.height, kScaleFilterNames[static_cast<int>(size.filter)]),
         input, Change::kScale});
  }
  return {};
}

std::string_view ChromaName(PixelFormat format) {
  constexpr std::string_view kNames[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
  return kNames[static_cast<int>(format)];
}

/// Distorted chroma gets the reference's format, which bounds what can be seen.
Status FitChroma(ScaleFilter filter, const FitInputs& inputs, std::vector<FitStep>& steps) {
  const VideoSource& reference = *inputs.front()->video;
  for (PairReaderInput* input : inputs) {
    const PixelFormat from = input->video->format().pixel_format, to = reference.format().pixel_format;
    if (from == to) continue;
    const ChromaChange change = {.to = to,
                                 .siting = input->video->facts().siting.value_or(ChromaSiting()),
                                 .to_siting = reference.facts().siting.value_or(ChromaSiting()),
                                 .filter = filter};
    ACU_ASSIGN_OR_RETURN(input->video, ConvertChroma(std::move(input->video), change));
    const bool left_out = to == PixelFormat::k400, added = from == PixelFormat::k400;
    steps.push_back(
        {left_out ? fmt::format("the chroma of {} is left out, for {} has none", input->name, inputs.front()->name)
         : added  ? fmt::format("{} has no chroma, and gets {} without color", input->name, ChromaName(to))
                  : fmt::format("the chroma of {} is brought from {} to {} ({})", input->name, ChromaName(from),
                                ChromaName(to), kScaleFilterNames[static_cast<int>(filter)]),
         input, Change::kChroma});
  }
  return {};
}

/// Shifts samples of limited range. Converted ones, and full range, are at that depth already (FitColors).
Status ExpandToDeepest(const FitInputs& inputs, std::vector<FitStep>& steps) {
  int deepest = 0;
  for (const PairReaderInput* input : inputs) deepest = std::max(deepest, input->video->format().bit_depth);
  for (PairReaderInput* input : inputs) {
    const int depth = input->video->format().bit_depth;
    if (depth == deepest) continue;
    steps.push_back(
        {fmt::format("{} is expanded from {} to {} bits", input->name, depth, deepest), input, Change::kBitDepth});
    input->video = ExpandBitDepth(std::move(input->video), deepest);
  }
  return {};
}

bool ReadSide(std::string_view text, int& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool ShapesDiffer(const ShapedVideo& reference, const ShapedVideo& distorted) {
  // Either side of the smaller picture may have been rounded by a chroma sample, and so may both.
  constexpr double kRounded = 2.5;
  const int side =
      std::min({reference.content.width, reference.content.height, distorted.content.width, distorted.content.height});
  const double a = reference.shape(), b = distorted.shape();
  return std::abs(a - b) * side > kRounded * std::min(a, b);
}

std::optional<double> AssumedPixelAspect(const PictureFormat& undeclared, const PictureFormat& other,
                                         double other_aspect) {
  const auto shaped = [](const PictureFormat& format, double aspect) {
    return ShapedVideo{format, {format.width, format.height}, aspect};
  };
  const ShapedVideo declared = shaped(other, other_aspect);
  if (!ShapesDiffer(declared, shaped(undeclared, 1)) || ShapesDiffer(declared, shaped(undeclared, other_aspect)))
    return std::nullopt;
  return other_aspect;
}

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

std::optional<Deinterlacing> FindDeinterlacing(std::string_view name) {
  const auto* found = std::ranges::find(kDeinterlacingNames, name);
  if (found == std::end(kDeinterlacingNames)) return std::nullopt;
  return static_cast<Deinterlacing>(found - std::begin(kDeinterlacingNames));
}

Result<std::vector<FitStep>> FitVideos(const FitOptions& options, PairReaderInput& reference,
                                       std::vector<PairReaderInput>& distorted) {
  FitInputs inputs{&reference};
  for (PairReaderInput& input : distorted) inputs.push_back(&input);
  std::vector<FitStep> steps;
  if (options.heed_color) {
    NoteSamples(inputs, steps);
    ACU_RETURN_IF_ERROR(MakeYuv(options, inputs, steps));
  }
  ACU_RETURN_IF_ERROR(Progress(options.deinterlace, inputs, steps));
  ACU_RETURN_IF_ERROR(RotateAndCrop(options.heed_display, inputs, steps));
  if (options.heed_color) ACU_RETURN_IF_ERROR(FitColors(options, inputs, steps));
  if (options.heed_display) ACU_RETURN_IF_ERROR(CheckPixels(inputs));
  if (options.heed_display) ACU_RETURN_IF_ERROR(CheckShapes(options.force, inputs, steps));
  if (options.size && options.size->of == CommonSize::Of::kGiven && options.heed_display && !options.force)
    ACU_RETURN_IF_ERROR(CheckScale(*options.size, inputs));
  if (options.size) ACU_RETURN_IF_ERROR(FitSizes(*options.size, options.heed_display, inputs, steps));
  if (options.fit_chroma)
    ACU_RETURN_IF_ERROR(FitChroma(options.size ? options.size->filter : ScaleFilter::kBicubic, inputs, steps));
  if (options.raise_bit_depth) ACU_RETURN_IF_ERROR(ExpandToDeepest(inputs, steps));
  return steps;
}

}  // namespace acutance
