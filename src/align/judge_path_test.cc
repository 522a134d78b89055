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
