// Checks of files, their order and the alignment of their frames.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "align/frame_track.h"
#include "align/input_checks.h"
#include "base/shell_word.h"
#include "run/doctor/checks.h"

namespace acutance {
namespace {

/// FFmpeg's input options for raw video that no option of acutance describes, or acutance's.
std::string RawCommand(const VideoProbe& video, const Probe& probe) {
  const RawFormatDoubt& doubt = *video.format_doubt;
  if (!doubt.options.empty()) return probe.Score(" " + doubt.options);
  return fmt::format("ffmpeg -f rawvideo -pix_fmt {} -s {}x{} -i {} converted.y4m", doubt.format, video.format.width,
                     video.format.height, ShellWord(video.name));
}

std::optional<Finding> DamageOf(const VideoProbe& video, const Probe& probe) {
  if (video.damage.ok()) return std::nullopt;
  return Finding{"damage", 0.97, fmt::format("{} breaks off or is damaged: {}.", video.name, video.damage.message()),
                 probe.Score(fmt::format(" --frames 0:{}", video.frames))};
}

/// Whether another cause may explain why one video ends before the other.
bool HasOtherCause(const Probe& probe) {
  const auto others = {CheckTransfer, CheckColor, CheckInterlacing, CheckCrop, CheckOffset, CheckDrops, CheckContent};
  return std::ranges::any_of(others, [&](const auto& check) { return check(probe).has_value(); });
}

/// Signs that the inputs are in the wrong order: their weight and human-readable reasons.
struct Signs {
  double weight = 0;
  std::vector<const char*> reasons{};

  void Add(bool is_swapped, bool is_right, double more, const char* reason) {
    weight += is_swapped ? more : is_right ? -more : 0;
    if (is_swapped) reasons.push_back(reason);
  }
};

void AddDetail(const Probe& probe, bool are_lossy, Signs& signs) {
  const double a = probe.reference.detail, b = probe.distorted.detail;
  // The errors of an encode may add more detail than it loses.
  const double less = std::min(a, b) / std::max(1e-9, std::max(a, b)), weight = std::min(0.5, 4 * (1 - less));
  signs.Add(a < 0.97 * b, false, weight, "it has less detail");
  signs.Add(false, b < 0.97 * a, weight * (are_lossy ? 0.5 : 1), "");
}

/// Makes each frame last `slower` times as long as the stream says, and aligns by time.
std::string Retime(const std::string& path, double slower, const std::string& reference) {
  return fmt::format(
      "ffmpeg -itsscale {:.6g} -i {} -map 0:v:0 -c copy retimed.mkv && acutance score {} retimed.mkv --align time",
      slower, ShellWord(path), ShellWord(reference));
}

constexpr int64_t kFewChanged = 2;  // frames that an encode may hide at the start of a video

/// How far pairs lie from a line of `rate` reference frames for one of the distorted video, in reference frames.
double SpreadAbout(double rate, const Alignment& alignment) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const auto& [reference, distorted] : alignment.pairs) {
    const double at = static_cast<double>(reference) - rate * static_cast<double>(distorted);
    least = std::min(least, at), most = std::max(most, at);
  }
  return most - least;
}

/// The usual conversion of frame rates that explains all pairs, where their order does not; nullopt: none does.
std::optional<double> ConversionOf(const Alignment& alignment) {
  constexpr double kRounding = 1.6, kLeastDrift = 4;  // frames
  constexpr size_t kLeast = 12;                       // pairs
  if (alignment.pairs.size() < kLeast || SpreadAbout(1, alignment) < kLeastDrift) return std::nullopt;
  const auto spread = [&](double rate) { return SpreadAbout(rate, alignment); };
  const double best = *std::ranges::min_element(kRateConversions, {}, spread);
  return spread(best) <= kRounding ? std::optional(best) : std::nullopt;
}

bool DeclareOtherRates(const Probe& probe) {
  constexpr double kTolerance = 0.01;
  const std::optional<double> a = probe.reference.frame_rate, b = probe.distorted.frame_rate;
  return a && b && std::abs(*a - *b) > kTolerance * std::max(*a, *b);
}

