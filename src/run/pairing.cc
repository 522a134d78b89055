#include "run/pairing.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "align/align_placed.h"
#include "align/align_tracks.h"
#include "align/find_placement.h"
#include "align/identity_alignment.h"
#include "align/placed_parts.h"
#include "align/read_tracks.h"
#include "align/sample_range.h"
#include "base/hash.h"
#include "run/fingerprint_tap.h"
#include "video/auto_rotate.h"
#include "video/crop.h"
#include "video/open_video.h"
#include "video/select_frames.h"

namespace acutance {
namespace {

using Mode = AlignmentRequest::Mode;

constexpr size_t kMostKeptBytes = size_t{1} << 30;     // of a pipe's pictures
constexpr size_t kMostFirstBytes = size_t{320} << 20;  // of a file's: as many as are looked at first in 1080p
constexpr int64_t kStart = 24;                         // frames that are looked at before a run
constexpr int64_t kFirstCheck = 96;                    // pairs; the next at four times as many
constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Another number of frames, or another rate, which a conversion of 1000 to 1001 has, too.
template <class T>
bool Differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && std::abs(static_cast<double>(*a - *b)) > 1e-5 * static_cast<double>(*a);
}

FrameTrack After(int64_t skipped, FrameTrack track) {
  const auto past = [skipped](auto& values) {
    values.erase(values.begin(), values.begin() + std::min<ptrdiff_t>(skipped, std::ssize(values)));
  };
  past(track.fingerprints);
  past(track.times);
  return track;
}

/// Frames all over those in pairs, of one of the two videos.
FrameTrack PairedFrames(const FrameTrack& track, const std::vector<std::pair<int64_t, int64_t>>& pairs,
                        bool is_distorted) {
  FrameTrack paired;
  for (const int64_t k : SampleFrameNumbers(std::ssize(pairs))) {
    const auto& [i, j] = pairs[static_cast<size_t>(k)];
    paired.fingerprints.push_back(track.fingerprints[static_cast<size_t>(is_distorted ? j : i)]);
  }
  return paired;
}

/// What frame numbers of a part of a video are in the whole.
void Shift(int64_t first, Alignment& alignment) {
  for (auto& [i, j] : alignment.pairs) i += first, j += first;
  for (int64_t& i : alignment.unmatched_reference) i += first;
  for (int64_t& j : alignment.unmatched_distorted) j += first;
  for (int64_t& j : alignment.doubtful) j += first;
}

}  // namespace

Pairing::Pairing(const RunRequest& request)
    : request_(request),
      facts_(request.distorted.size() + 1),
      tracks_(request.distorted.size() + 1),
      picks_(request.distorted.size() + 1) {
  const Mode mode = request.pairing.mode;
  watches_ = mode == Mode::kAuto;
  if (watches_) crew_ = MakeFingerprintCrew(request.threads);
  handles_rate_mismatch_ = mode != Mode::kIndex;
  next_check_ = kFirstCheck;
}

const std::string& Pairing::PathOf(size_t video) const {
  return video == 0 ? request_.reference : request_.distorted[video - 1];
}

Status Pairing::Prepare() {
  if (request_.pairing.mode != Mode::kFile) return {};
  std::vector<std::pair<int64_t, int64_t>> pairs = request_.pairing.pairs;
  if (pairs.empty()) {
    ACU_ASSIGN_OR_RETURN(pairs, ReadPairsFile(request_.pairing.file));
  }
  alignments_.assign(request_.distorted.size(), Alignment{.by = Alignment::By::kGiven, .pairs = std::move(pairs)});
  for (Alignment& alignment : alignments_)
    NoteUnmatched(alignment.pairs.back().first + 1, alignment.pairs.back().second + 1, alignment);
  PickPairs();
  return {};
}

