#include "run/attempt.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "align/black_bars.h"
#include "align/crop_search.h"
#include "align/input_checks.h"
#include "align/part_in_place.h"
#include "engine/device_cache.h"
#include "video/open_video.h"

namespace acutance {
namespace {

/// Warns of different frame rates where frames are paired by order.
class RateCheck {
 public:
  void Add(const std::string& path, std::optional<double> rate, AttemptReport& report) {
    constexpr double kTolerance = 0.01;  // film that is said to have 24 or 23.976 frames a second is the same frames
    if (!rate) return;
    if (!first_) first_ = {path, *rate};
    const auto& [first_path, first] = *first_;
    if (std::abs(*rate - first) > kTolerance * first)
      report.Warn(fmt::format(
          "{} has {:.6g} frames/s, {} {:.6g}; frames are compared in their order, regardless of their times",
          first_path, first, path, *rate));
  }

 private:
  std::optional<std::pair<std::string, double>> first_;
};

Input FactsOf(const PairReaderInput& input) {
  const VideoSource& video = *input.video;
  return {input.name, video.format(), video.frame_rate(), video.color(), video.facts()};
}

/// The same part of a picture of another size.
Rectangle ScaleTo(const PictureFormat& to, const PictureFormat& from, const Rectangle& part) {
  const auto scaled = [](int value, int numerator, int denominator) {
    return static_cast<int>((int64_t{value} * numerator + denominator / 2) / denominator);
  };
  return AlignToChroma({scaled(part.width, to.width, from.width), scaled(part.height, to.height, from.height),
                        scaled(part.x, to.width, from.width), scaled(part.y, to.height, from.height)},
                       to.pixel_format);
}

/// The picture of a video as it is shown.
PictureFormat ShownFormat(const VideoSource& video) {
  PictureFormat format = video.format();
  if (video.facts().orientation.transposed) std::swap(format.width, format.height);
  return format;
}

Rectangle WholeOf(const PairReaderInput& input) {
  const PictureFormat format = ShownFormat(*input.video);
  return {format.width, format.height};
}

ShapedVideo ShapeOf(const PairReaderInput& input) {
  return {ShownFormat(*input.video), input.crop.value_or(WholeOf(input)), input.shown_pixel_aspect()};
}

void CropTo(const Rectangle& part, PairReaderInput& input) {
  input.crop = part == WholeOf(input) ? std::nullopt : std::optional(part);
}

/// The part of `input`, the reference or a distorted video; nullopt: all of it. open: how videos are opened, to look
/// for bars in them.
Result<std::optional<Rectangle>> ChooseCrop(const CropChoice& choice, const PairReaderInput& input,
                                            const PairReaderInput& reference, const OpenOptions& open,
                                            const std::function<void(std::string)>& warn) {
  const PictureFormat& format = input.video->format();
  if (choice.find_bars) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Rectangle> content, FindBlackBars(input.name, open));
    if (!content) warn(fmt::format("{}: too dark to detect black bars; not cropped", input.name));
    return content && *content != WholeOf(input) ? content : std::nullopt;
  }
  if (!choice.reference || &input == &reference) return choice.reference;
  if (choice.distorted) return choice.distorted;
  return std::optional(ScaleTo(format, reference.video->format(), *choice.reference));
}

/// Crops both to the part that both show, if their pictures have one: where bars were painted over one of them, or
/// where rows or columns were cropped, so that the contents within bars have different shapes.
Status CropToSharedPart(const OpenOptions& open, PairReaderInput& reference, PairReaderInput& distorted) {
  const ShapedVideo one = ShapeOf(reference), other = ShapeOf(distorted);
  ACU_ASSIGN_OR_RETURN(const std::optional<Rectangle> part,
                       FindPartInPlace({reference.name, one}, {distorted.name, other}, open));
  if (part) {
    CropTo(*part, reference);
    CropTo(*part, distorted);
    return {};
  }
  if (!ShapesDiffer(one, other)) return {};
  ACU_ASSIGN_OR_RETURN(const std::optional<ShapeParts> parts,
                       FindShapeParts(reference.name, one, distorted.name, other, open));
  if (!parts) return {};
  CropTo(parts->reference, reference);
  CropTo(parts->distorted, distorted);
  return {};
}