/// Distorted frames that repeat the one before while the reference moves, and fit their own reference frame worse than
/// that one fits its own. Encoders that filter over time leave frames alike at the ends.
int64_t CountRepeats(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr int64_t kEnds = 4;
  constexpr auto kMoves = static_cast<int64_t>(0.3 * 256 * FrameFingerprint::kCells);
  constexpr auto kStands = static_cast<int64_t>(0.02 * 256 * FrameFingerprint::kCells);
  constexpr double kWorse = 1.3;
  int64_t repeats = 0;
  for (int64_t j = 1 + kEnds; j + kEnds < std::min(distorted.size(), reference.size()); ++j) {
    const auto at = static_cast<size_t>(j);
    const auto apart = [&](const FrameTrack& one, size_t i, const FrameTrack& other, size_t k) {
      return CellDifference(one.fingerprints[i], other.fingerprints[k]);
    };
    if (apart(reference, at, reference, at - 1) <= kMoves || apart(distorted, at, distorted, at - 1) >= kStands)
      continue;
    const auto own = static_cast<double>(apart(reference, at, distorted, at));
    repeats += own > kWorse * static_cast<double>(apart(reference, at - 1, distorted, at - 1));
  }
  return repeats;
}

/// Paths are less sure where one picture is a part of the other.
double PathConfidence(const Probe& probe) { return probe.alignment->confidence * (probe.is_cropped() ? 0.9 : 1); }

int64_t ChangedFrames(const Alignment& alignment) { return alignment.dropped() + alignment.repeated(); }

}  // namespace

std::optional<Finding> CheckRawFormat(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (!ref.format_doubt && !dis.format_doubt) return std::nullopt;
  const VideoProbe& video = ref.format_doubt ? ref : dis;
  const bool is_single = ref.format_doubt.has_value() != dis.format_doubt.has_value();
  return Finding{"raw-format", 0.96,
                 fmt::format("The bytes of {} fit {} better than {}{}.", is_single ? video.name : "both files",
                             video.format_doubt->better, video.format_doubt->told,
                             is_single ? ": if the other file is raw, too, convert one of them to y4m" : ""),
                 RawCommand(video, probe)};
}

std::optional<Finding> CheckReferenceDamage(const Probe& probe) { return DamageOf(probe.reference, probe); }
std::optional<Finding> CheckDistortedDamage(const Probe& probe) { return DamageOf(probe.distorted, probe); }

std::optional<Finding> CheckMissingEnd(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (!ref.track.is_whole || !dis.track.is_whole || !ref.damage.ok() || !dis.damage.ok() || CheckFrameRate(probe))
    return std::nullopt;
  const auto& alignment = probe.alignment;
  const int64_t late = alignment ? alignment->pairs.back().second - alignment->pairs.back().first : 0;
  const int64_t missing = ref.frames - (dis.frames - late), longer = std::max(ref.frames, dis.frames);
  constexpr int64_t kFew = 8, kFewLost = 4;
  constexpr double kShare = 0.05, kShareUnaligned = 0.5;
  const double share = static_cast<double>(std::abs(missing)) / static_cast<double>(longer);
  if (std::abs(missing) <= kFew || share < (alignment ? kShare : kShareUnaligned)) return std::nullopt;
  const VideoProbe &cut = missing > 0 ? dis : ref, &whole = missing > 0 ? ref : dis;
  // Where a stream breaks off, frames before that lack those that they are predicted from.
  const int64_t lost = alignment && alignment->late() == 0 ? alignment->dropped() + alignment->repeated() : 0;
  const double confidence = lost > 0 && lost <= kFewLost ? 0.91
                            : HasOtherCause(probe)       ? std::min(0.4 + share / 2, 0.7)
                                                         : std::min(0.6 + share / 2, 0.9);
  return Finding{"damage", confidence,
                 fmt::format("{} ends {} frames before {} does: its end is missing, or was trimmed.", cut.name,
                             std::abs(missing), whole.name),
                 probe.Score()};
}

std::optional<Finding> CheckOrder(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  Signs signs;
  const int64_t a = int64_t{ref.format.width} * ref.format.height, b = int64_t{dis.format.width} * dis.format.height;
  signs.Add(a<b, a> b, 0.5, "it is smaller");
  const bool ref_lossy = IsLossy(ref.facts), dis_lossy = IsLossy(dis.facts);
  signs.Add(ref_lossy && !dis_lossy, dis_lossy && !ref_lossy, IsHighQualitySource(ref_lossy ? ref : dis) ? 0.3 : 0.8,
            "only it is compressed");
  if (ref.facts.bit_rate && dis.facts.bit_rate && ref_lossy && dis_lossy) {
    const auto x = static_cast<double>(*ref.facts.bit_rate), y = static_cast<double>(*dis.facts.bit_rate);
    const double ratio = std::max(x, y) / std::min(x, y);
    signs.Add(x < 0.6 * y, y < 0.6 * x, std::min(0.7 + 0.12 * (ratio - 1 / 0.6), 1.2), "it has fewer bits a second");
  }
  if (a == b) AddDetail(probe, ref_lossy && dis_lossy, signs);
  constexpr double kLeast = 0.45;
  if (signs.weight < kLeast) return std::nullopt;
  return Finding{"swapped", std::min(0.45 + 0.3 * signs.weight, 0.9),
                 fmt::format("{} looks like the encode of {}: {}.", ref.name, dis.name, fmt::join(signs.reasons, ", ")),
                 fmt::format("acutance score {} {}", ShellWord(dis.name), ShellWord(ref.name))};
}

