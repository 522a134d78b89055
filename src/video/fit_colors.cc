#include "video/fit_colors.h"

#include <algorithm>
#include <utility>

#include "video/filters.h"

namespace acutance {
namespace {

/// Profile 5, and AV1's 10 without a base layer, have none that other decoders show correctly: their samples are IPT,
/// which only a Dolby decoder converts to YUV.
Status CheckDolbyVision(bool force, const PairReaderInput& input, std::vector<FitStep>& steps) {
  constexpr int kIptProfile = 5;
  const VideoFacts facts = input.video->facts();
  if (facts.dolby_vision_profile == 0) return {};
  const std::string what = fmt::format("{} is Dolby Vision of profile {}", input.name, facts.dolby_vision_profile);
  if (facts.dolby_vision_profile != kIptProfile && facts.has_dolby_base) {
    steps.push_back({what + ": its base layer is scored, as players without Dolby Vision show it"});
    return {};
  }
  const std::string problem = what + ", whose samples are no YUV";
  if (!force)
    return Error(StatusCode::kUnsupported,
                 "{}: convert it with a decoder for it (such as FFmpeg's filter libplacebo), or --force", problem);
  steps.push_back({problem + ": scores are not meaningful"});
  return {};
}

/// The color that RGB gets: that of the first video of YUV.
VideoColor ColorForRgb(const FitInputs& inputs, std::string& reason) {
  VideoColor color = {.full_range = false, .matrix = Matrix::kBt709};
  const auto yuv = std::ranges::find_if(inputs, [](const auto* input) { return !input->video->facts().is_rgb; });
  if (yuv == inputs.end()) return color;
  const VideoColor other = (*yuv)->video->color();
  color.full_range = other.full_range.value_or(false);
  color.matrix = other.matrix == Matrix::kUnknown ? Matrix::kBt601 : other.matrix;
  reason = other.matrix == Matrix::kUnknown
               ? fmt::format(" ({} declares no matrix; FFmpeg converts RGB so)", (*yuv)->name)
               : fmt::format(" (that of {})", (*yuv)->name);
  return color;
}

int DepthOf(const PairReaderInput& input) { return input.video->format().bit_depth; }

/// The depth that a video gets where its samples are converted.
int TargetDepth(const FitOptions& options, const FitInputs& inputs, const PairReaderInput& input) {
  if (!options.raise_bit_depth) return DepthOf(input);
  int deepest = 0;
  for (const PairReaderInput* other : inputs) deepest = std::max(deepest, DepthOf(*other));
  return deepest;
}

void NoteDepth(const PairReaderInput& input, int to, std::vector<FitStep>& steps) {
  if (const int from = DepthOf(input); from < to)
    steps.push_back(
        {fmt::format("{} is expanded from {} to {} bits", input.name, from, to), &input, Change::kBitDepth});
}

/// Luma of two matrices is not the same mixture; primaries of the two BT.601 and of BT.709 lie side by side.
Status CheckColors(bool force, const FitInputs& inputs, std::vector<FitStep>& steps) {
  const PairReaderInput& reference = *inputs.front();
  const VideoColor own = reference.video->color();
  const auto is_usual = [](Primaries primaries) {
    return primaries == Primaries::kBt709 || primaries == Primaries::kNtsc || primaries == Primaries::kPal;
  };
  const auto differ = [](auto a, auto b, auto unknown) { return a != unknown && b != unknown && a != b; };
  for (const PairReaderInput* input : inputs) {
    const VideoColor color = input->video->color();
    const bool matrix = differ(own.matrix, color.matrix, Matrix::kUnknown);
    if (!matrix && !differ(own.primaries, color.primaries, Primaries::kUnknown)) continue;
    const std::string problem = matrix ? fmt::format("{} has the matrix of {} and {} that of {}", reference.name,
                                                     NameOf(own.matrix), input->name, NameOf(color.matrix))
                                       : fmt::format("{} has the primaries of {} and {} those of {}", reference.name,
                                                     NameOf(own.primaries), input->name, NameOf(color.primaries));
    if (!matrix && is_usual(own.primaries) && is_usual(color.primaries)) {
      steps.push_back({problem + ": colors differ a little"});
      continue;
    }
    if (!force)
      return Error(StatusCode::kUnsupported,
                   "{}: their samples mean different colors; convert one of them (such as by FFmpeg's filter zscale), "
                   "correct what its stream says, or --force",
                   problem);
    steps.push_back({problem + ": their samples mean different colors"});
  }
  return {};
}

/// An undeclared curve is taken as SDR next to HDR: encoders declare that of HDR, since players need it.
Status CheckTransfers(bool force, const FitInputs& inputs, std::vector<FitStep>& steps) {
  const PairReaderInput& reference = *inputs.front();
  const VideoColor own = reference.video->color();
  for (const PairReaderInput* input : inputs) {
    const VideoColor color = input->video->color();
    if ((!own.is_hdr() && !color.is_hdr()) || own.transfer == color.transfer) continue;
    const std::string problem =
        fmt::format("{} is {} and {} {}", reference.name, NameOf(own.transfer), input->name, NameOf(color.transfer));
    if (!force)
      return Error(StatusCode::kUnsupported,
                   "{}: their transfer functions differ; map the tones of one of them first, or --force", problem);
    steps.push_back({problem + ": their transfer functions differ; scores are not meaningful"});
  }
  for (const PairReaderInput* input : inputs) ACU_RETURN_IF_ERROR(CheckDolbyVision(force, *input, steps));
  if (own.is_hdr()) steps.push_back({"the videos are " + std::string(NameOf(own.transfer)) + ", and models know SDR"});
  return {};
}

/// A video that declares no range has the limited one, as in H.264 and HEVC. Limited range is expanded to more bits by
/// a shift (ExpandBitDepth), full range is not: its white would not stay white.
Status FitRanges(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps) {
  const std::optional<bool> wanted = inputs.front()->video->color().full_range;
  const bool full = wanted.value_or(false);
  for (PairReaderInput* input : inputs) {
    const std::optional<bool> own = input->video->color().full_range;
    const bool changes = own.value_or(false) != full;
    const int depth = TargetDepth(options, inputs, *input);
    if (!changes && (!full || depth == DepthOf(*input))) continue;
    NoteDepth(*input, depth, steps);
    const std::string_view assumed = wanted && own ? "" : " (an undeclared range is taken as limited)";
    if (changes)
      steps.push_back({fmt::format("{} is converted from {} range{}", input->name,
                                   full ? "limited to full" : "full to limited", assumed),
                       input, Change::kRange});
    input->video = ConvertRange(std::move(input->video), {full, depth});
  }
  return {};
}

}  // namespace

Status MakeYuv(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps) {
  std::string reason;
  const VideoColor color = ColorForRgb(inputs, reason);
  for (PairReaderInput* input : inputs) {
    if (!input->video->facts().is_rgb) continue;
    if (!options.force && (color.matrix == Matrix::kOther || color.matrix == Matrix::kRgb))
      return Error(StatusCode::kUnsupported,
                   "{} is RGB and the other video's matrix is none that it is converted by: "
                   "convert one of them, or --force (BT.709)",
                   input->name);
    const int depth = TargetDepth(options, inputs, *input);
    NoteDepth(*input, depth, steps);
    if (const Status status = input->video->SetRgbColor(color, depth); !status.ok())
      return Error(status.code(), "{}: {}", input->name, status.message());
    steps.push_back({fmt::format("{} is RGB, and converted to 4:4:4 of {} range by {}{}", input->name,
                                 *color.full_range ? "full" : "limited", NameOf(color.matrix), reason),
                     input, Change::kRgb});
  }
  return {};
}

Status FitColors(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps) {
  ACU_RETURN_IF_ERROR(CheckColors(options.force, inputs, steps));
  ACU_RETURN_IF_ERROR(CheckTransfers(options.force, inputs, steps));
  return FitRanges(options, inputs, steps);
}

}  // namespace acutance
