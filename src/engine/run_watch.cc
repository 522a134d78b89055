#include "engine/run_watch.h"

#include <string>

#include "image/unmade_picture.h"

namespace acutance {

RunWatch::RunWatch(const RunRequest& request, const Pairing* pairing)
    : worst_count_(request.worst_frames),
      videos_(request.distorted.size()),
      has_journal_(!request.journal.empty()),
      pairing_(pairing) {
  if (request.find_shots) shots_.emplace(request.threads, request.worst_frames > 0);
}

void RunWatch::LetSessionSign(Session& session) {
  if (!shots_ || has_journal_ || HasTrack() || !session.CanMakeSignatures()) return;
  signatures_ = std::make_shared<std::deque<FrameSignature>>();
  session.MakeSignatures([to = signatures_](int distorted, const FrameSignature& reference, const FrameSignature&) {
    if (distorted == 0) to->push_back(reference);
  });
}

void RunWatch::Start(double frame_rate) {
  worst_.assign(worst_count_ > 0 ? videos_ : 0, WorstFrames(worst_count_, frame_rate));
}

void RunWatch::Watch(const FramePair& pair, const Session& session) {
  OfferWorst(pair);
  JudgeWorst(session);
  WatchShots(pair);
}

Status RunWatch::Conclude(const Session& session, ScoredRun& result) {
  JudgeWorst(session);
  ACU_RETURN_IF_ERROR(TakeWorst(result.worst));
  FindShots(result);
  return {};
}

void RunWatch::OfferWorst(const FramePair& pair) {
  for (size_t d = 0; d < worst_.size(); ++d)
    if (IsForHost(pair.reference) && IsForHost(pair.distorted[d]))
      worst_[d].Offer(pair.index, pair.reference, pair.distorted[d]);
}

void RunWatch::JudgeWorst(const Session& session) {
  const std::string& model = session.models().empty() ? "" : session.models().front().main_score_key();
  for (size_t d = 0; d < worst_.size(); ++d)
    session.ReadScores(static_cast<int>(d), [&](const ScoreTable& table) {
      if (const auto column = QualityColumn(table, model)) worst_[d].Judge(table, *column, session.frames_done());
    });
}

Status RunWatch::TakeWorst(std::vector<std::vector<WorstFrame>>& worst) {
  for (WorstFrames& frames : worst_) {
    for (WorstFrame& frame : worst.emplace_back(frames.Take())) {
      ACU_ASSIGN_OR_RETURN(frame.reference, MakeIfUnmade(frame.reference));
      ACU_ASSIGN_OR_RETURN(frame.distorted, MakeIfUnmade(frame.distorted));
    }
  }
  return {};
}

void RunWatch::WatchShots(const FramePair& pair) {
  if (shots_) shots_->Watch(pair.reference, signatures_ || HasTrack());
}

void RunWatch::FindShots(ScoredRun& result) {
  if (!shots_) return;
  if (const auto track = pairing_ ? pairing_->reference_track() : nullptr)
    shots_->Add(track->Copy(shots_->watched()).signatures);
  else if (signatures_)
    for (const FrameSignature& signature : *signatures_) shots_->Add({&signature, 1});
  result.shot_starts = shots_->Find();
  if (!result.shot_starts) return;
  for (std::vector<WorstFrame>& frames : result.worst)
    for (WorstFrame& worst : frames) worst.shows = shots_->ShownMomentOf(worst.distorted, worst.frame);
}

}  // namespace acutance
