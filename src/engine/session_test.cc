#include "engine/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "engine/testing/score_video.h"

namespace acutance {
namespace {

using testing::HasSubstr;

/// Noise over a moving gradient, so that no metric is trivial and frames differ.
Picture MakePicture(const PictureFormat& format, int frame, int noise) {
  MutablePicture picture = AllocatePicture(format).value();
  std::mt19937 random(frame * 977 + noise * 31 + 1);
  const int max = (1 << format.bit_depth) - 1;
  for (int p = 0; p < format.PlaneCount(); ++p) {
    for (int y = 0; y < format.PlaneHeight(p); ++y) {
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const int shift = format.bit_depth - 8;
        const int value = (((x * 2 + y + 5 * frame) % 200 + 20) << shift) + static_cast<int>(random() % (noise + 1u));
        const int sample = std::min(value, max);
        if (format.bit_depth == 8) picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(sample);
        else picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(sample);
      }
    }
  }
  return picture.Share();
}

const PictureFormat kFormat{150, 140, 8, PixelFormat::k420};
const std::vector<FeatureRequest> kAllFeatures = {{"adm", {}},
                                                  {"motion", {{"motion_five_frame_window", "true"}}},
                                                  {"vif", {{"debug", "true"}}},
                                                  {"psnr", {{"enable_apsnr", "true"}}},
                                                  {"motion", {}}};

SessionSpec SpecOf(int threads, int distorted, int subsample = 1) {
  return {.features = kAllFeatures,
          .threads = threads,
          .subsample = subsample,
          .distorted_count = distorted,
          .format = kFormat};
}

std::unique_ptr<Session> ScoreVideo(int threads, const std::vector<int>& noises, int frames, int subsample = 1) {
  return ScoreVideo(SpecOf(threads, static_cast<int>(noises.size()), subsample), frames, [&](int frame, int video) {
    return MakePicture(kFormat, frame, video == 0 ? 0 : noises[static_cast<size_t>(video) - 1]);
  });
}

TEST(Session, ScoresDoNotDependOnThreads) {
  const auto one = ScoreVideo(1, {9}, 9);
  for (int threads : {2, 3, 8}) ExpectSameTables(one->scores(0), ScoreVideo(threads, {9}, 9)->scores(0));
}

TEST(Session, SeveralDistortedVideosScoreAsEachAlone) {
  const auto together = ScoreVideo(3, {3, 30, 90}, 5);
  ExpectSameTables(together->scores(0), ScoreVideo(1, {3}, 5)->scores(0));
  ExpectSameTables(together->scores(1), ScoreVideo(1, {30}, 5)->scores(0));
  ExpectSameTables(together->scores(2), ScoreVideo(1, {90}, 5)->scores(0));
}

TEST(Session, OptionsOfOneMetricScoreAsEachAlone) {
  const std::vector<FeatureRequest> features = {
      {"adm", {}},
      {"motion", {}},
      {"adm", {{"adm_csf_mode", "2"}, {"egl", "1"}}},
      {"motion", {{"motion_max_val", "1.5"}}},
      {"motion", {{"motion_five_frame_window", "true"}}},
      {"motion", {{"motion_force_zero", "true"}}},
      {"adm", {{"adm_csf_mode", "2"}, {"egl", "1.2"}, {"adm_skip_aim", "true"}}},
      {"adm", {{"adm_skip_scale0", "true"}}},
  };
  const auto score = [](std::vector<FeatureRequest> asked, int threads, int subsample) {
    SessionSpec spec = SpecOf(threads, 2, subsample);
    spec.features = std::move(asked);
    return ScoreVideo(std::move(spec), 6, [&](int frame, int video) { return MakePicture(kFormat, frame, video * 9); });
  };
  for (const int subsample : {1, 2}) {
    const auto together = score(features, 3, subsample);
    for (const FeatureRequest& feature : features) {
      const auto alone = score({feature}, 1, subsample);
      for (int video = 0; video < 2; ++video)
        for (const auto& column : alone->scores(video).columns()) {
          const int same = together->scores(video).Find(column.stored);
          ASSERT_GE(same, 0) << column.stored;
          EXPECT_EQ(together->scores(video).columns()[same].scores, column.scores) << column.stored;
        }
    }
  }
}

TEST(Session, EveryFrameOfEveryColumnIsWritten) {
  const auto session = ScoreVideo(2, {12}, 4);
  for (const auto& column : session->scores(0).columns()) {
    ASSERT_EQ(column.scores.size(), 4u) << column.stored;
    for (const auto& score : column.scores) {
      ASSERT_TRUE(score.has_value()) << column.stored;
      EXPECT_FALSE(std::isnan(*score)) << column.stored;
    }
  }
}

TEST(Session, SubsamplingLeavesFramesOutButKeepsMotionTrue) {
  const auto all = ScoreVideo(2, {12}, 7);
  const auto third = ScoreVideo(2, {12}, 7, 3);
  const ScoreTable& table = third->scores(0);
  const int adm2 = table.Find("VMAF_integer_feature_adm2_score");
  const int motion2 = table.Find("VMAF_integer_feature_motion2_score");
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(table.Get(adm2, i).has_value(), i % 3 == 0);
    EXPECT_EQ(table.Get(motion2, i), all->scores(0).Get(motion2, i));
  }
}