/// Gives the video that declares no pixel aspect ratio that of the other one, where their sizes call for it.
void AssumeAspects(PairReaderInput& reference, PairReaderInput& distorted, AttemptReport& report) {
  const auto assume = [&](PairReaderInput& input, const PairReaderInput& other) {
    if (input.video->facts().has_pixel_aspect || input.pixel_aspect || !other.video->facts().has_pixel_aspect) return;
    input.pixel_aspect =
        AssumedPixelAspect(input.video->format(), other.video->format(), other.video->facts().pixel_aspect);
    if (input.pixel_aspect)
      report.Warn(fmt::format("{} declares no pixel aspect ratio; that of {} is assumed ({:.4g})", input.name,
                              other.name, *input.pixel_aspect));
  };
  assume(reference, distorted);
  assume(distorted, reference);
}

/// What the reference becomes next to this distorted video, as a text that is equal for those with which it becomes the
/// same.
std::string ReferenceKey(const FitOptions& fit, bool is_any_interlaced, const PairReaderInput& reference,
                         const PairReaderInput& distorted) {
  const VideoSource &one = *reference.video, &other = *distorted.video;
  const VideoFacts own = one.facts(), facts = other.facts();
  std::string key = fmt::format("{} {}", reference.crop ? ToText(*reference.crop) : "", reference.shown_pixel_aspect());
  if (fit.raise_bit_depth) key += fmt::format(" {} bits", std::max(one.format().bit_depth, other.format().bit_depth));
  if (fit.size && fit.size->of == CommonSize::Of::kDistorted) {
    const Rectangle size = distorted.crop.value_or(WholeOf(distorted));
    key += fmt::format(" {}x{}", size.width, size.height);
  }
  if (own.is_rgb && !facts.is_rgb)
    key += fmt::format(" {} {}", NameOf(other.color().matrix), other.color().full_range.value_or(false));
  if (is_any_interlaced && fit.deinterlace == Deinterlacing::kAuto)
    key += fmt::format(" {} {}", own.is_interlaced && facts.is_interlaced, other.is_raw());
  if (!one.frame_rate()) key += fmt::format(" {}", other.frame_rate().value_or(0));
  return key;
}

/// Crops, and finds the groups of distorted videos next to which the reference becomes the same.
Result<std::vector<VideoGroup>> ShapeInputs(const RunRequest& request, OpenedInputs& opened, AttemptReport& report) {
  const auto crop = [&](PairReaderInput& input) -> Status {
    ACU_ASSIGN_OR_RETURN(input.crop, ChooseCrop(request.crop, input, opened.reference, request.open,
                                                [&](std::string warning) { report.Warn(std::move(warning)); }));
    return {};
  };
  PairReaderInput& reference = opened.reference;
  const auto is_interlaced = [](const PairReaderInput& input) { return input.video->facts().is_interlaced; };
  const bool any_interlaced = is_interlaced(reference) || std::ranges::any_of(opened.distorted, is_interlaced);
  ACU_RETURN_IF_ERROR(crop(reference));
  const auto first_crop = reference.crop;
  std::vector<std::string> keys;
  for (PairReaderInput& input : opened.distorted) {
    reference.crop = first_crop;
    reference.pixel_aspect.reset();
    if (request.fit.heed_display) AssumeAspects(reference, input, report);
    ACU_RETURN_IF_ERROR(crop(input));
    if (request.crop.find_bars) ACU_RETURN_IF_ERROR(CropToSharedPart(request.open, reference, input));
    keys.push_back(ReferenceKey(request.fit, any_interlaced, reference, input));
  }
  return GroupByKey(keys);
}

}  // namespace

/// Crops, sizes and bit depths are described by their sentences. Conversions of colors, fields and chroma depend on the
/// other videos, too, so that their pictures have no key.
void ReferenceKeys::Prepare(const Input& reference) {
  std::string how;
  bool has_value = !reference.facts.is_rgb;
  for (const InputChange& change : reference.changes) {
    has_value &=
        change.change == Change::kCrop || change.change == Change::kScale || change.change == Change::kBitDepth;
    how += change.text + "; ";
  }
  first_.preparation = PreparationOf(how);
  if (!has_value) first_.video = 0;
}

PictureKey ReferenceKeys::Of(int64_t pair) const {
  if (!first_.has_value()) return {};
  PictureKey key = first_;
  key.frame = plan_->ReferenceFrame(skipped_ + pair);
  return key;
}

