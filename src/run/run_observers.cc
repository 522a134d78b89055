#include "run/run_observers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "image/lazy_picture.h"

namespace acutance {

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

std::optional<std::vector<int64_t>> ShotDetector::Find() {
  if (!has_pictures_) return std::nullopt;
  if (fingerprints_) AddFingerprints(fingerprints_->TakeAll());
  return cuts_.Find();
}

std::optional<int64_t> ShotDetector::DisplayedFrame(const Picture& distorted, int64_t frame) const {
  return NearestReferenceFrame(FingerprintOf(distorted).cells, cells_, frame);
}

void WorstFrames::Offer(int64_t frame, const Picture& reference, const Picture& distorted) {
  waiting_.push_back({frame, 0, reference, distorted, std::nullopt});
}

void WorstFrames::Judge(const ScoreTable& table, int column, int64_t frames) {
  better_ = table.columns()[column].better;
  while (!waiting_.empty() && waiting_.front().frame < frames) {
    const std::optional<double> score = table.Get(column, waiting_.front().frame);
    if (!score && waiting_.front().frame + 1 == frames) return;  // it may come with the next frame's
    WorstFrame candidate = std::move(waiting_.front());
    waiting_.pop_front();
    if (!score || std::isnan(*score)) continue;
    candidate.score = *score;
    Retain(std::move(candidate));
  }
}

void WorstFrames::Retain(WorstFrame candidate) {
  const auto is_worse = [&](const WorstFrame& a, const WorstFrame& b) { return IsWorse(a.score, b.score, better_); };
  const auto group = [&](const WorstFrame& worst) { return std::floor(static_cast<double>(worst.frame) / spacing_); };
  const auto rival = std::ranges::find(retained_, group(candidate), group);
  if (rival == retained_.end()) retained_.push_back(std::move(candidate));
  else if (is_worse(candidate, *rival)) *rival = std::move(candidate);
  if (static_cast<int>(retained_.size()) > count_) retained_.erase(std::ranges::max_element(retained_, is_worse));
}

std::vector<WorstFrame> WorstFrames::Take() {
  std::ranges::sort(retained_, [&](const WorstFrame& a, const WorstFrame& b) {
    return a.score == b.score ? a.frame < b.frame : IsWorse(a.score, b.score, better_);
  });
  return std::move(retained_);
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
  ACU_RETURN_IF_ERROR(TakeWorst(run.worst));
  run.session = session;
  run.encodes = EncodesOf(session, run, FindShots(run));
  return {};
}

void RunObservers::OfferWorst(const FramePair& pair) {
  for (size_t d = 0; d < worst_.size(); ++d)
    if (IsForHost(pair.reference) && IsForHost(pair.distorted[d]))
      worst_[d].Offer(pair.index, pair.reference, pair.distorted[d]);
}

void RunObservers::JudgeWorst(const Session& session) {
  const std::string& model = session.models().empty() ? "" : session.models().front().main_score_key();
  for (size_t d = 0; d < worst_.size(); ++d)
    session.ReadScores(static_cast<int>(d), [&](const ScoreTable& table) {
      if (const auto column = FindQualityColumn(table, model)) worst_[d].Judge(table, *column, session.frames_done());
    });
}

Status RunObservers::TakeWorst(std::vector<std::vector<WorstFrame>>& worst) {
  for (WorstFrames& frames : worst_) {
    for (WorstFrame& frame : worst.emplace_back(frames.Take())) {
      ACU_ASSIGN_OR_RETURN(frame.reference, Materialize(frame.reference));
      ACU_ASSIGN_OR_RETURN(frame.distorted, Materialize(frame.distorted));
    }
  }
  return {};
}

void RunObservers::ObserveShots(const FramePair& pair) {
  if (shots_) shots_->Add(pair.reference, tapped_ || HasTrack());
  if (information_ && pair.reference.planes[0].data != nullptr) information_->Add(pair.reference);
}

std::optional<ReferenceShots> RunObservers::FindShots(ScoredRun& run) {
  if (!shots_) return std::nullopt;
  if (const auto track = alignment_->reference_track())
    shots_->AddFingerprints(track->Copy(shots_->count()).fingerprints);
  else if (tapped_)
    for (const FrameFingerprint& fingerprint : *tapped_) shots_->AddFingerprints({&fingerprint, 1});
  auto starts = shots_->Find();
  if (!starts) return std::nullopt;
  for (std::vector<WorstFrame>& frames : run.worst)
    for (WorstFrame& worst : frames) worst.shows = shots_->DisplayedFrame(worst.distorted, worst.frame);
  return ReferenceShots{*std::move(starts), information_ ? information_->TakeAll() : std::vector<LumaInformation>()};
}

}  // namespace acutance
