#include "stats/mean_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "stats/bootstrap.h"

namespace acutance {
namespace {

struct Judged {
  MeanDecision decision;
  int64_t frames_scored = 0;
  int rounds = 0;
};

double SumOf(const std::vector<double>& scores, const FrameSpan& range) {
  return std::accumulate(scores.begin() + range.begin, scores.begin() + range.end, 0.0);
}

/// Runs a gate over scores by frame, as a run does, and checks what it asks for.
Judged Judge(const std::vector<double>& scores, const MeanGate& choice, const ScoreRange& range = {}) {
  MeanJudge gate(choice, std::ssize(scores), 25);
  Judged judged;
  std::vector<int> times(scores.size());
  const auto score = [&](const FrameSpan& frames) {
    for (int64_t frame = frames.begin; frame < frames.end; ++frame) ++times[static_cast<size_t>(frame)];
    judged.frames_scored += frames.end - frames.begin;
    return SumOf(scores, frames);
  };
  gate.Begin(range, score(gate.tail()));
  for (; gate.is_open(); ++judged.rounds) {
    std::vector<double> sums;
    const std::vector<FrameSpan> blocks = gate.NextBlocks();
    EXPECT_FALSE(blocks.empty());
    EXPECT_TRUE(std::ranges::is_sorted(blocks, {}, &FrameSpan::begin));
    for (const FrameSpan& block : blocks) sums.push_back(score(block));
    gate.AddBlocks(sums);
    if (blocks.empty()) break;
  }
  EXPECT_LE(std::ranges::max(times), 1) << "a frame is scored twice";
  judged.decision = gate.Decide();
  return judged;
}

std::vector<double> Noisy(size_t frames, double mean, double spread) {
  Random random(5);
  std::vector<double> scores(frames);
  for (double& score : scores) score = mean + spread * (2 * random.Uniform() - 1);
  return scores;
}

double MeanOf(const std::vector<double>& scores) {
  return SumOf(scores, {0, std::ssize(scores)}) / static_cast<double>(scores.size());
}

TEST(MeanGate, AFarBoundIsDecidedFromFewFrames) {
  const std::vector<double> scores = Noisy(15'007, 90, 5);
  for (const bool at_least : {true, false})
    for (const double bound : {70.0, 97.0}) {
      const Judged judged = Judge(scores, {.at_least = at_least, .bound = bound});
      EXPECT_EQ(judged.decision.holds, at_least == (bound < 90)) << bound;
      EXPECT_FALSE(judged.decision.is_certain);
      EXPECT_LT(judged.frames_scored, 3000) << bound;
      EXPECT_NEAR(judged.decision.mean_of_scored, 90, 1);
      EXPECT_LE(judged.decision.least_mean, MeanOf(scores));
      EXPECT_GE(judged.decision.greatest_mean, MeanOf(scores));
    }
}

TEST(MeanGate, AnEqualMeanPassesBothWaysOnceAllIsScored) {
  const std::vector<double> scores(1000, 75);
  for (const bool at_least : {true, false}) {
    const Judged judged = Judge(scores, {.at_least = at_least, .bound = 75});
    EXPECT_TRUE(judged.decision.holds) << at_least;
    EXPECT_TRUE(judged.decision.is_certain);
    EXPECT_EQ(judged.frames_scored, 1000);
    EXPECT_DOUBLE_EQ(judged.decision.mean_of_scored, 75);
    EXPECT_DOUBLE_EQ(judged.decision.least_mean, 75);
    EXPECT_DOUBLE_EQ(judged.decision.greatest_mean, 75);
  }
}

TEST(MeanGate, EqualFramesAreDecidedEarlyWhereTheBoundIsNotTheirs) {
  const std::vector<double> scores(30'000, 64);
  EXPECT_TRUE(Judge(scores, {.bound = 60}).decision.holds);
  EXPECT_FALSE(Judge(scores, {.bound = 68}).decision.holds);
  EXPECT_LT(Judge(scores, {.bound = 60}).frames_scored, 15'000);
}

// 60 of 100: after three fifths with the best score, the rest does not matter.
TEST(MeanGate, ACertainDecisionWaitsUntilTheRestCannotChangeIt) {
  const std::vector<double> best(1600, 100);  // 100 blocks
  const Judged above = Judge(best, {.bound = 60, .certain = true});
  EXPECT_TRUE(above.decision.holds);
  EXPECT_TRUE(above.decision.is_certain);
  EXPECT_GE(above.decision.least_mean, 60);
  EXPECT_GE(above.frames_scored, 960);
  EXPECT_LT(above.frames_scored, 1600);
  const std::vector<double> worst(1600, 0);
  const Judged below = Judge(worst, {.bound = 60, .certain = true});
  EXPECT_FALSE(below.decision.holds);
  EXPECT_TRUE(below.decision.is_certain);
  EXPECT_LT(below.decision.greatest_mean, 60);
  EXPECT_LT(below.frames_scored, 1600);
}

TEST(MeanGate, TheTailCounts) {
  std::vector<double> scores(16 * 20 + 15, 50);
  std::fill(scores.end() - 15, scores.end(), 100);
  const MeanJudge gate({}, std::ssize(scores), 25);
  EXPECT_EQ(gate.tail(), (FrameSpan{320, 335}));
  const double mean = (320 * 50 + 15 * 100) / 335.0;
  EXPECT_TRUE(Judge(scores, {.bound = mean - 0.001, .certain = true}).decision.holds);
  EXPECT_FALSE(Judge(scores, {.bound = mean + 0.001, .certain = true}).decision.holds);
}

TEST(MeanGate, AVideoShorterThanABlockIsAllTail) {
  const std::vector<double> scores = {10, 20, 30};
  const MeanJudge gate({}, 3, std::nullopt);
  EXPECT_EQ(gate.tail(), (FrameSpan{0, 3}));
  for (const bool at_least : {true, false}) {
    const Judged judged = Judge(scores, {.at_least = at_least, .bound = 21});
    EXPECT_EQ(judged.decision.holds, !at_least);
    EXPECT_TRUE(judged.decision.is_certain);
    EXPECT_EQ(judged.rounds, 0);
    EXPECT_NEAR(judged.decision.mean_of_scored, 20, 1e-12);
  }
  MeanJudge all = MeanJudge::OfAllFrames({.bound = 19}, 500);
  EXPECT_EQ(all.tail(), (FrameSpan{0, 500}));
  all.Begin({}, 500 * 20.0);
  EXPECT_FALSE(all.is_open());
  EXPECT_TRUE(all.Decide().holds);
}

TEST(MeanGate, BlocksLastASecondAtMost) {
  const auto block = [](int64_t frames, std::optional<double> rate) {
    MeanJudge gate({}, frames, rate);
    gate.Begin({}, 0);
    const FrameSpan first = gate.NextBlocks().front();
    return first.end - first.begin;
  };
  EXPECT_EQ(block(600 * 16, 50), 16);
  EXPECT_EQ(block(600 * 40, 50), 40);
  EXPECT_EQ(block(600 * 500, 50), 50);
  EXPECT_EQ(block(600 * 500, std::nullopt), 25);
  EXPECT_EQ(block(600 * 500, 10), 16);
}

TEST(MeanGate, TheSeedChoosesTheBlocks) {
  const auto blocks = [](uint64_t seed) {
    MeanJudge gate({.seed = seed}, 16'000, 25);
    gate.Begin({}, 0);
    return gate.NextBlocks();
  };
  EXPECT_EQ(blocks(1), blocks(1));
  EXPECT_NE(blocks(1), blocks(2));
}

TEST(MeanGate, ImpossibleBoundsNeedNoBlocks) {
  const std::vector<double> scores(1600, 50);
  const Judged never = Judge(scores, {.bound = 120}, {0, 110});
  EXPECT_FALSE(never.decision.holds);
  EXPECT_TRUE(never.decision.is_certain);
  EXPECT_EQ(never.frames_scored, 0);
  EXPECT_TRUE(std::isnan(never.decision.mean_of_scored));
}

}  // namespace
}  // namespace acutance
