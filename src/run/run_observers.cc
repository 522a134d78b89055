#include "run/run_observers.h"

#include <string>

#include "image/lazy_picture.h"
#include "run/fingerprint_tap.h"

namespace acutance {

RunObservers::RunObservers(const RunRequest& request, const Pairing* pairing)
    : worst_count_(request.worst_frames),
      videos_(request.distorted.size()),
      has_journal_(!request.journal.empty()),
      pairing_(pairing) {
  if (request.find_shots) shots_.emplace(request.threads, request.worst_frames > 0);
}

void RunObservers::LetSessionSign(std::vector<ResultTap>& taps) {
  if (!shots_ || has_journal_ || HasTrack()) return;
  fingerprints_ = std::make_shared<std::deque<FrameFingerprint>>();
  taps.push_back(
      TapFingerprints([to = fingerprints_](int distorted, const FrameFingerprint& reference, const FrameFingerprint&) {
        if (distorted == 0) to->push_back(reference);
      }));
}

void RunObservers::Start(double frame_rate) {
  worst_.assign(worst_count_ > 0 ? videos_ : 0, WorstFrames(worst_count_, frame_rate));
}

void RunObservers::Watch(const FramePair& pair, const Session& session) {
  OfferWorst(pair);
  JudgeWorst(session);
  WatchShots(pair);
}

Status RunObservers::Conclude(const Session& session, ScoredRun& result) {
  JudgeWorst(session);
  ACU_RETURN_IF_ERROR(TakeWorst(result.worst));
  FindShots(result);
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
      if (const auto column = QualityColumn(table, model)) worst_[d].Judge(table, *column, session.frames_done());
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

void RunObservers::WatchShots(const FramePair& pair) {
  if (shots_) shots_->Watch(pair.reference, fingerprints_ || HasTrack());
}

void RunObservers::FindShots(ScoredRun& result) {
  if (!shots_) return;
  if (const auto track = pairing_ ? pairing_->reference_track() : nullptr)
    shots_->Add(track->Copy(shots_->watched()).fingerprints);
  else if (fingerprints_)
    for (const FrameFingerprint& fingerprint : *fingerprints_) shots_->Add({&fingerprint, 1});
  result.shot_starts = shots_->Find();
  if (!result.shot_starts) return;
  for (std::vector<WorstFrame>& frames : result.worst)
    for (WorstFrame& worst : frames) worst.shows = shots_->NearestReferenceFrameOf(worst.distorted, worst.frame);
}

}  // namespace acutance
