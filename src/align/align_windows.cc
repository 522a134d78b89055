#include "align/align_windows.h"

#include <algorithm>
#include <limits>

#include "align/path/fit_path.h"

namespace acutance {
namespace {

constexpr int64_t kOverlap = 200;  // frames at a window's end that the next one decides, and as many that lead up to it
constexpr double kMostLeftOut = 0.25;

FrameTrack FirstOf(const FrameTrack& track, int64_t count) {
  FrameTrack part;
  part.rate = track.rate;
  part.is_whole = false;
  part.fingerprints.assign(track.fingerprints.begin(), track.fingerprints.begin() + count);
  if (std::ssize(track.times) == track.size()) part.times.assign(track.times.begin(), track.times.begin() + count);
  return part;
}

double FramesEach(const FrameTrack& reference, const FrameTrack& distorted) {
  return reference.rate && distorted.rate ? *reference.rate / *distorted.rate : 1;
}

void CountFromFirst(std::vector<double>& times) {
  if (times.empty()) return;
  const double first = times.front();
  for (double& time : times) time -= first;
}

/// Whether a pair is the last of several at one step: a place where nothing is missing or repeated.
bool IsSteady(const PairList& pairs, size_t at) {
  constexpr size_t kSteady = 8;
  if (at < kSteady) return false;
  for (size_t k = at - kSteady; k < at; ++k)
    if (pairs[k + 1].second != pairs[k].second + 1 ||
        pairs[k + 1].first - pairs[k].first != pairs[at].first - pairs[at - 1].first)
      return false;
  return true;
}

}  // namespace

int64_t AlignmentWindow(std::optional<size_t> max_memory) {
  constexpr size_t kMost = size_t{64} << 20;  // bytes
  constexpr size_t kOfAPair = 32 << 10;       // of both fingerprints, their copies, and what a path's fit has of them
  constexpr size_t kLeast = 4 * kOverlap;
  const size_t bytes = max_memory ? std::min(kMost, *max_memory / 2) : kMost;
  return static_cast<int64_t>(std::max(kLeast, bytes / kOfAPair));
}

std::pair<int64_t, int64_t> WindowedAlignment::end(const FrameTrack& reference, const FrameTrack& distorted) const {
  const auto frames = static_cast<int64_t>(static_cast<double>(window_) * FramesEach(reference, distorted));
  return {anchor_.first + frames + MostFramesApart(reference, distorted), anchor_.second + window_};
}

PlacedAlignment WindowedAlignment::Align(const FrameTrack& reference, const FrameTrack& distorted) const {
  if (by_ == By::kTimes) return {AlignByTimes(reference, distorted), std::nullopt};
  if (decided_ == 0) return AlignPlaced(reference, distorted);
  if (!placement_) return {AlignTracks(reference, distorted), std::nullopt};
  const auto [one, other] = CropToShared(placement_->placement, reference, distorted);
  return {AlignTracks(one, other), placement_};
}

/// Content that does not decide follows on frame by frame: within a window both have as many frames. Of an encode that
/// lost the differences between frames, that is no evidence unless the whole videos have one length.
PlacedAlignment WindowedAlignment::AlignWindow(const FrameTrack& reference, const FrameTrack& distorted) const {
  if (by_ == By::kContent && reference.size() > distorted.size() && ClocksAgree(reference, distorted)) {
    PlacedAlignment same = Align(FirstOf(reference, distorted.size()), distorted);
    const bool is_identity = same.alignment.ok() && same.alignment->is_identity();
    if (is_identity && (has_one_length_ || same.alignment->doubt != Alignment::Doubt::kLost)) return same;
  }
  return Align(reference, distorted);
}

void WindowedAlignment::Add(FrameTrack reference, FrameTrack distorted) {
  if (by_ == By::kContent && decided_ > 0) {
    CountFromFirst(reference.times);
    CountFromFirst(distorted.times);
  }
  is_done_ = distorted.is_whole || reference.size() == 0;
  if (reference.size() == 0) return;
  const double frames_each = FramesEach(reference, distorted);
  const auto [found, placement] = AlignWindow(reference, distorted);
  int64_t end = distorted.is_whole ? distorted.size() : std::max<int64_t>(0, distorted.size() - kOverlap);
  if (!found.ok()) {
    if (refusal_.ok()) refusal_ = found.status();
    return LeaveOut(end, frames_each);
  }
  if (placement && !placement_) placement_ = placement;
  if (samples_.first.size() == 0) samples_ = SamplePairs(reference, distorted, found->pairs);
  const PairList& pairs = found->pairs;
  is_done_ |= reference.is_whole && !pairs.empty() && pairs.back().second < end;
  if (is_done_) end = distorted.size();
  // Frames that may show what comes after the reference's last one here are the next window's.
  if (!reference.is_whole) {
    const auto late = std::ranges::lower_bound(pairs, reference.size() - kOverlap, {}, &PairList::value_type::first);
    if (late != pairs.end() && late->second < end) end = late->second, is_done_ = false;
  }
  Take(*found, end);
  MoveAnchor(pairs, end - kOverlap, frames_each);
}

/// Takes what a window says of distorted frames from the decided ones on to its frame `end`.
void WindowedAlignment::Take(const Alignment& found, int64_t end) {
  const bool by_content = found.by == Alignment::By::kFingerprints;
  if (by_content) {
    const bool is_first = alignment_.by != Alignment::By::kFingerprints;
    alignment_.confidence = is_first ? found.confidence : std::min(alignment_.confidence, found.confidence);
    alignment_.by = found.by;
    alignment_.doubt = Alignment::Doubt::kNone;
  } else if (alignment_.by != Alignment::By::kFingerprints) {
    alignment_.by = found.by;
    alignment_.doubt = found.doubt;
    alignment_.period = found.period;
  }
  const auto is_new = [&](int64_t j) { return j < end && j + anchor_.second >= decided_; };
  PairList& pairs = alignment_.pairs;
  for (const auto& [i, j] : found.pairs)
    if (is_new(j) && (pairs.empty() || i + anchor_.first > pairs.back().first))
      pairs.emplace_back(i + anchor_.first, j + anchor_.second);
  for (const int64_t j : found.doubtful)
    if (is_new(j)) alignment_.doubtful.push_back(j + anchor_.second);
  decided_ = std::max(decided_, end + anchor_.second);
}

void WindowedAlignment::LeaveOut(int64_t end, double frames_each) {
  for (; decided_ < end + anchor_.second; ++decided_, ++refused_) alignment_.doubtful.push_back(decided_);
  MoveAnchor({}, end - kOverlap, frames_each);
}

/// To a steady pair before frame `before` of the last window, else to any; without one, as far on in both videos.
void WindowedAlignment::MoveAnchor(const PairList& pairs, int64_t before, double frames_each) {
  const int64_t far = std::max<int64_t>(1, before);
  std::pair<int64_t, int64_t> step(static_cast<int64_t>(static_cast<double>(far) * frames_each), far);
  const auto last = std::ranges::lower_bound(pairs, before, {}, &PairList::value_type::second) - pairs.begin();
  for (auto at = static_cast<size_t>(last); at-- > 0 && pairs[at].second > before / 2;) {
    if (at + 1 == static_cast<size_t>(last) || IsSteady(pairs, at)) step = pairs[at];
    if (IsSteady(pairs, at)) break;
  }
  anchor_.first += step.first;
  anchor_.second += step.second;
}

PlacedAlignment WindowedAlignment::Finish(int64_t reference_count, int64_t distorted_count) {
  const auto left_out = static_cast<double>(std::ssize(alignment_.doubtful)), all = static_cast<double>(decided_);
  if (!refusal_.ok() && (alignment_.pairs.empty() || static_cast<double>(refused_) > kMostLeftOut * all))
    return {refusal_, placement_};
  alignment_.window = window_;
  alignment_.confidence = std::min(alignment_.confidence, 1 - left_out / std::max(1.0, all));
  NoteUnmatched(reference_count, distorted_count, alignment_);
  return {std::move(alignment_), placement_};
}

Status AlignInWindows(TrackReading& reading, std::optional<int64_t> most, std::vector<WindowedAlignment>& alignments) {
  const int64_t last = most.value_or(std::numeric_limits<int64_t>::max());
  std::vector<int64_t> begins(alignments.size() + 1), ends(begins.size());
  while (!std::ranges::all_of(alignments, &WindowedAlignment::is_done)) {
    begins[0] = last;
    for (size_t v = 0; v < alignments.size(); ++v) {
      if (alignments[v].is_done()) continue;
      const auto [reference, distorted] = alignments[v].end(reading.tracks()[0], reading.tracks()[v + 1]);
      ends[0] = std::max(ends[0], std::min(last, reference));
      ends[v + 1] = std::min(last, distorted);
      begins[0] = std::min(begins[0], alignments[v].begin().first);
      begins[v + 1] = alignments[v].begin().second;
    }
    ACU_RETURN_IF_ERROR(reading.ReadWindow(begins, ends));
    for (size_t v = 0; v < alignments.size(); ++v) {
      if (alignments[v].is_done()) continue;
      const auto [i, j] = alignments[v].begin();
      const auto [reference_end, distorted_end] = alignments[v].end(reading.tracks()[0], reading.tracks()[v + 1]);
      FrameTrack reference = reading.PartOf(0, i, reference_end, last);
      FrameTrack distorted = reading.PartOf(v + 1, j, distorted_end, last);
      alignments[v].Add(std::move(reference), std::move(distorted));
    }
  }
  return reading.CountRest(last);
}

}  // namespace acutance