Result<std::unique_ptr<VideoSource>> Pairing::OpenOnce(const std::string& path, const OpenOptions& options,
                                                       size_t video) {
  if (video == 0 && request_.cached_reference) return request_.cached_reference->Open(options, reference_name_);
  const bool may_look = request_.pairing.mode == Mode::kAuto || request_.pairing.mode == Mode::kTimes;
  if (!may_look) return OpenVideo(path, options);
  auto kept = kept_.find(path);
  if (IsFile(path)) {
    Result<std::unique_ptr<VideoSource>> again =
        kept == kept_.end() ? Error(StatusCode::kNotFound, "") : kept->second.Open();
    return again.ok() ? std::move(again) : OpenVideo(path, options);
  }
  if (kept == kept_.end()) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> source, OpenVideo(path, options));
    kept = kept_.emplace(path, ReplayBuffer(std::move(source), kMostKeptBytes)).first;
  }
  Result<std::unique_ptr<VideoSource>> again = kept->second.Open();
  if (again.ok()) return again;
  return Error(again.status().code(), "{}: frames do not fit one by one, and {}", path, again.status().message());
}

Result<std::unique_ptr<VideoSource>> Pairing::OpenFirst(const OpenOptions& options, size_t video) {
  const std::string& path = PathOf(video);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> source, OpenVideo(path, options));
  if (source->is_instant() || request_.max_memory || PathOf(0) == PathOf(1)) return source;
  return kept_.insert_or_assign(path, ReplayBuffer(std::move(source), kMostFirstBytes)).first->second.Open();
}

Result<std::unique_ptr<VideoSource>> Pairing::Open(const std::string& path, const OpenOptions& options, int video) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> source, OpenOnce(path, options, static_cast<size_t>(video)));
  const auto v = static_cast<size_t>(video);
  const VideoFacts facts = source->facts();
  facts_[v] = {source->frame_count(), source->frame_rate(), source->is_on_device(), facts.orientation, {},
               source->format(),      facts.pixel_aspect};
  if (!facts.is_rgb) facts_[v].full_range = source->color().full_range.value_or(false);
  if (!picks_[v].empty()) return SelectFrames(std::move(source), picks_[v]);
  tracks_[v] = nullptr;
  if (!watches_) return source;
  tracks_[v] = std::make_shared<FingerprintTrack>(crew_);
  return guess_ ? RecordAllFingerprints(std::move(source), tracks_[v])
                : RecordFingerprints(std::move(source), tracks_[v]);
}

void Pairing::SetCrop(int video, const std::optional<Rectangle>& crop) {
  const auto v = static_cast<size_t>(video);
  facts_[v].crop = crop;
  if (crop && tracks_[v]) tracks_[v]->SetCrop(*crop);
}

void Pairing::LeaveFingerprints(std::span<const Input> inputs, std::vector<ResultTap>& taps) const {
  if (!watches_ || guess_) return;
  const auto keeps_luma = [](const InputChange& step) {
    return step.change == Change::kSamples || step.change == Change::kCrop || step.change == Change::kChroma;
  };
  std::vector<std::shared_ptr<FingerprintTrack>> left(inputs.size());
  for (size_t v = 0; v < inputs.size(); ++v)
    if (tracks_[v] && std::ranges::all_of(inputs[v].changes, keeps_luma)) left[v] = tracks_[v];
  if (std::ranges::all_of(left, [](const auto& track) { return !track; })) return;
  for (const auto& track : left)
    if (track) track->LeaveToSession();
  taps.push_back(TapFingerprints([left](int distorted, const FrameFingerprint& reference, const FrameFingerprint& own) {
    if (left.front() && distorted == 0) left.front()->Put(reference);
    if (const auto& track = left[static_cast<size_t>(distorted) + 1]) track->Put(own);
  }));
}

int64_t Pairing::SkipOf(int video) const {
  const int64_t late = request_.pairing.mode == Mode::kOffset ? request_.pairing.late : this->late();
  return std::max<int64_t>(0, video == 0 ? -late : late);
}

