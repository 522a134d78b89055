#include "align/path/path_confidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "align/testing/tracks.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The doubtful frames of a video whose frames have the given margins before their successors.
std::vector<int64_t> DoubtfulOf(const std::vector<double>& margins) {
  const auto count = static_cast<int64_t>(margins.size());
  std::mt19937 random(1);
  const auto noise = [&](int) {  // frames that have nothing in common
    FrameFingerprint frame;
    for (uint16_t& cell : frame.cells) cell = static_cast<uint16_t>(random() >> 16);
    return frame;
  };
  const FrameTrack track = TrackOf(0, static_cast<int>(count) + 1, noise);
  FittedPath fitted = FitPath(track, track);
  FramePath path{std::vector<int64_t>(margins.size()), std::vector<uint8_t>(margins.size())};
  std::vector<FramePath::Rival> rivals;
  std::vector<int64_t> judged;
  for (int64_t j = 0; j < count; ++j) {
    judged.push_back(j);
    rivals.push_back({margins[j], j + 1});
  }
  fitted.doubtful.clear();
  MarkAmbiguous(path, judged, rivals, fitted);
  for (const int64_t j : fitted.doubtful) EXPECT_EQ(fitted.shown[j], -1);
  return fitted.doubtful;
}

constexpr int kMoving = 120;  // frames of the videos below

/// A path that continues at another offset from frame `from` on.
FramePath StepAt(size_t from, int64_t offset) {
  FramePath path{std::vector<int64_t>(kMoving), std::vector<uint8_t>(kMoving)};
  std::fill(path.offsets.begin() + from, path.offsets.end(), offset);
  return path;
}

/// A spot that moves, and an encode of it whose frame k shows where it was at shown(k), with noise.
struct MovingVideos {
  FrameTrack reference, distorted;

  explicit MovingVideos(const std::function<double(int k)>& shown, double contrast = 1) {
    std::mt19937 random(2);
    for (int k = 0; k < kMoving; ++k) {
      reference.fingerprints.push_back(SpotAt(kSpeed * k, 3));
      FrameFingerprint coded = SpotAt(kSpeed * shown(k), 3);
      for (int c = 0; c < static_cast<int>(FrameFingerprint::kCells); ++c) {
        const double slope = 256 * (40 + 3 * (c % 32));
        uint16_t& cell = coded.cells[c];
        cell = static_cast<uint16_t>(slope + contrast * (cell - slope) + static_cast<double>(random() % 600));
      }
      distorted.fingerprints.push_back(coded);
    }
  }

  /// The doubtful frames where all have one margin, except for those given, on a path, which is frame by frame by
  /// default.
  std::vector<int64_t> DoubtfulAt(double margin, const std::vector<std::pair<int64_t, double>>& others = {},
                                  const FramePath& path = StepAt(0, 0)) const {
    FittedPath fitted = FitPath(reference, distorted);
    fitted.doubtful.clear();
    std::vector<int64_t> judged;
    std::vector<FramePath::Rival> rivals;
    for (int64_t j = 0; j < kMoving; ++j) {
      judged.push_back(j + path.offsets[j]);
      rivals.push_back({margin, judged.back() + (judged.back() > 3 ? -4 : 4)});
    }
    for (const auto& [j, other] : others) rivals[j].margin = other;
    MarkAmbiguous(path, judged, rivals, fitted);
    return fitted.doubtful;
  }

 private:
  static constexpr double kSpeed = 0.3;
};

