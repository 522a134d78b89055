// What a run sees of its frames beside their scores: which ones score worst, and where the reference's shots begin.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session.h"
#include "run/pairing.h"
#include "run/score_run.h"
#include "run/shot_detector.h"
#include "run/worst_frames.h"
#include "video/pair_reader.h"

namespace acutance {

class RunObservers {
 public:
  /// pairing: null: frames are paired by their order.
  RunObservers(const RunRequest& request, const Pairing* pairing);

  /// Adds a tap for the fingerprints by which shots are found: devices compute them from samples that they get anyway.
  void LetSessionSign(std::vector<ResultTap>& taps);

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
  std::optional<ShotDetector> shots_;
  std::shared_ptr<std::deque<FrameFingerprint>>
      fingerprints_;  // the reference's, made by the session; null: not made by it
};

}  // namespace acutance