bool Pairing::NeedsFullAlignment() {
  const Mode mode = request_.pairing.mode;
  if (guess_ || !alignments_.empty() || (mode != Mode::kAuto && mode != Mode::kTimes)) return false;
  const bool part = request_.frame_limit > 0;  // lengths of whole videos tell nothing
  needs_full_alignment_ = mode == Mode::kTimes || !request_.journal.empty();
  // Pictures that are to be turned pass as they are decoded.
  needs_full_alignment_ |=
      std::ranges::any_of(facts_, [](const Facts& facts) { return facts.orientation != Orientation{}; });
  for (const Facts& facts : std::span(facts_).subspan(1)) {
    needs_full_alignment_ |= Differ(facts_[0].rate, facts.rate);
    needs_full_alignment_ |= !part && Differ(facts_[0].frames, facts.frames);
  }
  HoldPipes(needs_full_alignment_);
  return needs_full_alignment_;
}

bool Pairing::IsDoubtful(int64_t frames) {
  if (!watches_ || frames < next_check_) return false;
  for (const auto& track : tracks_)
    if (track && track->Made(next_check_) < next_check_) return false;
  return DoubtsFirst(std::exchange(next_check_, 4 * next_check_));
}

bool Pairing::DoubtsAll() {
  int64_t shortest = kAll;
  for (size_t v = 0; v < tracks_.size(); ++v)
    if (tracks_[v]) shortest = std::min(shortest, tracks_[v]->size() - SkipOf(static_cast<int>(v)));
  return watches_ && DoubtsFirst(shortest);
}

/// frames: of each video, beside those that are skipped.
bool Pairing::DoubtsFirst(int64_t frames) {
  if (!tracks_[0] || tracks_[0]->size() == 0) return false;
  for (size_t v = 1; v < tracks_.size() && !needs_full_alignment_; ++v) {
    if (!tracks_[v] || tracks_[v]->size() == 0) continue;  // a run that reads the reference alone
    if (late() == 0 && FingerprintTrack::FitPlainly(*tracks_[0], *tracks_[v], frames)) continue;
    const FrameTrack reference = tracks_[0]->Copy(frames + SkipOf(0));
    const FrameTrack distorted = tracks_[v]->Copy(frames + SkipOf(static_cast<int>(v)));
    if (late() != 0 && IsIdentityAlignment(After(SkipOf(0), reference), After(SkipOf(static_cast<int>(v)), distorted)))
      continue;
    const Result<Alignment> alignment = AlignTracks(reference, distorted);
    if (alignment.ok() && alignment->IsShifted(late())) continue;
    NoteWrong();
    seen_ = {frames, GuessOf(alignment)};
  }
  return needs_full_alignment_;
}

void Pairing::NoteWrong() {
  needs_full_alignment_ = true;
  wrong_.push_back(late());
  HoldPipes(true);
}

void Pairing::HoldPipes(bool hold) {
  for (auto& [path, video] : kept_) video.Hold(hold);
}

/// What became of frames that were scored one by one.
PlacedAlignment Pairing::AlignOnceRead(size_t video, int64_t most) {
  FingerprintTrack &reference = *tracks_[0], &distorted = *tracks_[video];
  if (std::optional<Alignment> plain = FingerprintTrack::FitPlainly(reference, distorted, most)) {
    const std::vector<int64_t> looks = SampleFrameNumbers(std::ssize(plain->pairs));
    if (!NeedsCropSearch(reference.CopyOf(looks), distorted.CopyOf(looks))) return {*std::move(plain), std::nullopt};
  }
  return AlignPlaced(reference.Copy(most), distorted.Copy(most));
}

void Pairing::NoteRange(size_t video, const FrameTrack& reference, const FrameTrack& distorted) {
  const std::optional<bool> own = facts_[0].full_range, other = facts_[video].full_range;
  if (!own || !other) return;
  if (auto warning = CheckSampleRange({PathOf(0), reference, *own}, {PathOf(video), distorted, *other}))
    warnings_.push_back(*std::move(warning));
}

