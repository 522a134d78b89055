#include "align/align_tracks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "align/black_bars.h"
#include "align/identity_alignment.h"
#include "align/path/fit_path.h"
#include "align/path/margins.h"
#include "align/path/path_confidence.h"
#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr double kLeastShare = 0.75;        // of frames that are not ambiguous
constexpr double kLeastShareOfClock = 0.5;  // where the path stays at one offset of its clock, as of alternating fields

/// Where several distorted frames have the same reference frame, one is scored: the first, unless a later one is
/// clearly nearer. Where several show the reference's first frame, it is the last if other frames or many come before:
/// what precedes the reference looks like its first frame.
PairList OneToOne(const FittedPath& fitted) {
  constexpr double kClearly = 2;
  constexpr int64_t kMany = 4;  // no conversion of rates repeats one as often
  PairList pairs;
  std::vector<double> residuals;
  for (int64_t j = 0; j < static_cast<int64_t>(fitted.shown.size()); ++j) {
    const int64_t i = fitted.shown[j];
    if (i < 0) continue;
    const double residual = fitted.residuals[j];
    if (!pairs.empty() && i <= pairs.back().first) {
      if (i < pairs.back().first || kClearly * (residual + fitted.fine->floor()) > residuals.back()) continue;
      pairs.back().second = j;
      residuals.back() = residual;
      continue;
    }
    pairs.emplace_back(i, j);
    residuals.push_back(residual);
  }
  if (!pairs.empty() && pairs.front().first == 0) {
    const int64_t first = pairs.front().second;
    const int64_t end = pairs.size() > 1 ? pairs[1].second : static_cast<int64_t>(fitted.shown.size());
    const auto shows_first = [&](int64_t j) {
      return fitted.fine->Residual(j, 0) <= kClearly * (residuals.front() + fitted.fine->floor());
    };
    // Where a small thing moves, earlier frames look like it now and then: it is the one from which the path continues.
    int64_t last = end - 1;
    while (last > first && fitted.likely[last] > 0) --last;
    if (!shows_first(last))
      for (last = first; last + 1 < end && shows_first(last + 1);) ++last;
    if (last - first >= (first > 0 ? 1 : kMany)) pairs.front().second = last;
  }
  return pairs;
}

Alignment Finish(const FrameTrack& reference, const FrameTrack& distorted, Alignment alignment) {
  NoteUnmatched(reference.size(), distorted.size(), alignment);
  return alignment;
}

Status Unsure(const Margins& margins) {
  if (margins.doubt() == Alignment::Doubt::kPeriodic)
    return Error(StatusCode::kBadData,
                 "content repeats every {} frames, and timestamps do not resolve it: say how many frames the distorted "
                 "video is late (--align +N or -N), or compare by --align time or index",
                 margins.period());
  return Error(StatusCode::kBadData,
               "frames fit in several ways and not at their times (confidence {:.2f}): say how many frames the "
               "distorted video is late (--align +N or -N), or compare by --align time or index",
               margins.confidence());
}

Status Unsure(int64_t doubtful, int64_t frames) {
  return Error(
      StatusCode::kBadData,
      "{} of {} frames fit several frames of the reference that differ: say how many frames the distorted video "
      "is late (--align +N or -N), or compare by --align time or index",
      doubtful, frames);
}

/// How alignment by times compares with the path: all pairs, those that both have, those whose distorted frame the path
/// pairs, too, and those of these that fit as well.
struct Agreement {
  int64_t all = 0, same = 0, paired = 0, as_good = 0;

  bool follows_path() const { return 2 * same >= all; }
  bool fits_as_well() const { return 2 * paired >= all && 10 * as_good >= 9 * paired; }
};

/// `apart`: how many frames a pair may be off to count as the same, since conversions of rates round differently. In a
/// still, frames that fit several places and that the path left out are no evidence against times.
Agreement Compare(const Alignment& by_times, const FittedPath& fitted, const Margins& margins, int64_t apart,
                  const std::vector<int64_t>& shown_frames) {
  const bool is_still = margins.MostFit();
  Agreement agreement;
  for (const auto& [i, j] : by_times.pairs) {
    const int64_t shown = shown_frames[j];
    const int64_t likely = is_still ? fitted.likely[j] : shown;
    ++agreement.all;
    agreement.same += shown >= 0 && std::abs(shown - i) <= apart;
    agreement.paired += !is_still || likely >= 0;
    agreement.as_good += likely == i || (likely >= 0 && margins.IsAmbiguous(i - likely));
  }
  return agreement;
}

