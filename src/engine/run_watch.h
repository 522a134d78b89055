// What a run sees of its frames beside their scores: which ones score worst, and where the reference's shots begin.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/pairing.h"
#include "engine/score_run.h"
#include "engine/session.h"
#include "engine/shot_watch.h"
#include "engine/worst_frames.h"
#include "io/pair_reader.h"

namespace acutance {

class RunWatch {
 public:
  /// pairing: null: frames are paired by their order.
  RunWatch(const RunRequest& request, const Pairing* pairing);

  /// Before the session's start: devices make the signatures by which shots are found, of samples that they get anyway.
  void LetSessionSign(Session& session);

  void Start(double frame_rate);
  /// A frame that is not scored: the journal has it, or it lies before a part.
  void PassOver(const FramePair& pair) { WatchShots(pair); }
  /// A frame that is scored next.
  void Watch(const FramePair& pair, const Session& session);
  /// No frame is read: no shot is found.
  void PassOverAll() { shots_.reset(); }

  /// Puts what was found into the result, once all frames are scored.
  Status Conclude(const Session& session, ScoredRun& result);

 private:
  bool HasTrack() const { return pairing_ && pairing_->reference_track(); }
  void OfferWorst(const FramePair& pair);
  void JudgeWorst(const Session& session);
  Status TakeWorst(std::vector<std::vector<WorstFrame>>& worst);
  void WatchShots(const FramePair& pair);
  void FindShots(ScoredRun& result);

  const int worst_count_;
  const size_t videos_;
  const bool has_journal_;
  const Pairing* const pairing_;
  std::vector<WorstFrames> worst_;  // by distorted video
  std::optional<ShotWatch> shots_;
  std::shared_ptr<std::deque<FrameSignature>>
      signatures_;  // the reference's, made by the session; null: not made by it
};

}  // namespace acutance