void Pairing::Conclude(int64_t frames) {
  const int64_t first = first_frame();
  if (request_.pairing.mode == Mode::kOffset) {
    const int64_t late = request_.pairing.late, before = std::max<int64_t>(0, -late);
    alignments_.assign(request_.distorted.size(),
                       AlignByOffset(first + frames + before, first + frames + before + late, late));
  }
  if (!watches_) {  // of all pairs, those that were scored
    for (Alignment& alignment : alignments_) {
      const auto begin = alignment.pairs.begin();
      const int64_t end = std::min(first + frames, static_cast<int64_t>(alignment.pairs.size()));
      alignment.pairs = {begin + std::min(first, end), begin + end};
    }
    return;
  }
  warnings_.clear();
  if (guess_) return ConcludeGuess(frames);
  for (size_t v = 1; v < tracks_.size(); ++v) {
    if (!tracks_[0] || tracks_[0]->size() == 0 || !tracks_[v] || tracks_[v]->size() == 0) {
      alignments_.push_back(AlignByOffset(first + frames, first + frames, 0));
      continue;
    }
    // A run that stopped before its videos' ends has read a few more frames of the one or the other.
    const int64_t most = frames < std::min(tracks_[0]->size(), tracks_[v]->size()) ? frames : kAll;
    auto [alignment, placement] = AlignOnceRead(v, most);
    const bool is_picture = request_.frame_limit == 0 && (tracks_[0]->size() == 1) != (tracks_[v]->size() == 1);
    // A short part may have no frames in common where the whole videos do.
    const bool tells_little = request_.frame_limit > 0 && alignment.ok() && alignment->by == Alignment::By::kTimes;
    if (!alignment.ok() || !alignment->is_identity() || is_picture || tells_little) NoteWrong();
    if (needs_full_alignment_) return;
    NotePlacement(v, placement);
    const std::vector<int64_t> looks = SampleFrameNumbers(std::min(std::ssize(alignment->pairs), ptrdiff_t{frames}));
    NoteRange(v, tracks_[0]->CopyOf(looks), tracks_[v]->CopyOf(looks));
    alignment->pairs.resize(std::min(alignment->pairs.size(), static_cast<size_t>(frames)));
    Shift(first, *alignment);
    alignments_.push_back(std::move(*alignment));
  }
}

Status Pairing::CheckLengths(const FrameTrack& reference, const FrameTrack& distorted, const std::string& name) const {
  const int64_t less = std::min(reference.size(), distorted.size());
  const int64_t more = std::max(reference.size(), distorted.size());
  if (less == 0)
    return Error(StatusCode::kBadData, "{} has no frames", reference.size() == 0 ? request_.reference : name);
  if (less > 1 || more == 1) return {};
  const bool is_reference = reference.size() == 1;
  return Error(StatusCode::kBadData,
               "{} has one frame, and {} has {}: a picture is not paired with a video (--align index compares it with "
               "the first frame)",
               is_reference ? request_.reference : name, is_reference ? name : request_.reference, more);
}

/// What may make two videos unlike, as the end of a sentence, or nothing.
std::string Pairing::TurnedOf(size_t video) const {
  if (facts_[0].orientation == facts_[video].orientation) return {};
  const bool is_reference = facts_[0].orientation != Orientation{};
  const size_t turned = is_reference ? 0 : video, other = is_reference ? video : 0;
  return fmt::format("; {} is turned as its stream tells, and {} is {}", PathOf(turned), PathOf(other),
                     facts_[other].orientation == Orientation{} ? "not" : "turned otherwise");
}

ShownPicture Pairing::ShownBy(size_t video) const {
  const Facts& facts = facts_[video];
  const PictureFormat& format = facts.format;
  Rectangle all{format.width, format.height};
  if (facts.orientation.transposed) std::swap(all.width, all.height);
  return {PathOf(video), facts.crop.value_or(all), format.pixel_format, facts.pixel_aspect};
}