/// Whether any frame of a video differs from the first by more than 1.5 steps of 8 bits a cell.
bool Moves(const FrameTrack& track) {
  constexpr double kLeast = FrameFingerprint::kCells * 2.25 * kSquareOfStep;
  return std::ranges::any_of(track.fingerprints, [&](const FrameFingerprint& frame) {
    return DistanceOf(frame, track.fingerprints.front()) > kLeast;
  });
}

/// A few frames that move, each of which fits several places, are too little rather than a still picture.
Alignment::Doubt DoubtOf(const FrameTrack& reference, const FrameTrack& distorted, const Margins& margins) {
  constexpr int64_t kFew = 24;
  const bool are_few = std::min(reference.size(), distorted.size()) < kFew;
  const bool seems_still = margins.doubt() == Alignment::Doubt::kStill;
  return seems_still && are_few && Moves(reference) ? Alignment::Doubt::kShort : margins.doubt();
}

/// The decision where fingerprints fit several alignments. A path that follows the times for the most part shows
/// repeated frames, which the times do not.
Result<Alignment> DecideByTimes(const FrameTrack& reference, const FrameTrack& distorted, const FittedPath& fitted,
                                const Margins& margins) {
  Alignment alignment = AlignByTimes(reference, distorted);
  const Agreement agreement =
      Compare(alignment, fitted, margins, ClocksAgree(reference, distorted) ? 0 : 1, fitted.shown);
  if (!agreement.fits_as_well() && !agreement.follows_path()) return Unsure(margins);
  // Frames that fit several places are at their times where all others are.
  const bool fits_times = std::ranges::all_of(alignment.pairs, [&](const auto& pair) {
    const int64_t shown = fitted.shown[pair.second];
    return shown < 0 || shown == pair.first;
  });
  if (!fits_times && 2 * agreement.same > agreement.all) {
    alignment.pairs = OneToOne(fitted);
    alignment.doubtful = fitted.doubtful;
  }
  std::erase_if(alignment.pairs, [&](const auto& pair) { return fitted.IsForeign(pair.second, pair.first); });
  alignment.doubt = DoubtOf(reference, distorted, margins);
  alignment.period = margins.period();
  return Finish(reference, distorted, std::move(alignment));
}

Status Different(const FrameTrack& reference, const FrameTrack& distorted) {
  const int64_t less = std::min(reference.size(), distorted.size());
  const int64_t more = std::max(reference.size(), distorted.size());
  if (more > 4 * less)
    return Error(StatusCode::kBadData,
                 "no frames in common ({} frames and {}{}): the common part must begin within {:.0f} seconds of both "
                 "starts; trim the longer one first, for example: ffmpeg -ss SECONDS -i LONG -c copy part.mkv",
                 reference.size(), distorted.size(), reference.is_whole && distorted.is_whole ? "" : " or more",
                 kMostSecondsApart);
  return Error(StatusCode::kBadData,
               "no frames in common: these are different videos, or their common part begins more than {:.0f} seconds "
               "into one of them (--align index compares them all the same)",
               kMostSecondsApart);
}

/// Whether rates differ so much that no conversion from one to the other would preserve the number of frames.
bool IsRetimed(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr double kLeast = 3;  // frames
  if (!reference.rate || !distorted.rate) return false;
  return std::abs(*reference.rate / *distorted.rate - 1) * static_cast<double>(reference.size()) >= kLeast;
}

/// Whether videos are aligned frame by frame although fingerprints do not decide: an encode has the same length and
/// clock, and one that plays faster or slower the same length.
bool MayBeIdentity(const FrameTrack& reference, const FrameTrack& distorted) {
  return reference.size() == distorted.size() &&
         (ClocksAgree(reference, distorted) || IsRetimed(reference, distorted)) &&
         IdentityEvidenceOf(reference, distorted) != IdentityEvidence::kAgainst;
}

/// Whether the distorted video has the reference's times from the first to the last, except for frames that it leaves
/// out.
bool HasTimesOf(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr double kNear = 0.1;  // frames
  if (std::ssize(reference.times) != reference.size() || std::ssize(distorted.times) != distorted.size()) return false;
  const std::vector<double> positions = TimeClock(reference, distorted).positions;
  const auto last = static_cast<double>(reference.size() - 1);
  return std::abs(positions.back() - last) < kNear && std::ranges::all_of(positions, [&](double position) {
           return std::abs(position - std::round(position)) < kNear && position > -kNear && position < last + kNear;
         });
}

/// The frames of a video that stand first or second in pairs.
FrameTrack FramesOf(const FrameTrack& track, const PairList& pairs, int64_t PairList::value_type::*frame) {
  FrameTrack part{.rate = track.rate};
  for (const auto& pair : pairs) part.fingerprints.push_back(track.fingerprints[pair.*frame]);
  return part;
}