std::vector<std::string> DoubtRawFormats(const RunRequest& request) {
  std::vector<std::string> paths = {request.reference}, warnings;
  paths.insert(paths.end(), request.distorted.begin(), request.distorted.end());
  const std::string* fitting = nullptr;
  for (const std::string& path : paths) {
    if (const std::optional<RawFormatDoubt> doubt = DoubtRawFile(path, request.open))
      warnings.push_back(Describe(path, *doubt));
    else if (!fitting && IsRawFile(path, request.open)) fitting = &path;
  }
  // The options hold for all raw files.
  if (fitting)
    for (std::string& warning : warnings) warning += fmt::format("; {} does not: convert one of them to y4m", *fitting);
  return warnings;
}

std::optional<OpenedInputs> OpenInputs(const RunRequest& request, const OpenOptions& options,
                                       AlignmentMonitor& alignment, AttemptReport& report) {
  OpenedInputs opened;
  RateCheck rates;
  bool has_raw = false;
  const bool skips = request.journal.empty();  // a journal counts frames from the videos' first
  std::vector<Result<std::unique_ptr<VideoSource>>> videos = alignment.OpenAll(options);
  for (size_t v = 0; v <= request.distorted.size(); ++v) {
    Result<std::unique_ptr<VideoSource>>& video = videos[v];
    if (!video.ok()) return report.Fail(v == 0 ? RunStage::kReference : RunStage::kDistorted, video.status());
    const std::string& path = alignment.videos().PathOf(v);
    const int64_t first = !skips ? 0 : v == 0 ? request.skip_reference : request.skip_distorted;
    const int64_t skip = first + alignment.plan().SkipOf(v);
    if (v == 0) opened.keys = ReferenceKeys(alignment.videos().reference_key(), skip, alignment.plan());
    for (const std::string& warning : (*video)->warnings()) report.Warn(path + ": " + warning);
    has_raw |= (*video)->is_raw();
    opened.is_instant &= (*video)->is_instant();
    if (request.pairing.mode == AlignmentRequest::Mode::kIndex) rates.Add(path, (*video)->frame_rate(), report);
    PairReaderInput input{path, std::move(video).value(), skip};
    if (request.hash_samples) {
      opened.hashed.push_back({std::make_shared<SampleHasher>(), skip});
      input.video = HashSamples(std::move(input.video), opened.hashed.back().hasher);
    }
    if (v == 0) opened.reference = std::move(input);
    else opened.distorted.push_back(std::move(input));
  }
  if (request.check_model_sizes && opened.distorted.size() == 1)
    if (std::optional<std::string> swapped = CheckInputOrder(opened.reference, opened.distorted.front()))
      report.Warn(*std::move(swapped));
  if (request.open.raw && !has_raw && request.numbers.empty())
    return report.Fail(
        RunStage::kReference,
        Error(StatusCode::kInvalidArgument,
              "{} declares its own size, and no other video is raw yuv: leave out the size", request.reference));
  return opened;
}

std::optional<FittedInputs> FitInputs(const RunRequest& request, OpenedInputs opened, AlignmentMonitor& alignment,
                                      AttemptReport& report) {
  Result<std::vector<VideoGroup>> groups = ShapeInputs(request, opened, report);
  if (!groups.ok()) return report.Fail(RunStage::kRead, groups.status());
  if (groups->size() > 1) return report.Split(*std::move(groups));
  alignment.SetCrop(0, opened.reference.crop);
  for (size_t d = 0; d < opened.distorted.size(); ++d) alignment.SetCrop(d + 1, opened.distorted[d].crop);
  if (alignment.RejectsFacts()) return std::nullopt;
  std::vector<Input> inputs = {FactsOf(opened.reference)};
  for (const PairReaderInput& input : opened.distorted) inputs.push_back(FactsOf(input));
  const Result<std::vector<FitStep>> steps = FitVideos(request.fit, opened.reference, opened.distorted);
  if (!steps.ok()) return report.FailPair(request, steps.status());
  for (const FitStep& step : *steps) {
    report.Warn(step.text);
    if (!step.input) continue;
    const bool is_reference = step.input == &opened.reference;
    const size_t number = is_reference ? 0 : 1 + static_cast<size_t>(step.input - opened.distorted.data());
    inputs[number].changes.push_back({step.change, step.text});
  }
  opened.keys.Prepare(inputs[0]);
  return FittedInputs{std::move(opened), std::move(inputs)};
}

}  // namespace acutance