std::string Pairing::PlacementOf(size_t video, const std::optional<FoundPlacement>& found) const {
  if (!found || !found->is_sure) return {};
  const PlacedParts parts = PartsOf(found->placement, ShownBy(0), ShownBy(video));
  return fmt::format("; {}, scaled to its size ({})", parts.sentence, parts.options);
}

void Pairing::NotePlacement(size_t video, const std::optional<FoundPlacement>& found) {
  if (!found) return;
  const PlacedParts parts = PartsOf(found->placement, ShownBy(0), ShownBy(video));
  warnings_.push_back(fmt::format("{}{}, scaled to its size, so that scores compare pictures that do not fit: {}",
                                  found->is_sure ? "" : "it seems that ", parts.sentence, parts.options));
}

/// A part that ends before the damage does not meet it, nor do pairs beyond which the other video has nothing.
void Pairing::NoteDamage(const Alignment& alignment, const std::vector<FrameTrack>& tracks, size_t video) {
  const auto& pairs = alignment.pairs;
  if (damages_.empty() || !damage_.ok()) return;
  if (request_.frame_limit > 0 && std::ssize(pairs) >= first_frame() + request_.frame_limit) return;
  const bool reference_goes_on = pairs.empty() || pairs.back().first + 1 < tracks[0].size();
  const bool distorted_goes_on = pairs.empty() || pairs.back().second + 1 < tracks[video].size();
  if (reference_goes_on) damage_ = damages_[video];
  if (distorted_goes_on && damage_.ok()) damage_ = damages_[0];
}

Status Pairing::AlignAll(std::vector<FrameTrack> tracks) {
  alignments_.clear();
  warnings_.clear();
  damage_ = {};
  for (size_t v = 1; v < tracks.size(); ++v) {
    ACU_RETURN_IF_ERROR(CheckLengths(tracks[0], tracks[v], PathOf(v)));
    const bool by_times = request_.pairing.mode == Mode::kTimes;
    auto [alignment, placement] = by_times ? PlacedAlignment{AlignByTimes(tracks[0], tracks[v]), std::nullopt}
                                           : AlignPlaced(tracks[0], tracks[v]);
    NoteDamage(alignment.ok() ? *alignment : Alignment(), tracks, v);
    if (!alignment.ok() || alignment->pairs.empty()) ACU_RETURN_IF_ERROR(damage_);
    if (!alignment.ok())
      return Error(alignment.status().code(), "{} and {}: {}{}{}", PathOf(0), PathOf(v), alignment.status().message(),
                   TurnedOf(v), PlacementOf(v, placement));
    NotePlacement(v, placement);
    if (by_times && alignment->pairs.empty())
      return Error(StatusCode::kBadData, "{} and {}: no frames are shown at the same time", PathOf(0), PathOf(v));
    NoteRange(v, PairedFrames(tracks[0], alignment->pairs, false), PairedFrames(tracks[v], alignment->pairs, true));
    alignments_.push_back(std::move(*alignment));
  }
  return {};
}

/// A session scores a reference frame with all distorted videos, so that those that one of them lacks are left out.
void Pairing::KeepCommonPairs() {
  std::map<int64_t, size_t> count;  // of videos, by reference frame
  for (const Alignment& alignment : alignments_)
    for (const auto& [i, j] : alignment.pairs) ++count[i];
  for (Alignment& alignment : alignments_)
    std::erase_if(alignment.pairs, [&](const auto& pair) { return count[pair.first] < alignments_.size(); });
}

void Pairing::PickPairs() {
  const bool all_plain = std::ranges::all_of(alignments_, [](const Alignment& each) { return each.is_identity(); });
  std::string text;
  if (!all_plain) {
    for (size_t v = 0; v < picks_.size(); ++v) {
      const Alignment& alignment = alignments_[v == 0 ? 0 : v - 1];
      for (const auto& [i, j] : alignment.pairs) picks_[v].push_back(v == 0 ? i : j);
    }
    for (const Alignment& alignment : alignments_) text += PairsCsv(alignment.pairs);
  }
  if (!text.empty()) word_ = fmt::format("{:016x}", Hash(text));
}

