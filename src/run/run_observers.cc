#include "run/run_observers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "image/lazy_picture.h"

namespace acutance {
namespace {

constexpr int kMostCommonFrames = 3;  // each with the pictures of all encodes

}  // namespace

void ShotDetector::Add(const Picture& reference, bool has_fingerprint) {
  if (!has_pictures_) return;
  ++count_;
  has_pictures_ = reference.planes[0].data != nullptr;
  if (!has_pictures_ || has_fingerprint) return;
  if (!fingerprints_) fingerprints_.emplace(MakeFingerprintCrew(threads_));
  fingerprints_->Add(reference);
  AddFingerprints(fingerprints_->TakeMade());
}

void ShotDetector::AddFingerprints(std::span<const FrameFingerprint> fingerprints) {
  for (const FrameFingerprint& fingerprint : fingerprints) {
    cuts_.Add(fingerprint);
    if (finds_displayed_) cells_.push_back(fingerprint.cells);
  }
}

std::optional<std::vector<int64_t>> ShotDetector::Find(std::span<const int64_t> numbers) {
  if (!has_pictures_) return std::nullopt;
  if (fingerprints_) AddFingerprints(fingerprints_->TakeAll());
  return cuts_.Find(numbers);
}

std::optional<int64_t> ShotDetector::DisplayedFrame(const Picture& distorted, int64_t frame) const {
  return NearestReferenceFrame(FingerprintOf(distorted).cells, cells_, frame);
}

void WorstFrames::Offer(int64_t frame, const Picture& reference, const Picture& distorted) {
  waiting_.push_back({{frame, 0, reference, distorted, std::nullopt}, {}});
}

void WorstFrames::OfferCommon(int64_t frame, const Picture& reference, std::vector<Picture> distorted) {
  waiting_.push_back({{frame, 0, reference, {}, std::nullopt}, std::move(distorted)});
}

void WorstFrames::ForWaiting(int64_t frames, const std::function<void(int64_t frame)>& call) const {
  for (const Candidate& candidate : waiting_)
    if (candidate.frame.frame < frames) call(candidate.frame.frame);
}

void WorstFrames::Judge(const Score& score_of, ScoreDirection better, int64_t frames) {
  better_ = better;
  while (!waiting_.empty() && waiting_.front().frame.frame < frames) {
    const std::optional<double> score = score_of(waiting_.front().frame.frame);
    if (!score && waiting_.front().frame.frame + 1 == frames) return;  // it may come with the next frame's
    Candidate candidate = std::move(waiting_.front());
    waiting_.pop_front();
    if (!score || std::isnan(*score)) continue;
    candidate.frame.score = *score;
    Retain(std::move(candidate));
  }
}

void WorstFrames::Judge(const ScoreTable& table, int column, int64_t frames) {
  Judge([&](int64_t frame) { return table.Get(column, frame); }, table.columns()[column].better, frames);
}

void WorstFrames::Retain(Candidate candidate) {
  const auto is_worse = [&](const Candidate& a, const Candidate& b) {
    return IsWorse(a.frame.score, b.frame.score, better_);
  };
  const auto group = [&](const Candidate& worst) {
    return std::floor(static_cast<double>(worst.frame.frame) / spacing_);
  };
  const auto rival = std::ranges::find(retained_, group(candidate), group);
  if (rival == retained_.end()) retained_.push_back(std::move(candidate));
  else if (is_worse(candidate, *rival)) *rival = std::move(candidate);
  if (static_cast<int>(retained_.size()) > count_) retained_.erase(std::ranges::max_element(retained_, is_worse));
}

void WorstFrames::Sort() {
  std::ranges::sort(retained_, [&](const Candidate& a, const Candidate& b) {
    return a.frame.score == b.frame.score ? a.frame.frame < b.frame.frame
                                          : IsWorse(a.frame.score, b.frame.score, better_);
  });
}

std::vector<WorstFrame> WorstFrames::Take() {
  Sort();
  std::vector<WorstFrame> frames;
  for (Candidate& candidate : std::exchange(retained_, {})) frames.push_back(std::move(candidate.frame));
  return frames;
}

std::vector<CommonFrame> WorstFrames::TakeCommon() {
  Sort();
  std::vector<CommonFrame> frames;
  for (auto& [frame, distorted] : std::exchange(retained_, {}))
    frames.push_back({frame.frame, std::move(frame.reference), std::move(distorted)});
  return frames;
}

RunObservers::RunObservers(const RunRequest& request, const AlignmentMonitor& alignment)
    : worst_count_(request.worst_frames),
      videos_(request.distorted.size()),
      has_journal_(!request.journal.empty()),
      alignment_(&alignment) {
  if (request.find_shots) shots_.emplace(request.threads, request.worst_frames > 0);
  if (shots_ && request.measure_information) information_crew_ = MakeFingerprintCrew(request.threads);
}

void RunObservers::AddTap(std::vector<ResultTap>& taps) {
  if (!shots_ || has_journal_ || HasTrack()) return;
  tapped_ = std::make_shared<std::deque<FrameFingerprint>>();
  taps.push_back(
      TapFingerprints([to = tapped_](int distorted, const FrameFingerprint& reference, const FrameFingerprint&) {
        if (distorted == 0) to->push_back(reference);
      }));
}

void RunObservers::Start(double frame_rate, bool full_range) {
  if (information_crew_) information_.emplace(information_crew_, full_range);
  worst_.assign(worst_count_ > 0 ? videos_ : 0, WorstFrames(worst_count_, frame_rate));
  if (worst_count_ > 0 && videos_ > 1) common_.emplace(std::min(worst_count_, kMostCommonFrames), frame_rate);
  if (const auto track = alignment_->reference_track(); track && shots_)
    track->SetForgotten([this](const FrameFingerprint& frame) { shots_->AddFingerprints({&frame, 1}); });
}

void RunObservers::Observe(const FramePair& pair, const Session& session) {
  OfferWorst(pair);
  JudgeWorst(session);
  ObserveShots(pair);
}

Status RunObservers::Conclude(const std::shared_ptr<Session>& session, ScoredRun& run) {
  JudgeWorst(*session);
  ACU_RETURN_IF_ERROR(TakeWorst(run));
  run.session = session;
  run.encodes = EncodesOf(session, run, FindShots(run));
  return {};
}

void RunObservers::OfferWorst(const FramePair& pair) {
  for (size_t d = 0; d < worst_.size(); ++d)
    if (IsForHost(pair.reference) && IsForHost(pair.distorted[d]))
      worst_[d].Offer(pair.index, pair.reference, pair.distorted[d]);
  if (common_ && IsForHost(pair.reference) && std::ranges::all_of(pair.distorted, IsForHost))
    common_->OfferCommon(pair.index, pair.reference, pair.distorted);
}

void RunObservers::JudgeWorst(const Session& session) {
  const std::string& model = session.models().empty() ? "" : session.models().front().main_score_key();
  for (size_t d = 0; d < worst_.size(); ++d)
    session.ReadScores(static_cast<int>(d), [&](const ScoreTable& table) {
      if (const auto column = FindQualityColumn(table, model)) worst_[d].Judge(table, *column, session.frames_done());
    });
  if (common_) JudgeCommon(session, model);
}

/// A frame is as bad as the worst of its encodes.
void RunObservers::JudgeCommon(const Session& session, const std::string& model) {
  const int64_t frames = session.frames_done();
  std::optional<ScoreDirection> better;
  std::map<int64_t, std::optional<double>> worst;  // of frames that wait
  for (size_t d = 0; d < videos_; ++d)
    session.ReadScores(static_cast<int>(d), [&](const ScoreTable& table) {
      const auto column = FindQualityColumn(table, model);
      if (!column) return;
      better = table.columns()[static_cast<size_t>(*column)].better;
      common_->ForWaiting(frames, [&](int64_t frame) {
        const auto score = table.Get(*column, frame);
        auto& so_far = worst[frame];
        if (score && !std::isnan(*score) && (!so_far || IsWorse(*score, *so_far, *better))) so_far = score;
      });
    });
  if (better) common_->Judge([&](int64_t frame) { return worst[frame]; }, *better, frames);
}

Status RunObservers::TakeWorst(ScoredRun& run) {
  for (WorstFrames& frames : worst_) {
    for (WorstFrame& frame : run.worst.emplace_back(frames.Take())) {
      ACU_ASSIGN_OR_RETURN(frame.reference, Materialize(frame.reference));
      ACU_ASSIGN_OR_RETURN(frame.distorted, Materialize(frame.distorted));
    }
  }
  if (common_) run.common_frames = common_->TakeCommon();
  for (CommonFrame& frame : run.common_frames) {
    ACU_ASSIGN_OR_RETURN(frame.reference, Materialize(frame.reference));
    for (Picture& picture : frame.distorted) {
      ACU_ASSIGN_OR_RETURN(picture, Materialize(picture));
    }
  }
  return {};
}

void RunObservers::ObserveShots(const FramePair& pair) {
  if (shots_) shots_->Add(pair.reference, tapped_ || HasTrack());
  if (!information_ || pair.reference.planes[0].data == nullptr) return;
  const AlignmentPlan& plan = alignment_->plan();
  const bool follows = pair.index > 0 && plan.ReferenceFrame(pair.index) == plan.ReferenceFrame(pair.index - 1) + 1;
  information_->Add(pair.reference, follows);
}

std::optional<ReferenceShots> RunObservers::FindShots(ScoredRun& run) {
  if (!shots_) return std::nullopt;
  if (const auto track = alignment_->reference_track())
    shots_->AddFingerprints(track->Copy(shots_->count()).fingerprints);
  else if (tapped_)
    for (const FrameFingerprint& fingerprint : *tapped_) shots_->AddFingerprints({&fingerprint, 1});
  const auto& selected = alignment_->plan().selected;
  auto starts = shots_->Find(selected.empty() ? std::span<const int64_t>() : selected[0]);
  if (!starts) return std::nullopt;
  for (std::vector<WorstFrame>& frames : run.worst)
    for (WorstFrame& worst : frames) worst.shows = shots_->DisplayedFrame(worst.distorted, worst.frame);
  return ReferenceShots{*std::move(starts), information_ ? information_->TakeAll() : std::vector<LumaInformation>()};
}

}  // namespace acutance