/// The rivals of a video whose frame k shows reference frame k; pairs that are off by k cost costs[k].
std::vector<FramePath::Rival> RivalsOf(const std::vector<double>& costs, double outside) {
  constexpr int64_t kShown = 12;
  PathSearch search;
  search.reference_count = kShown;
  search.clock = IndexClock(kShown);
  search.costs = {.outside = outside, .outside_a_match = 0};
  search.window = [](int64_t, int64_t) { return PathSearch::Window{-kShown, kShown}; };
  search.fill = [costs](int64_t j, int64_t first, std::span<double> pairs) {
    for (int64_t k = 0; k < std::ssize(pairs); ++k)
      pairs[k] = costs[std::min<int64_t>(std::ssize(costs) - 1, std::abs(first + k - j))];
  };
  search.fill_steps = [](int64_t, int64_t, int64_t, int64_t, std::span<const double> pairs, std::span<double> steps) {
    for (size_t k = 0; k < steps.size(); ++k) steps[k] = pairs[k % pairs.size()];
  };
  search.is_rival = [](int64_t, int64_t own, int64_t other) { return std::abs(own - other) > 1; };
  std::vector<int64_t> judged;
  for (int64_t j = 0; j < kShown; ++j) judged.push_back(j);
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
  for (int64_t j = 2; j + 2 < std::ssize(rivals); ++j) EXPECT_EQ(std::abs(rivals[j].reference - j), 2) << j;
}

TEST(JudgePath, DoubtsFramesThatFitTwoPlaces) {
  EXPECT_THAT(DoubtfulOf({9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}), IsEmpty());
  EXPECT_THAT(DoubtfulOf({1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1}), ElementsAre(0, 11));
}

