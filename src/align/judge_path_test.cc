#include "align/judge_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Frames that have nothing in common.
FrameTrack NoiseTrack(int count) {
  std::mt19937 random(1);
  FrameTrack track;
  for (int k = 0; k < count; ++k) {
    FrameSignature& signature = track.signatures.emplace_back();
    for (uint16_t& cell : signature.cells) cell = static_cast<uint16_t>(random() >> 16);
  }
  return track;
}

/// The doubtful frames of a video whose frames have the given margins before their successors.
std::vector<int64_t> DoubtfulOf(const std::vector<double>& margins) {
  const auto count = static_cast<int64_t>(margins.size());
  const FrameTrack track = NoiseTrack(static_cast<int>(count) + 1);
  FittedPath fitted = FitPath(track, track);
  FramePath path{std::vector<int64_t>(margins.size()), std::vector<uint8_t>(margins.size())};
  std::vector<FramePath::Rival> rivals;
  std::vector<int64_t> judged;
  for (int64_t j = 0; j < count; ++j) {
    judged.push_back(j);
    rivals.push_back({margins[static_cast<size_t>(j)], j + 1});
  }
  fitted.doubtful.clear();
  Judge(path, judged, rivals, fitted);
  for (const int64_t j : fitted.doubtful) EXPECT_EQ(fitted.shown[static_cast<size_t>(j)], -1);
  return fitted.doubtful;
}

/// The rivals of a video whose frame k shows reference frame k; pairs that are off by k cost costs[k].
std::vector<FramePath::Rival> RivalsOf(const std::vector<double>& costs, double outside) {
  constexpr int64_t kFrames = 12;
  PathSearch search;
  search.reference_count = kFrames;
  search.clock = IndexClock(kFrames);
  search.costs = {.outside = outside, .outside_a_match = 0};
  search.window = [](int64_t, int64_t) { return PathSearch::Window{-kFrames, kFrames}; };
  const auto cost = [costs](int64_t j, int64_t i) {
    return costs[std::min(costs.size() - 1, static_cast<size_t>(std::abs(i - j)))];
  };
  search.fill = [cost](int64_t j, int64_t first, std::span<double> pairs) {
    for (size_t k = 0; k < pairs.size(); ++k) pairs[k] = cost(j, first + static_cast<int64_t>(k));
  };
  search.fill_steps = [](int64_t, int64_t, int64_t, int64_t, std::span<const double> pairs, std::span<double> steps) {
    for (size_t k = 0; k < steps.size(); ++k) steps[k] = pairs[k % pairs.size()];
  };
  search.is_rival = [](int64_t, int64_t own, int64_t other) { return std::abs(own - other) > 1; };
  std::vector<int64_t> judged;
  for (int64_t j = 0; j < kFrames; ++j) judged.push_back(j);
  search.judged = judged;
  return FindPath(search).rivals;
}

TEST(JudgePath, ComparesWithFramesThatDiffer) {
  // A frame that looks alike, or none at all, costs less than a frame that differs, which must not be overlooked.
  for (const double outside : {0.5, 50.0})
    for (const FramePath::Rival& rival : RivalsOf({1, 1.1, 1.5, 30}, outside)) {
      EXPECT_GE(rival.reference, 0);
      EXPECT_LT(rival.margin, 40);
    }
  const std::vector<FramePath::Rival> rivals = RivalsOf({1, 1.1, 1.5, 30}, 50);
  for (int64_t j = 2; j + 2 < std::ssize(rivals); ++j)
    EXPECT_EQ(std::abs(rivals[static_cast<size_t>(j)].reference - j), 2) << j;
}

TEST(JudgePath, DoubtsFramesThatFitTwoPlaces) {
  EXPECT_THAT(DoubtfulOf({9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}), IsEmpty());
  EXPECT_THAT(DoubtfulOf({9, 9, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9}), ElementsAre(2));
}

TEST(JudgePath, DoubtsAFrameOrTwoBetweenDoubtfulOnes) {
  EXPECT_THAT(DoubtfulOf({9, 9, 1, 9, 1, 9, 9, 9, 9, 9, 9, 9}), ElementsAre(2, 3, 4));
  EXPECT_THAT(DoubtfulOf({9, 9, 1, 9, 9, 1, 9, 9, 9, 9, 9, 9}), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(DoubtfulOf({9, 9, 1, 9, 9, 9, 1, 9, 9, 9, 9, 9}), ElementsAre(2, 6));
}

TEST(JudgePath, IsSureOfAFrameThatIsFarBetterWhereItIs) {
  EXPECT_THAT(DoubtfulOf({9, 9, 1, 60, 1, 9, 9, 9, 9, 9, 9, 9}), ElementsAre(2, 4));
}

}  // namespace
}  // namespace acutance
