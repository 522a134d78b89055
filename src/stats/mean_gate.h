// Pass/fail decision on a video's mean score from randomly drawn blocks of frames (docs/use/decisions.md).
#pragma once

#include <acutance/run.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/bootstrap.h"

namespace acutance {

/// Parts of equal length are drawn in random order without putting back, and the test may be asked after each. For each
/// verdict it bets on parts above (below) what is left on average where the verdict is wrong, so that the capital grows
/// beyond 1 / (1 - confidence) at any time with a probability of 1 - confidence at most (Ville's inequality; Waudby-
/// Smith and Ramdas 2020, "Confidence sequences for sampling without replacement"). This holds for all scores in the
/// range: it asks for no independence, and no normal distribution.
class MeanTest {
 public:
  struct Options {
    double bound = 0;
    double least = 0, most = 100;  // of a score
    double confidence = 0.999;
    bool certain = false;  // only verdicts that the other parts cannot change
  };
  enum class Verdict { kOpen, kAbove, kBelow };  // mean >= bound, mean <= bound

  MeanTest(const Options& options, size_t parts);

  /// The mean of the next part, in the order that was drawn; in the range.
  void Add(double mean);

  Verdict verdict() const { return verdict_; }
  /// Whether no value of the other parts can change the verdict.
  bool is_certain() const { return is_certain_; }
  size_t added() const { return added_; }
  double mean() const;  // of what was added

  /// Bounds of the mean of all parts, for any values of the others.
  Interval Bounds() const;

 private:
  double Bet(double distance, double room) const;
  void Settle();

  const Options options_;
  const size_t parts_;
  const double bound_;  // in units of the range, as are all sums
  double log_wanted_;
  double sum_ = 0, squares_ = 0;
  double log_above_ = 0, log_below_ = 0;  // the capitals
  size_t added_ = 0;
  Verdict verdict_ = Verdict::kOpen;
  bool is_certain_ = false;
};

/// Frames begin to end - 1.
struct FrameSpan {
  int64_t begin = 0, end = 0;
  bool operator==(const FrameSpan&) const = default;
};

struct ScoreRange {
  double least = 0, most = 100;
};

struct MeanDecision {
  bool holds = false;
  bool is_certain = false;                   // regardless of the frames that were not scored
  double mean_of_scored = 0;                 // NaN: no score was needed
  double least_mean = 0, greatest_mean = 0;  // bounds of the mean of all frames
};

/// Frames are scored in blocks: a block costs little more than a frame, and neighbouring frames are correlated. Call
/// Begin() with the sum over tail(), then AddBlocks() with the sums over NextBlocks() while is_open(). All sums are of
/// scores within the range.
class MeanJudge {
 public:
  /// frames: more than 0. Without a frame rate, 25 is assumed.
  MeanJudge(const MeanGate& choice, int64_t frames, std::optional<double> frame_rate);
  /// A gate without blocks: all frames are its tail.
  static MeanJudge OfAllFrames(const MeanGate& choice, int64_t frames) { return {choice, frames}; }

  /// The last frames, which fill no block. They are scored before blocks are drawn; empty: there are none.
  FrameSpan tail() const { return {frames_ - tail_frames_, frames_}; }
  void Begin(const ScoreRange& range, double tail_sum);

  bool is_open() const { return test_->verdict() == MeanTest::Verdict::kOpen; }
  /// The blocks to score next, in the order of their frames. Their number grows with what was scored, so that the cost
  /// of passing over the frames between them, which are decoded, stays in proportion.
  std::vector<FrameSpan> NextBlocks();
  /// The sums of the scores of the blocks that NextBlocks() returned last.
  void AddBlocks(std::span<const double> sums);

  /// The mean of the blocks that were added; 0 before the first of them.
  double mean_of_blocks() const { return Mirrored(test_->mean()); }
  /// Once the gate is not open any more.
  MeanDecision Decide() const;

 private:
  MeanJudge(const MeanGate& choice, int64_t frames) : choice_(choice), frames_(frames), tail_frames_(frames) {}

  /// --at-most asks whether the scores, mirrored in their range, reach the mirrored bound: a mean that equals the bound
  /// passes both ways.
  double Mirrored(double score) const { return choice_.at_least ? score : range_.least + range_.most - score; }

  const MeanGate choice_;
  const int64_t frames_;
  int64_t block_frames_ = 1;
  int64_t tail_frames_ = 0;
  double tail_sum_ = 0;
  ScoreRange range_;
  std::vector<size_t> order_;  // of the blocks, as they are drawn
  size_t added_ = 0, drawn_ = 0;
  std::optional<MeanTest> test_;  // set by Begin()
};

}  // namespace acutance