Result<std::vector<std::unique_ptr<VideoSource>>> Pairing::OpenToLook() {
  std::vector<std::unique_ptr<VideoSource>> videos;
  OpenOptions options = request_.open;
  options.device_decoding.reset();
  for (size_t v = 0; v < facts_.size(); ++v) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video,
                         MayGuess() ? OpenFirst(options, v) : OpenOnce(PathOf(v), options, v));
    if (!kept_.contains(PathOf(v))) video->SkipChroma();
    if (facts_[v].orientation != Orientation{}) {
      ACU_ASSIGN_OR_RETURN(video, AutoRotate(std::move(video)));
    }
    if (facts_[v].crop) {
      ACU_ASSIGN_OR_RETURN(video, CropVideo(std::move(video), *facts_[v].crop));
    }
    videos.push_back(std::move(video));
  }
  return videos;
}

std::shared_ptr<void> Pairing::InterruptOnCancel(const std::vector<std::unique_ptr<VideoSource>>& videos) const {
  if (!request_.watch_cancel) return nullptr;
  return request_.watch_cancel([&videos] {
    for (const auto& video : videos) video->Interrupt();
  });
}

/// A guess that is wrong costs a run.
bool Pairing::MayGuess() const {
  const bool is_part = request_.frame_limit > 0 || request_.skip_reference > 0 || request_.skip_distorted > 0;
  if (request_.pairing.mode != Mode::kAuto || facts_.size() != 2 || is_part || !request_.journal.empty()) return false;
  if (guess_ || request_.cached_reference || Differ(facts_[0].rate, facts_[1].rate)) return false;
  for (size_t v = 0; v < facts_.size(); ++v)
    if (!IsFile(PathOf(v)) || facts_[v].on_device || facts_[v].orientation != Orientation{}) return false;
  return true;
}

std::optional<int64_t> Pairing::GuessOf(const Result<Alignment>& found) const {
  constexpr size_t kLeast = 24;
  if (!found.ok() || found->by != Alignment::By::kFingerprints || !found->doubtful.empty()) return std::nullopt;
  const bool is_sure = found->pairs.size() >= kLeast && found->IsShifted(found->late());
  if (!is_sure || std::ranges::count(wrong_, found->late()) > 0) return std::nullopt;
  return found->late();
}

Result<std::optional<std::vector<FrameTrack>>> Pairing::ReadOrGuess() {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::unique_ptr<VideoSource>> videos, OpenToLook());
  const std::shared_ptr<void> watch = InterruptOnCancel(videos);
  std::optional<int64_t> most;
  constexpr double kMostFrames = 1e15;
  if (request_.frame_limit > 0)
    most = static_cast<int64_t>(
        std::min(kMostFrames, 1.1 * static_cast<double>(first_frame() + request_.frame_limit) +
                                  1.2 * kMostSecondsApart * PlausibleRate(videos[0]->frame_rate()).value_or(60)));
  TrackReading reading(videos);
  if (MayGuess())
    for (const int64_t first : {kFirstCheck, 4 * kFirstCheck}) {
      if (first <= seen_.frames) continue;
      ACU_RETURN_IF_ERROR(reading.ReadTo(first));
      const std::vector<FrameTrack>& tracks = reading.tracks();
      if (tracks[0].is_whole || tracks[1].is_whole) break;  // videos that are read to an end need no guess
      guess_ = GuessOf(AlignTracks(tracks[0], tracks[1]));
      next_check_ = 4 * first;
      if (guess_) return std::optional<std::vector<FrameTrack>>();
    }
  ACU_RETURN_IF_ERROR(reading.ReadTo(most));
  damages_ = reading.damages();
  return std::optional(reading.Take());
}