/// The same of a video that leaves frames out and has the times of the others.
bool MayFollowTimes(const FrameTrack& reference, const FrameTrack& distorted) {
  if (distorted.size() >= reference.size() || !HasTimesOf(reference, distorted)) return false;
  using Pair = PairList::value_type;
  const PairList pairs = AlignByTimes(reference, distorted).pairs;
  return std::ssize(pairs) == distorted.size() &&
         IdentityEvidenceOf(FramesOf(reference, pairs, &Pair::first), FramesOf(distorted, pairs, &Pair::second)) !=
             IdentityEvidence::kAgainst;
}

/// Whether the path is the conversion of rates that times declare, except for rounding, and covers the whole reference.
bool FollowsTimes(const FrameTrack& reference, const FrameTrack& distorted, const FittedPath& fitted,
                  const Margins& margins) {
  constexpr int64_t kRounding = 1, kEnd = 3;  // frames
  if (!fitted.follows_clock || ClocksAgree(reference, distorted)) return false;
  const Alignment by_times = AlignByTimes(reference, distorted);
  if (by_times.pairs.empty() || reference.size() - by_times.pairs.back().first > kEnd) return false;
  const Agreement agreement = Compare(by_times, fitted, margins, kRounding, fitted.likely);
  return agreement.same == agreement.all;
}

/// The pairs of a path that follows the times, including ambiguous frames.
Alignment TakeAll(const FrameTrack& reference, const FrameTrack& distorted, FittedPath fitted) {
  fitted.shown = fitted.likely;
  for (int64_t j = 0; j < distorted.size(); ++j)
    if (const int64_t i = fitted.shown[j]; i >= 0) fitted.residuals[j] = fitted.fine->Residual(j, i);
  Alignment alignment{.by = Alignment::By::kTimes, .doubt = Alignment::Doubt::kLost};
  alignment.pairs = OneToOne(fitted);
  return Finish(reference, distorted, std::move(alignment));
}

/// The path by fingerprints, where the identity alignment is not confirmed.
Result<Alignment> AlignByFingerprints(const FrameTrack& reference, const FrameTrack& distorted) {
  ACU_RETURN_IF_ERROR(CheckBars(reference, distorted));
  FittedPath fitted = FitPath(reference, distorted);
  if (fitted.vivid == 0) {  // flat pictures
    Alignment by_times = AlignByTimes(reference, distorted);
    by_times.doubt = Alignment::Doubt::kStill;
    return by_times;
  }
  if (fitted.vivid_pairs == 0 || fitted.unexplained > kMostUnexplained) return Different(reference, distorted);
  const Margins margins = MarginsOf(fitted, reference, distorted);
  if (margins.doubt() != Alignment::Doubt::kNone) return DecideByTimes(reference, distorted, fitted, margins);
  // A path is as sure as its worst frame, and where many frames are doubtful, the others are no surer.
  const double sure = 1 - static_cast<double>(std::ssize(fitted.doubtful)) / static_cast<double>(distorted.size());
  if (sure < (fitted.follows_clock ? kLeastShareOfClock : kLeastShare)) {
    if (FollowsTimes(reference, distorted, fitted, margins)) return TakeAll(reference, distorted, std::move(fitted));
    return Unsure(std::ssize(fitted.doubtful), distorted.size());
  }
  if (!ClocksAgree(reference, distorted) || !ExtendIdentityToEnds(fitted)) MarkAmbiguousEnds(fitted);
  Alignment alignment{.by = Alignment::By::kFingerprints,
                      .confidence = std::min({margins.confidence(), 1 - Exp(-fitted.least_margin), sure})};
  alignment.pairs = OneToOne(fitted);
  alignment.doubtful = fitted.doubtful;
  if (alignment.pairs.empty()) return Different(reference, distorted);
  return Finish(reference, distorted, std::move(alignment));
}

/// A lagging encode fits frame by frame as well as one that repeats frames now and then: times decide.
std::optional<Alignment> FitFrameByFrame(const FrameTrack& reference, const FrameTrack& distorted) {
  if (!ClocksAgree(reference, distorted)) return std::nullopt;
  Alignment plain = AlignPlainly(reference.size(), distorted.size());
  if (IsIdentityAlignment(reference, distorted)) return plain;
  const std::optional<FittedPath> fitted = FitNearIndex(reference, distorted);
  if (!fitted || MarginsNear(*fitted).confidence() <= kStrongConfidence) return std::nullopt;
  plain.confidence = std::min(1 - Exp(-fitted->least_margin), ShareInStep(*fitted));
  if (plain.confidence >= kLeastShare) return plain;
  // What is missing at an end may be missing at the other: times do not decide where too little distinguishes frames.
  if (reference.size() != distorted.size()) return std::nullopt;
  plain.confidence = 1;
  plain.by = Alignment::By::kTimes;
  plain.doubt = Alignment::Doubt::kLost;
  return plain;
}

