// A frame scorer gives a session's scores, in any order of frames and from any format.
#include <acutance/acutance.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "api/test_clips.h"

namespace {

using acutance::Feature;
using acutance::FrameFormat;
using acutance::FramePlanes;
using acutance::FrameScorer;
using acutance::FrameScorerOptions;
using acutance::FrameScores;
using acutance::Picture;
using acutance::SessionOptions;
using acutance::StatusCode;
using acutance::test::kFormat;
using acutance::test::MakePicture;
using acutance::test::ScoreFrames;
using testing::HasSubstr;

constexpr int kDamage = 24;

FramePlanes PlanesOf(const Picture& picture) {
  return {{{picture.data(0), picture.stride(0)},
           {picture.data(1), picture.stride(1)},
           {picture.data(2), picture.stride(2)}}};
}

FrameScorerOptions OptionsOf(const Feature& feature, bool compares_samples) {
  const FrameFormat format = {.width = kFormat.width, .height = kFormat.height};
  return {.reference = format,
          .distorted = format,
          .features = {feature},
          .compares_samples = compares_samples,
          .threads = 1};
}

FrameScores ScoreFrame(FrameScorer& scorer, int n) {
  return *scorer.Score(PlanesOf(MakePicture(n, 0)), PlanesOf(MakePicture(n, kDamage)));
}

/// The session's first column: the feature's first output.
std::vector<double> SessionScores(const Feature& feature, int frames) {
  SessionOptions options;
  options.features = {feature};
  const auto result = *ScoreFrames(options, frames);
  return *result.Scores(result.names().front());
}

TEST(FrameScorer, ScoresFramesInAnyOrder) {
  FrameScorer scorer = *FrameScorer::Create(OptionsOf({"psnr", {}}, true));
  EXPECT_THAT(scorer.names(), testing::ElementsAre("psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"));
  const std::vector<double> expected = SessionScores({"psnr", {}}, 3);
  for (const int n : {2, 0, 1}) EXPECT_EQ(ScoreFrame(scorer, n).values[*scorer.IndexOf("psnr_y")], expected[n]) << n;
  EXPECT_TRUE(std::isnan(ScoreFrame(scorer, 0).values[*scorer.IndexOf("mse_y")])) << "not enabled";
  EXPECT_FALSE(scorer.IndexOf("psnr"));
}

TEST(FrameScorer, ColorsAreThoseOfTheFormat) {
  FrameScorerOptions options = OptionsOf({"ssimulacra2", {}}, false);
  options.reference.full_range = options.distorted.full_range = true;
  options.reference.transfer = options.distorted.transfer = 13;
  FrameScorer scorer = *FrameScorer::Create(options);
  const Feature same = {"ssimulacra2", {{"matrix", "bt709"}, {"range", "full"}, {"transfer", "srgb"}}};
  EXPECT_EQ(ScoreFrame(scorer, 0).values[0], SessionScores(same, 1)[0]);
}

TEST(FrameScorer, AFrameFollowsTheFramesThatAreGiven) {
  const Feature xpsnr = {"xpsnr", {{"fps", "25"}}};
  FrameScorer scorer = *FrameScorer::Create(OptionsOf(xpsnr, true)),
              other = *FrameScorer::Create(OptionsOf(xpsnr, true));
  const auto session = [&] {
    SessionOptions options;
    options.features = {{"xpsnr", {}}};
    options.frame_rate = 25;
    return *ScoreFrames(options, 4);
  }();
  const std::vector<double> expected = *session.Scores("xpsnr_y");
  std::vector<FrameScores> frames(4);
  for (const int n : {3, 1, 0, 2}) {
    const Picture earlier = MakePicture(std::max(n - 1, 0), 0);
    const std::vector<FramePlanes> before(n > 0 ? 1 : 0, PlanesOf(earlier));
    FrameScorer& one = n % 2 ? scorer : other;
    frames[n] = *one.ScoreAfter(before, PlanesOf(MakePicture(n, 0)), PlanesOf(MakePicture(n, kDamage)));
    EXPECT_EQ(frames[n].values[0], expected[n]) << n;
  }
  EXPECT_EQ(*scorer.Aggregates(frames), session.Aggregates());
  EXPECT_EQ(scorer.Aggregates(std::vector<FrameScores>(1)).status().code(), StatusCode::kInvalidArgument);
}

TEST(FrameScorer, AFeatureOverTimeHasItsValueOfTheClipSoFar) {
  const Feature cvvdp = {
      "cvvdp", {{"conversion", "common"}, {"display", "standard_fhd"}, {"matrix", "bt709"}, {"range", "limited"}}};
  FrameScorer scorer =
      *FrameScorer::Create(OptionsOf({"cvvdp", {{"conversion", "common"}, {"display", "standard_fhd"}}}, false));
  const size_t value = *scorer.IndexOf("cvvdp");
  std::vector<double> running;
  for (int n = 0; n < 3; ++n) running.push_back(ScoreFrame(scorer, n).values[value]);
  EXPECT_EQ(running[0], SessionScores(cvvdp, 1)[0]) << "a clip of one frame";
  EXPECT_EQ(running[2], SessionScores(cvvdp, 3)[2]);
  scorer.ResetHistory();
  scorer.ResetScores();
  EXPECT_TRUE(scorer.Load(PlanesOf(MakePicture(0, 0)), PlanesOf(MakePicture(0, kDamage))).ok());
  EXPECT_NE(ScoreFrame(scorer, 1).values[value], running[1]) << "one scored frame, with one before it";
}

TEST(FrameScorer, DrawsTheMapOfAFeature) {
  FrameScorer scorer = *FrameScorer::Create(OptionsOf({"butteraugli", {}}, false));
  ASSERT_EQ(scorer.map_width(), kFormat.width);
  std::vector<float> map(static_cast<size_t>(scorer.map_width()) * scorer.map_height());
  const auto stride = static_cast<ptrdiff_t>(scorer.map_width() * sizeof(float));
  const auto scores =
      scorer.Score(PlanesOf(MakePicture(0, 0)), PlanesOf(MakePicture(0, kDamage)), {map.data(), stride});
  ASSERT_TRUE(scores.ok()) << scores.status().message();
  EXPECT_EQ(*std::ranges::max_element(map), scores->values[*scorer.IndexOf("butteraugli_max")]);
  EXPECT_EQ(scorer.Score(PlanesOf(MakePicture(0, 0)), PlanesOf(MakePicture(0, 1)), {map.data(), 4}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(FrameScorer, MisuseIsAnErrorWithAMessage) {
  FrameScorer scorer = *FrameScorer::Create(OptionsOf({"psnr", {}}, true));
  const Picture picture = MakePicture(0, 0);
  FramePlanes planes = PlanesOf(picture);
  planes[1].data = nullptr;
  EXPECT_THAT(scorer.Score(planes, planes).status().message(), HasSubstr("plane 1 is null"));
  EXPECT_FALSE(FrameScorer::Create(OptionsOf({"pnsr", {}}, true)).ok());
  FrameScorerOptions options = OptionsOf({"psnr", {}}, true);
  options.features.clear();
  EXPECT_EQ(FrameScorer::Create(options).status().code(), StatusCode::kInvalidArgument);
  options = OptionsOf({"psnr", {}}, true);
  options.distorted.crop_left = 2;
  EXPECT_EQ(FrameScorer::Create(options).status().code(), StatusCode::kInvalidArgument);
  options.distorted = options.reference;
  options.distorted.subsampling_x = 2;
  EXPECT_EQ(FrameScorer::Create(options).status().code(), StatusCode::kUnsupported) << "no numbers to compare";
  options.distorted.bits = 11;
  EXPECT_THAT(FrameScorer::Create(options).status().message(), HasSubstr("8, 9, 10, 12, 14, 16"));
}

}  // namespace