TEST(Session, OutputsAtTheFlushFollowAllOthers) {
  const auto session = ScoreVideo(1, {4}, 2);
  std::vector<std::string> shown;
  for (const auto& column : session->scores(0).columns()) shown.push_back(column.shown);
  ASSERT_GE(shown.size(), 4u);
  EXPECT_EQ(
      std::vector<std::string>(shown.end() - 4, shown.end()),
      (std::vector<std::string>{"integer_motion2_mffw", "integer_motion3_mffw", "integer_motion2", "integer_motion3"}));
  EXPECT_EQ(shown.front(), "integer_adm2");
}

TEST(Session, EqualRequestsAreServedOnce) {
  const auto session =
      OpenSession({.features = {{"vif", {}}, {"vif", {{"vif_enhn_gain_limit", "100.0"}}}, {"vif", {{"egl", "1"}}}},
                   .format = kFormat});
  EXPECT_EQ(session->scores(0).columns().size(), 8u);
}

std::string CreateError(const FeatureRequest& request) {
  return Session::Open({.features = {request}}).status().message();
}

TEST(Session, OptionsThatAnEarlierRequestLeavesWithoutEffectAreAWarning) {
  const auto session = OpenSession(
      {.features = {{"psnr", {}}, {"psnr", {{"enable_mse", "true"}}}, {"psnr", {{"enable_chroma", "true"}}}},
       .format = kFormat});
  EXPECT_THAT(session->warnings(),
              testing::ElementsAre(testing::HasSubstr("feature psnr: enable_mse=true is ignored")));
}

TEST(Session, ScoresThatAreNotNumbersAreAWarning) {
  constexpr PictureFormat kTiny{8, 8, 8, PixelFormat::k420};  // psnr_hvs takes blocks of 8x8; chroma has none
  const auto session = OpenSession({.features = {{"psnr_hvs", {}}}, .format = kTiny});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session->Add(MakePicture(kTiny, i, 0), {MakePicture(kTiny, i, 9)}).ok());
  ASSERT_TRUE(session->Flush().ok());
  EXPECT_THAT(session->warnings(),
              testing::ElementsAre("psnr_hvs_cb is not a number in 3 of 3 frames; the first is frame 0",
                                   "psnr_hvs_cr is not a number in 3 of 3 frames; the first is frame 0",
                                   "psnr_hvs is not a number in 3 of 3 frames; the first is frame 0"));
}