std::optional<Finding> CheckHdrModel(const Probe& probe) {
  if (!probe.is_hdr() || !probe.names_model) return std::nullopt;
  return Finding{
      "model", 0.9,
      fmt::format("{} and {} are HDR, and the models know SDR alone: without one, metrics of HDR score them.",
                  probe.reference.name, probe.distorted.name),
      probe.Score()};
}

std::optional<Finding> CheckModel(const Probe& probe) {
  if (!probe.model_problem) return std::nullopt;
  return Finding{"model", 0.9, probe.model_problem->first + ".", probe.Score(probe.model_problem->second)};
}

std::optional<Finding> CheckSinglePicture(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if ((ref.frames > 1 && dis.frames > 1) || ref.frames == dis.frames) return std::nullopt;
  const VideoProbe &one = ref.frames == 1 ? ref : dis, &other = ref.frames == 1 ? dis : ref;
  return Finding{"drops", 0.95,
                 fmt::format("{} has one frame, and {} has {} or more.", one.name, other.name, other.frames),
                 probe.Score(" --align index")};
}

std::optional<Finding> CheckFrameRate(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  constexpr const char* kEffect = ", so that equal numbers show different moments.";
  if (DeclareOtherRates(probe))
    return Finding{"frame-rate", 0.94,
                   fmt::format("{} has {:.6g} frames/s and {} {:.6g}{}", ref.name, *ref.frame_rate, dis.name,
                               *dis.frame_rate, kEffect),
                   probe.Score(" --align time")};
  const std::optional<double> rate = probe.alignment ? ConversionOf(*probe.alignment) : std::nullopt;
  if (!rate) return std::nullopt;
  return Finding{"frame-rate", 0.9,
                 fmt::format("A frame of {} lasts {:.4g} frames of {}{}", dis.name, *rate, ref.name, kEffect),
                 Retime(dis.name, *rate, ref.name)};
}

std::optional<Finding> CheckOffset(const Probe& probe) {
  if (!probe.alignment || probe.alignment->late() == 0 || CheckFrameRate(probe)) return std::nullopt;
  const int64_t late = probe.alignment->late(), frames = std::abs(late);
  const std::string &ref = probe.reference.name, &dis = probe.distorted.name;
  const auto& [behind, ahead] = late > 0 ? std::tie(dis, ref) : std::tie(ref, dis);
  return Finding{"offset", (ChangedFrames(*probe.alignment) <= kFewChanged ? 0.95 : 0.85) * PathConfidence(probe),
                 fmt::format("{} is {} frame{} {}: what the first frame of {} shows, frame {} of {} does.", dis, frames,
                             frames == 1 ? "" : "s", late > 0 ? "late" : "early", ahead, frames, behind),
                 probe.Score(fmt::format(" --align {:+}", late))};
}

std::optional<Finding> CheckDrops(const Probe& probe) {
  if (!probe.alignment || CheckFrameRate(probe)) return std::nullopt;
  const Alignment& path = *probe.alignment;
  const int64_t changed = ChangedFrames(path);
  const auto finding = [&](double confidence, const std::string& what) {
    return Finding{"drops", confidence,
                   fmt::format("Frames of {} are missing or repeated: {}.", probe.distorted.name, what),
                   probe.Score(" --align auto")};
  };
  if (changed > 0)
    return finding((changed == 1                                 ? 0.5
                    : changed <= kFewChanged && path.late() != 0 ? 0.6
                                                                 : 0.9) *
                       PathConfidence(probe),
                   fmt::format("{} were dropped, and {} come twice or more", path.dropped(), path.repeated()));
  // Too few for the alignment to depart from the order of frames.
  const int64_t repeats = path.late() == 0 ? CountRepeats(probe.reference.track, probe.distorted.track) : 0;
  if (repeats < 2) return std::nullopt;
  return finding(0.8, fmt::format("{} repeat the one before where the reference moves", repeats));
}

std::optional<Finding> CheckContent(const Probe& probe) {
  if (probe.alignment || !probe.are_unlike || CheckFrameRate(probe)) return std::nullopt;
  const auto others = {CheckReferenceDamage, CheckDistortedDamage, CheckTransfer,
                       CheckColor,           CheckInterlacing,     CheckCrop};
  if (std::ranges::any_of(others, [&](const auto& check) { return check(probe).has_value(); })) return std::nullopt;
  return Finding{"different", 0.8, "The two videos do not seem to show the same.", ""};
}

}  // namespace acutance
