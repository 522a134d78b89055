#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "align/input_checks.h"
#include "base/shell_word.h"
#include "run/doctor/checks.h"

namespace acutance {
namespace {

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

/// Signs that the inputs are in the wrong order, by weight, and the reasons for a person.
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

}  // namespace

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
  if (!probe.is_hdr()) return std::nullopt;
  return Finding{
      "model", 0.9,
      fmt::format("{} and {} are HDR, and the models know SDR alone.", probe.reference.name, probe.distorted.name),
      probe.Score(" --no-model -f psnr")};
}

std::optional<Finding> CheckModel(const Probe& probe) {
  if (!probe.model_problem) return std::nullopt;
  return Finding{"model", 0.9, probe.model_problem->first + ".", probe.Score(probe.model_problem->second)};
}

}  // namespace acutance