TEST(Session, ErrorsNameTheFeatureTheOptionAndTheNearestName) {
  EXPECT_EQ(CreateError({"vfi", {}}), "no such feature 'vfi'; did you mean 'vif'? (`acutance features` lists them)");
  EXPECT_EQ(CreateError({"vif", {{"vif_enhn_gain_limt", "1"}}}),
            "feature vif: no such option 'vif_enhn_gain_limt'; did you mean 'vif_enhn_gain_limit'?");
  EXPECT_EQ(CreateError({"vif", {{"vif_enhn_gain_limit", "101"}}}),
            "feature vif: option vif_enhn_gain_limit: '101' is not within its range 1 to 100");
  EXPECT_EQ(CreateError({"vif", {{"debug", "yes"}}}), "feature vif: option debug: 'yes' is not true or false");
  EXPECT_EQ(CreateError({"adm", {{"adm_csf_mode", "nan"}}}), "feature adm: option adm_csf_mode: 'nan' is not a number");
}

TEST(Session, TooSmallPicturesAreRefusedByName) {
  const Status status = Session::Open({.features = {{"adm", {}}}, .format = {32, 40, 8, PixelFormat::k420}}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), testing::AllOf(testing::HasSubstr("adm"), testing::HasSubstr("32x40")));
}

TEST(Session, MisuseIsAnError) {
  auto session = OpenSession(SpecOf(1, 1));
  EXPECT_FALSE(session->Flush().ok());  // no frame
  auto fresh = OpenSession(SpecOf(1, 1));
  EXPECT_FALSE(fresh->Add(MakePicture(kFormat, 0, 0), {}).ok());
  PictureFormat other = kFormat;
  other.width = 152;
  EXPECT_FALSE(fresh->Add(MakePicture(kFormat, 0, 0), {MakePicture(other, 0, 0)}).ok());
  EXPECT_TRUE(fresh->Add(MakePicture(kFormat, 0, 0), {MakePicture(kFormat, 0, 1)}).ok());
  EXPECT_TRUE(fresh->Flush().ok());
  EXPECT_FALSE(fresh->Flush().ok());
  EXPECT_FALSE(fresh->Add(MakePicture(kFormat, 0, 0), {MakePicture(kFormat, 0, 1)}).ok());
}

TEST(Session, MemoryIsLimited) {
  const PictureFormat format = {640, 360, 8, PixelFormat::k420};
  const auto start = [&](size_t bytes) {
    SessionSpec spec = {.features = {{"vif", {}}, {"motion", {}}},
                        .threads = 8,
                        .format = format,
                        .read_ahead = 2,
                        .max_memory = bytes};
    return Session::Open(spec).status();
  };
  EXPECT_TRUE(start(20'000'000).ok());
  const Status refused = start(1'000'000);
  EXPECT_EQ(refused.code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(refused.message(), HasSubstr("MB of memory are needed to score one frame of 640x360"));
}

/// With pictures read ahead, as by a run of files.
TEST(Session, TwoGigabytesAreEnoughFor8K) {
  SessionSpec spec = {.features = {{"vif", {}}, {"adm", {}}, {"motion", {}}},
                      .threads = 64,
                      .format = {7680, 4320, 16, PixelFormat::k420},
                      .read_ahead = 3,
                      .max_memory = 2'000'000'000};
  const Status status = Session::Open(spec).status();
  EXPECT_TRUE(status.ok()) << status.message();
}

// xpsnr looks at two earlier pictures from 32 frames a second on.
TEST(Session, FeaturesLearnTheFrameRateFromTheVideo) {
  const auto history_at = [](const OptionTexts& asked, const OptionTexts& video) {
    SessionSpec spec = {
        .features = {{"xpsnr", asked}}, .format = kFormat, .video = video, .writes_scores = false, .first_frame = 10};
    return 10 - Session::Open(std::move(spec)).value()->next_frame();
  };
  EXPECT_EQ(history_at({}, {}), 1);
  EXPECT_EQ(history_at({}, {{"fps", "59.94"}}), 2);
  EXPECT_EQ(history_at({{"fps", "24"}}, {{"fps", "59.94"}}), 1) << "what is asked for counts more";
  EXPECT_EQ(history_at({{"temporal", "false"}}, {{"fps", "59.94"}}), 0);
}

}  // namespace
}  // namespace acutance