TEST(JudgePath, DoubtsAFrameOrTwoBetweenDoubtfulOnes) {
  EXPECT_THAT(DoubtfulOf({9, 9, -5, 9, -5, 9, 9, 9, 9, 9, 9, 9}), ElementsAre(2, 3, 4));
  EXPECT_THAT(DoubtfulOf({9, 9, -5, 9, 9, -5, 9, 9, 9, 9, 9, 9}), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(DoubtfulOf({9, 9, -5, 9, 9, 9, -5, 9, 9, 9, 9, 9}), ElementsAre(2, 6));
}

TEST(JudgePath, IsSureOfAFrameThatIsFarBetterWhereItIs) {
  EXPECT_THAT(DoubtfulOf({9, 9, -5, 60, -5, 9, 9, 9, 9, 9, 9, 9}), ElementsAre(2, 4));
}

TEST(JudgePath, DoubtsAFrameThatStopsAmidOthersHoweverSureTheyAre) {
  const MovingVideos videos([](int k) { return k == 40 ? 39 : k; });
  EXPECT_THAT(videos.DoubtfulAt(13), ElementsAre(40));
  EXPECT_THAT(MovingVideos([](int k) { return k; }).DoubtfulAt(13), IsEmpty());
}

TEST(JudgePath, DoubtsNoStopsOfAnEncodeThatStopsAgainAndAgain) {
  const auto stopping = [](int times) {
    return MovingVideos([times](int k) { return k % 12 == 10 && k < 12 * times ? k - 1 : k; });
  };
  EXPECT_THAT(stopping(3).DoubtfulAt(13), ElementsAre(10, 22, 34));
  EXPECT_THAT(stopping(6).DoubtfulAt(13), IsEmpty());
}

TEST(JudgePath, TakesFramesNextToAStepThatAreVerySure) {
  const MovingVideos videos([](int k) { return k < 40 ? k + 2 : k; });
  FramePath path = StepAt(40, 0);
  std::fill_n(path.offsets.begin(), 40, 2);
  EXPECT_THAT(videos.DoubtfulAt(9, {}, path), IsEmpty());
  EXPECT_THAT(videos.DoubtfulAt(9, {{39, 3}, {40, 3}}, path), ElementsAre(39, 40));
  EXPECT_THAT(videos.DoubtfulAt(7, {}, path), ElementsAre(36, 37, 38, 39, 40, 41, 42, 43));
}

TEST(JudgePath, TrustsFramesBetweenSureOnesUnlessTheyContradict) {
  const MovingVideos videos([](int k) { return k; });
  EXPECT_THAT(videos.DoubtfulAt(5, {{50, 1}, {51, -3}, {52, 1}, {53, 1}}), IsEmpty());
  EXPECT_THAT(videos.DoubtfulAt(5, {{50, 1}, {51, -5}, {52, 1}, {53, 1}}), ElementsAre(50, 51, 52, 53));
}

TEST(JudgePath, TrustsNoFramesBetweenSureOnesWhosePicturesContradict) {
  const auto is_between = [](int k) { return k >= 50 && k < 58; };
  const auto late_by = [&](double frames) {  // an encode that also lags where it is sure
    return MovingVideos([=](int k) { return is_between(k) ? k - frames : k >= 20 && k < 40 ? k - 0.55 : k; });
  };
  std::vector<std::pair<int64_t, double>> unsure;
  for (int k = 50; k < 58; ++k) unsure.emplace_back(k, 1);
  EXPECT_THAT(late_by(0.2).DoubtfulAt(7, unsure), IsEmpty());
  EXPECT_THAT(late_by(0.7).DoubtfulAt(7, unsure), ElementsAre(50, 51, 52, 53, 54, 55, 56, 57));
}

TEST(JudgePath, DoubtsARepeatThatAMissingFrameMakesUpForUnlessItIsVerySure) {
  const auto shown = [](int k) { return k >= 40 && k < 43 ? k - 1 : k; };
  const MovingVideos videos(shown);
  FramePath path = StepAt(0, 0);
  std::fill_n(path.offsets.begin() + 40, 3, -1);
  path.held[40] = 1;
  EXPECT_THAT(videos.DoubtfulAt(11, {}, path), ElementsAre(38, 39, 40, 41, 42, 43, 44));
  EXPECT_THAT(videos.DoubtfulAt(13, {}, path), IsEmpty());
}

TEST(JudgePath, DoubtsAFrameThatLiesNearerToAnotherAlone) {
  const auto late_by = [](int frames) {
    return MovingVideos([frames](int k) { return 40 <= k && k < 40 + 3 * frames && k % 3 == 1 ? k - 0.6 : k; });
  };
  EXPECT_THAT(late_by(1).DoubtfulAt(5), ElementsAre(40));
  EXPECT_THAT(late_by(1).DoubtfulAt(7), IsEmpty());
  EXPECT_THAT(late_by(20).DoubtfulAt(5), IsEmpty()) << "an encode that lags now and then";
}

TEST(JudgePath, DoubtsAFrameThatLiesFarNearerToAnotherAlsoInALateEncode) {
  const MovingVideos videos([](int k) { return k == 20 ? 20.9 : k == 21 ? 21.4 : k > 50 && k % 3 == 1 ? k - 0.6 : k; });
  EXPECT_THAT(videos.DoubtfulAt(5), ElementsAre(20));
}

TEST(JudgePath, DoubtsAStandstillInAnEncodeThatLosesMotion) {
  const auto standing = [](int from, int end) {
    return MovingVideos([=](int k) { return k > from && k < end ? from : k; }, 0.5);
  };
  EXPECT_THAT(standing(60, 65).DoubtfulAt(5), ElementsAre(61, 62, 63, 64));
  EXPECT_THAT(standing(60, 65).DoubtfulAt(7), IsEmpty());
  EXPECT_THAT(standing(60, 63).DoubtfulAt(5), IsEmpty()) << "two frames";
  EXPECT_THAT(standing(60, 110).DoubtfulAt(5), IsEmpty()) << "most of the video";
}

TEST(JudgePath, IsNoSurerOfARepeatThanOfTheFrameBeforeIt) {
  const MovingVideos videos([](int k) { return k > 40 ? k - 1 : k; });
  FramePath path = StepAt(41, -1);
  path.held[41] = 1;
  EXPECT_THAT(videos.DoubtfulAt(30, {{40, 1}}, path), ElementsAre(40, 41));
  EXPECT_THAT(videos.DoubtfulAt(30, {}, path), IsEmpty());
}

}  // namespace
}  // namespace acutance
