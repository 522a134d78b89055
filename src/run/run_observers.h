// Observers of a run's frames in addition to its session: worst frames, and shots of the reference.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "align/fingerprint_analysis.h"
#include "align/information_stream.h"
#include "align/record_fingerprints.h"
#include "engine/session.h"
#include "image/picture.h"
#include "run/alignment_monitor.h"
#include "run/score_run.h"
#include "stats/score_table.h"
#include "video/pair_reader.h"

namespace acutance {

/// Detects shot boundaries in the reference.
class ShotDetector {
 public:
  /// finds_displayed: DisplayedFrame is called later, so that the cells of all frames are retained.
  ShotDetector(int threads, bool finds_displayed) : threads_(threads), finds_displayed_(finds_displayed) {}

  /// The next frame. has_fingerprint: its fingerprint comes by AddFingerprints, before Find.
  void Add(const Picture& reference, bool has_fingerprint);
  void AddFingerprints(std::span<const FrameFingerprint> fingerprints);
  int64_t count() const { return count_; }  // of frames so far

  /// The frames at which a shot begins, except the first; nullopt: a picture was not in the host's memory. numbers: as
  /// of ShotCuts.
  std::optional<std::vector<int64_t>> Find(std::span<const int64_t> numbers);

  /// The reference's frame that a distorted picture displays, where it is not `frame`. After Find.
  std::optional<int64_t> DisplayedFrame(const Picture& distorted, int64_t frame) const;

 private:
  int threads_;
  bool finds_displayed_;
  ShotCuts cuts_;
  bool has_pictures_ = true;  // all so far were in the host's memory
  int64_t count_ = 0;
  std::vector<FrameCells> cells_;
  std::optional<FingerprintStream> fingerprints_;  // not set: all come by AddFingerprints
};

/// The worst frames of one distorted video by one column: of each `spacing` frames (a second) the worst, since bad
/// frames come in runs, and of those the `count` worst. Pictures are referenced, not copied.
class WorstFrames {
 public:
  WorstFrames(int count, double spacing) : count_(count), spacing_(spacing) {}

  /// Frames in order. The pictures of a frame are held until it is judged.
  void Offer(int64_t frame, const Picture& reference, const Picture& distorted);

  /// Likewise, with the pictures of all distorted videos, which TakeCommon returns.
  void OfferCommon(int64_t frame, const Picture& reference, std::vector<Picture> distorted);

  /// Calls with each offered frame below `frames` that is not judged yet.
  void ForWaiting(int64_t frames, const std::function<void(int64_t frame)>& call) const;

  using Score = std::function<std::optional<double>(int64_t frame)>;
  /// Judges the frames below `frames` by `score`, which has none of a frame that is not scored.
  void Judge(const Score& score, ScoreDirection better, int64_t frames);
  /// Judges the frames below `frames`, whose scores are in the table. A frame that has none when the next one is done
  /// is passed over.
  void Judge(const ScoreTable& table, int column, int64_t frames);

  /// The worst score first.
  std::vector<WorstFrame> Take();
  std::vector<CommonFrame> TakeCommon();

 private:
  struct Candidate {
    WorstFrame frame;
    std::vector<Picture> distorted;  // of all videos; empty: not offered
  };

  void Retain(Candidate candidate);
  void Sort();

  int count_;
  double spacing_;
  std::deque<Candidate> waiting_;
  std::vector<Candidate> retained_;
  ScoreDirection better_ = ScoreDirection::kHigher;
};

class RunObservers {
 public:
  /// alignment: outlives the observers.
  RunObservers(const RunRequest& request, const AlignmentMonitor& alignment);

  /// Adds a tap for the fingerprints by which shots are found: devices compute them from samples that they get anyway.
  void AddTap(std::vector<ResultTap>& taps);

  /// frame_rate: frames a second. full_range: samples of the pictures use all values.
  void Start(double frame_rate, bool full_range);
  /// For a frame that is not scored: the journal has it, or it is before a part.
  void Skip(const FramePair& pair) { ObserveShots(pair); }
  /// For the next frame that is scored.
  void Observe(const FramePair& pair, const Session& session);
  /// No frame is read, and no shot is found.
  void SkipAll() {
    shots_.reset();
    information_.reset();
  }

  /// Stores the session and the findings in the run, once all frames are scored.
  Status Conclude(const std::shared_ptr<Session>& session, ScoredRun& run);

 private:
  bool HasTrack() const { return alignment_->reference_track() != nullptr; }
  void OfferWorst(const FramePair& pair);
  void JudgeWorst(const Session& session);
  void JudgeCommon(const Session& session, const std::string& model);
  Status TakeWorst(ScoredRun& run);
  void ObserveShots(const FramePair& pair);
  std::optional<ReferenceShots> FindShots(ScoredRun& run);

  int worst_count_;
  size_t videos_;
  bool has_journal_;
  const AlignmentMonitor* alignment_;
  std::vector<WorstFrames> worst_;     // by distorted video
  std::optional<WorstFrames> common_;  // of several
  std::optional<ShotDetector> shots_;
  std::shared_ptr<ThreadPool> information_crew_;          // null: information is not requested
  std::optional<InformationStream> information_;          // not set: likewise
  std::shared_ptr<std::deque<FrameFingerprint>> tapped_;  // the reference's fingerprints; null: no tap receives them
};

}  // namespace acutance