Status Pairing::GuessAtStart() {
  for (size_t v = 0; v < facts_.size(); ++v)
    if (!IsFile(PathOf(v))) return {};
  std::vector<std::unique_ptr<VideoSource>> videos;
  for (size_t v = 0; v < facts_.size(); ++v) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenFirst(request_.open, v));
    facts_[v] = {video->frame_count(), video->frame_rate(), false, video->facts().orientation, {}, {}, 1};
    videos.push_back(std::move(video));
  }
  if (!MayGuess() || NeedsFullAlignment()) return {};
  const std::shared_ptr<void> watch = InterruptOnCancel(videos);
  TrackReading reading(videos);
  for (const int64_t first : {kStart, kFirstCheck, 4 * kFirstCheck}) {
    ACU_RETURN_IF_ERROR(reading.ReadTo(first));
    const FrameTrack &reference = reading.tracks()[0], &distorted = reading.tracks()[1];
    if (IsIdentityAlignment(reference, distorted)) return {};
    const Result<Alignment> found = AlignTracks(reference, distorted);
    if (found.ok() && found->is_identity()) return {};
    if (first == kStart) continue;  // too few to guess by
    guess_ = GuessOf(found);
    next_check_ = 4 * first;
    if (guess_ || reference.is_whole || distorted.is_whole) return {};
  }
  return {};
}

Status Pairing::EstimateStartOffset() {
  if (request_.max_memory || request_.crop.find_bars || request_.crop.reference || !MayGuess()) return {};
  const Status status = GuessAtStart();
  needs_full_alignment_ = false;
  HoldPipes(false);
  if (!guess_) next_check_ = kFirstCheck;
  for (auto& [path, video] : kept_) video.ReleaseAsRead();
  const bool is_of_videos = status.code() != StatusCode::kOutOfMemory && status.code() != StatusCode::kCancelled;
  return is_of_videos ? Status() : status;
}

/// Reads what a run that guessed has left of its videos, as far as it is worth reading. False: one goes on.
bool Pairing::ReadRests() {
  int64_t shortest = kAll;
  for (const auto& track : tracks_)
    if (track->has_ended()) shortest = std::min(shortest, track->size());
  if (shortest == kAll) return false;
  return std::ranges::all_of(tracks_, [&](const auto& track) { return track->ReadRest(WorthReading(shortest, 1)); });
}

/// The decision rests on the whole videos, as without a guess.
void Pairing::ConcludeGuess(int64_t frames) {
  if (!ReadRests()) return NoteWrong();
  whole_ = {tracks_[0]->Copy(kAll), tracks_[1]->Copy(kAll)};
  auto [found, placement] = AlignPlaced(whole_[0], whole_[1]);
  if (!found.ok() || !found->IsShifted(*guess_) || std::ssize(found->pairs) != frames) return NoteWrong();
  NotePlacement(1, placement);
  NoteRange(1, PairedFrames(whole_[0], found->pairs, false), PairedFrames(whole_[1], found->pairs, true));
  alignments_.push_back(std::move(*found));
}

Status Pairing::Look() {
  std::optional<std::vector<FrameTrack>> tracks;
  needs_full_alignment_ = false;
  HoldPipes(false);
  damages_.clear();
  if (!whole_.empty()) {
    tracks = std::move(whole_);
  } else if (MayGuess() && seen_.late) {
    guess_ = std::exchange(seen_.late, std::nullopt);
    return {};
  } else {
    ACU_ASSIGN_OR_RETURN(tracks, ReadOrGuess());
    if (!tracks) return {};
  }
  watches_ = false;
  guess_.reset();
  ACU_RETURN_IF_ERROR(AlignAll(*std::move(tracks)));
  KeepCommonPairs();
  if (alignments_[0].pairs.empty())
    return Error(StatusCode::kBadData, "the distorted videos have no frames of {} in common", request_.reference);
  PickPairs();
  return {};
}

}  // namespace acutance