bool MayBeCropped(const FrameTrack& reference, const FrameTrack& distorted, const PairList& pairs) {
  const auto [one, other] = SamplePairs(reference, distorted, pairs);
  return MayBeCropped(one.fingerprints, other.fingerprints);
}

Result<Alignment> AlignAs(const Placement& placement, const FrameTrack& reference, const FrameTrack& distorted) {
  const auto [one, other] = CropToShared(placement, reference, distorted);
  return AlignTracks(one, other);
}

/// By a usual conversion of rates that the numbers of frames suggest, as if the streams declared it.
Result<Alignment> AlignRetimed(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr double kNear = 0.15, kRate = 25;
  const auto at_rate = [](const FrameTrack& track, double rate) {
    return FrameTrack{track.fingerprints, {}, rate, track.is_whole};
  };
  const double of_counts = static_cast<double>(reference.size()) / static_cast<double>(distorted.size());
  for (const double conversion : kRateConversions) {
    if (std::abs(of_counts / conversion - 1) > kNear) continue;
    Result<Alignment> found = AlignTracks(at_rate(reference, kRate), at_rate(distorted, kRate / conversion));
    if (found.ok() && found->by == Alignment::By::kFingerprints) return found;
  }
  return Error(StatusCode::kBadData, "no usual conversion of rates");
}

/// Whether no frame is paired in two ways, and nearly all are in both.
bool Agree(const Alignment& a, const Alignment& b) {
  constexpr double kNearlyAll = 0.9;
  std::map<int64_t, int64_t> shown;  // by distorted frame
  for (const auto& [i, j] : a.pairs) shown[j] = i;
  int64_t same = 0;
  for (const auto& [i, j] : b.pairs) {
    const auto own = shown.find(j);
    if (own == shown.end()) continue;
    if (own->second != i) return false;
    ++same;
  }
  return static_cast<double>(same) >= kNearlyAll * static_cast<double>(std::max(a.pairs.size(), b.pairs.size()));
}

bool BeginsAndEndsAligned(const Alignment& alignment) {
  const auto is_in_step = [](const auto& pair) { return pair.first == pair.second; };
  return !alignment.pairs.empty() && is_in_step(alignment.pairs.front()) && is_in_step(alignment.pairs.back());
}

}  // namespace

Alignment AlignByTimes(const FrameTrack& reference, const FrameTrack& distorted) {
  Alignment alignment{.by = Alignment::By::kTimes};
  const FrameClock clock = TimeClock(reference, distorted);
  double last_apart = 0;
  for (int64_t j = 0; j < distorted.size(); ++j) {
    const double position = clock.positions[j];
    const auto i = static_cast<int64_t>(std::floor(position + 0.5 + 1e-4));
    if (i < 0 || i >= reference.size()) continue;
    const double apart = std::abs(position - static_cast<double>(i));
    PairList& pairs = alignment.pairs;
    if (pairs.empty() || i > pairs.back().first) pairs.emplace_back(i, j);
    else if (i == pairs.back().first && apart < last_apart - 1e-4) pairs.back().second = j;
    else continue;
    last_apart = apart;
  }
  return Finish(reference, distorted, std::move(alignment));
}

Alignment AlignByOffset(int64_t reference_count, int64_t distorted_count, int64_t late) {
  Alignment alignment{.by = late == 0 ? Alignment::By::kIndex : Alignment::By::kGiven};
  for (int64_t i = std::max<int64_t>(0, -late); i < reference_count && i + late < distorted_count; ++i)
    alignment.pairs.emplace_back(i, i + late);
  NoteUnmatched(reference_count, distorted_count, alignment);
  return alignment;
}

Alignment AlignPlainly(int64_t reference_count, int64_t distorted_count) {
  Alignment plain = AlignByOffset(reference_count, distorted_count, 0);
  plain.by = Alignment::By::kFingerprints;
  return plain;
}

Result<Alignment> AlignTracks(const FrameTrack& reference, const FrameTrack& distorted) {
  if (reference.size() == 0 || distorted.size() == 0) return Error(StatusCode::kBadData, "one of them has no frames");
  if (std::optional<Alignment> plain = FitFrameByFrame(reference, distorted)) return *std::move(plain);
  Result<Alignment> found = AlignByFingerprints(reference, distorted);
  if (found.ok() && found->confidence >= kLeastShare) return found;
  Alignment otherwise;
  if (MayBeIdentity(reference, distorted)) otherwise = AlignByOffset(reference.size(), distorted.size(), 0);
  else if (MayFollowTimes(reference, distorted)) otherwise = AlignByTimes(reference, distorted);
  else return found;
  if (ClocksAgree(reference, distorted)) otherwise.by = Alignment::By::kTimes;
  otherwise.doubt = Alignment::Doubt::kLost;
  return otherwise;
}

PlacedAlignment AlignPlaced(const FrameTrack& reference, const FrameTrack& distorted) {
  if (Status bars = CheckBars(reference, distorted); !bars.ok()) return {std::move(bars), std::nullopt};
  Result<Alignment> as_they_are = AlignTracks(reference, distorted);
  const PairList none, &pairs = as_they_are.ok() ? as_they_are->pairs : none;
  if (!pairs.empty() && !MayBeCropped(reference, distorted, pairs)) return {std::move(as_they_are), std::nullopt};
  std::optional<FoundPlacement> found = FindPlacement(reference, distorted, pairs);
  if (!found) return {std::move(as_they_are), std::nullopt};
  // Encoders and freezes preserve the number of frames.
  const bool has_one_length = reference.size() == distorted.size() && ClocksAgree(reference, distorted);
  if (!found->is_sure && found->in_step && has_one_length) {
    Result<Alignment> placed = AlignAs(*found->in_step, reference, distorted);
    if (placed.ok() && BeginsAndEndsAligned(*placed)) return {std::move(placed), FoundPlacement{*found->in_step}};
  }
  const bool is_identity = as_they_are.ok() && as_they_are->is_identity() && reference.size() == distorted.size();
  if (!found->is_sure && is_identity) return {std::move(as_they_are), found};
  Result<Alignment> placed = AlignAs(found->placement, reference, distorted);
  const bool is_settled = std::ranges::all_of(found->others, [&](const Placement& other) {
    const Result<Alignment> otherwise = AlignAs(other, reference, distorted);
    return placed.ok() && otherwise.ok() && Agree(*placed, *otherwise);
  });
  if (is_settled) return {std::move(placed), found};
  return {Error(StatusCode::kBadData,
                "one shows a part of the other's picture, and other parts fit as well at other offsets in time: "
                "give the parts that both show (--crop); acutance doctor names the likely ones"),
          found};
}

PlacedAlignment AlignForDiagnosis(const FrameTrack& reference, const FrameTrack& distorted) {
  PlacedAlignment aligned = AlignPlaced(reference, distorted);
  const bool is_aligned = aligned.alignment.ok();
  const PairList pairs = is_aligned ? aligned.alignment->pairs : PairList();
  if (is_aligned && (aligned.placement || pairs.empty() || !MayBeCropped(reference, distorted, pairs))) return aligned;
  if (!is_aligned)
    if (Result<Alignment> retimed = AlignRetimed(reference, distorted); retimed.ok())
      return {std::move(retimed), std::nullopt};
  std::optional<FoundPlacement> found = FindPlacement(reference, distorted, pairs, CropReach::kUpToNearlyHalf);
  if (!found) return aligned;
  Result<Alignment> placed = AlignAs(found->placement, reference, distorted);
  if (!placed.ok()) return aligned;
  return {std::move(placed), std::move(found)};
}

std::pair<FrameTrack, FrameTrack> CropToShared(const Placement& placement, const FrameTrack& reference,
                                               const FrameTrack& distorted) {
  constexpr double kWhole = 0.001;
  const auto crop = [](const FrameTrack& track, const Placement& part) {
    return part.DistanceFrom({}) < kWhole ? track : CropTo(track, part);
  };
  const auto [part, own] = PartsInCommon(placement);
  return {crop(reference, part), crop(distorted, own)};
}

std::pair<FrameTrack, FrameTrack> SamplePairs(const FrameTrack& reference, const FrameTrack& distorted,
                                              const PairList& pairs) {
  std::pair<FrameTrack, FrameTrack> sampled;
  for (const int64_t k : SampleFrameNumbers(std::ssize(pairs))) {
    const auto& [i, j] = pairs[k];
    sampled.first.fingerprints.push_back(reference.fingerprints[i]);
    sampled.second.fingerprints.push_back(distorted.fingerprints[j]);
  }
  return sampled;
}

bool NeedsCropSearch(const FrameTrack& reference, const FrameTrack& distorted) {
  return !CheckBars(reference, distorted).ok() || MayBeCropped(reference.fingerprints, distorted.fingerprints);
}

}  // namespace acutance
