// The metric as the engine sees it: known answers, bands, options, logic over time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "metric/float_motion/float_motion.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "metric/testing/recorder.h"

namespace acutance {
namespace {

enum Output { kMotion2, kMotion3, kMotion, kOutputCount };

TestMetric Make(const OptionTexts& texts, const PictureFormat& format) {
  return TestMetric(kFloatMotionMetric, texts, format);
}

/// motion, motion2 and motion3 of the film, as the engine would write them.
std::vector<std::vector<double>> ScoreFilm(const OptionTexts& texts, const PictureFormat& format, int frames) {
  const TestMetric metric = Make(texts, format);
  const auto sequence = metric.extractor().MakeSequence();
  ScoreRecorder recorder;
  std::vector<std::vector<double>> columns(kOutputCount);
  std::vector<Picture> film;
  for (int k = 0; k < frames; ++k) {
    film.push_back(FilmPicture(format, k));
    ComputedFrame computed = metric.Run(film, {});
    columns[kMotion].push_back(computed.values[kMotion]);
    sequence->Push(k, {computed.values, computed.kept}, recorder);
  }
  sequence->Flush(recorder);
  columns[kMotion2] = recorder.Column(kMotion2);
  columns[kMotion3] = recorder.Column(kMotion3);
  return columns;
}

using Column = std::vector<double>;

// Numbers of the definition in another language (numpy), which libvmaf's own confirm on other clips (both options at
// once: in 4:4:4; README.md).
TEST(FloatMotion, KnownAnswers) {
  struct Answer {
    int bit_depth;
    OptionTexts options;
    Column motion;
  };
  const OptionTexts scale1 = {{"motion_add_scale1", "true"}}, uv = {{"motion_add_uv", "true"}};
  const OptionTexts both = {{"motion_add_scale1", "true"}, {"motion_add_uv", "true"}};
  const Answer answers[] = {
      {8, {}, {0.0, 6.2875189781188965, 6.282829761505127, 6.364604473114014}},
      {10, {}, {0.0, 6.287519931793213, 6.282829761505127, 6.364603519439697}},
      {12, {}, {0.0, 6.287519454956055, 6.282830715179443, 6.364603519439697}},
      {16, {}, {0.0, 6.2875189781188965, 6.282830715179443, 6.364603519439697}},
      {8, {{"motion_filter_size", "3"}}, {0.0, 7.3245415687561035, 7.238091945648193, 7.34814453125}},
      {16, {{"motion_filter_size", "3"}}, {0.0, 7.324541091918945, 7.238091945648193, 7.348144054412842}},
      {8, {{"motion_filter_size", "1"}}, {0.0, 8.868489265441895, 8.703776359558105, 8.73828125}},
      {8, {{"motion_filter_size", "0"}}, {0.0, 6.2875189781188965, 6.282829761505127, 6.364604473114014}},
      {8, scale1, {0.0, 12.37137508392334, 12.411938667297363, 12.516005516052246}},
      {12, scale1, {0.0, 12.371374130249023, 12.41193962097168, 12.51600456237793}},
      {8, uv, {0.0, 23.986559867858887, 25.28572654724121, 26.621249198913574}},
      {16, uv, {0.0, 23.98656177520752, 25.285727500915527, 26.62124729156494}},
      {8, both, {0.0, 47.68401622772217, 50.26221466064453, 52.86451244354248}},
      {10, both, {0.0, 47.68401622772217, 50.26221561431885, 52.864511489868164}},
  };
  for (const Answer& answer : answers)
    EXPECT_EQ(ScoreFilm(answer.options, {64, 48, answer.bit_depth}, 4)[kMotion], answer.motion) << answer.bit_depth;
  EXPECT_EQ(ScoreFilm(scale1, {63, 47, 8}, 3)[kMotion], (Column{0.0, 12.139101028442383, 12.266240119934082}));
}

TEST(FloatMotion, WeightsBlendAndLimit) {
  const auto columns = ScoreFilm({{"motion_fps_weight", "0.5"},
                                  {"motion_blend_factor", "0.7"},
                                  {"motion_blend_offset", "2"},
                                  {"motion_max_val", "18"}},
                                 {64, 48, 8}, 4);
  EXPECT_EQ(columns[kMotion], (Column{0.0, 3.1437594890594482, 3.1414148807525635, 3.182302236557007}));
  EXPECT_EQ(columns[kMotion2], (Column{0.0, 3.1414148807525635, 3.1414148807525635, 3.182302236557007}));
  EXPECT_EQ(columns[kMotion3], (Column{2.8006316423416138, 2.7989904165267943, 2.7989904165267943, 2.827611565589905}));
}

TEST(FloatMotion, EveryValueIsLimited) {
  const auto columns = ScoreFilm({{"motion_max_val", "6.25"}}, {64, 48, 8}, 4);
  EXPECT_EQ(columns[kMotion], (Column{0.0, 6.25, 6.25, 6.25}));
  EXPECT_EQ(columns[kMotion2], (Column{0.0, 6.25, 6.25, 6.25}));
  EXPECT_EQ(columns[kMotion3], (Column{6.25, 6.25, 6.25, 6.25}));
}

// The value is blended before it is limited: 6.28... * 0.5 + 0.5 * 1, not 4 * 0.5 + 0.5 * 1.
TEST(FloatMotion, LimitFollowsBlend) {
  const OptionTexts texts = {{"motion_max_val", "4"}, {"motion_blend_factor", "0.5"}, {"motion_blend_offset", "1"}};
  const auto columns = ScoreFilm(texts, {64, 48, 8}, 4);
  EXPECT_EQ(columns[kMotion2][1], 4.0);
  EXPECT_EQ(columns[kMotion3][1], 6.282829761505127 * 0.5 + 0.5);
}

TEST(FloatMotion, ShortClips) {
  const auto one = ScoreFilm({}, {64, 48, 8}, 1);
  for (const Column& column : one) EXPECT_EQ(column, Column{0.0});
  const auto two = ScoreFilm({}, {64, 48, 8}, 2);
  EXPECT_EQ(two[kMotion2], (Column{0.0, 6.2875189781188965}));
  EXPECT_EQ(two[kMotion3], (Column{6.2875189781188965, 6.2875189781188965}));
}

TEST(FloatMotion, ForcedToZeroReadsNothing) {
  const TestMetric metric = Make({{"motion_force_zero", "true"}}, {64, 48, 8});
  EXPECT_TRUE(InputsOf(kFloatMotionMetric, metric.options()).empty());
  EXPECT_TRUE(metric.extractor().spec().stages.empty());
  for (const Column& column : ScoreFilm({{"motion_force_zero", "true"}}, {64, 48, 8}, 3))
    EXPECT_EQ(column, (Column{0.0, 0.0, 0.0}));
}

TEST(FloatMotion, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(5);
  for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
    const PictureFormat format = {71, 53, 10, chroma};
    const TestMetric metric = Make({{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}}, format);
    const std::vector<Picture> film = {FilmPicture(format, 0), FilmPicture(format, 1)};
    const std::vector<int64_t> whole = metric.Run(film, {}).words;
    EXPECT_EQ(metric.extractor().spec().stages.size(), 6u);
    for (const int most : {1, 2, 8, 18, 27}) EXPECT_EQ(metric.Run(film, {}, RandomBands(random, most)).words, whole);
  }
}

TEST(FloatMotion, WithoutDebugNoValueOfTheFrameAlone) {
  const PictureFormat format = {64, 48, 8};
  const TestMetric metric = Make({{"debug", "false"}}, format);
  EXPECT_TRUE(metric.Named(metric.Run({FilmPicture(format, 0), FilmPicture(format, 1)}, {}).values).empty());
  EXPECT_FALSE(kFloatMotionMetric.outputs[kMotion].enabled(metric.options(), format));
}

TEST(FloatMotion, PicturesTooSmallAreRefused) {
  for (const auto& [width, height] : {std::pair{2, 48}, {64, 2}, {1, 1}})
    EXPECT_THAT(RefusalOf(kFloatMotionMetric, {}, {width, height, 8}), testing::HasSubstr("3x3"));
  EXPECT_EQ(RefusalOf(kFloatMotionMetric, {{"motion_add_scale1", "true"}}, {3, 3, 8}), "");
  EXPECT_NE(RefusalOf(kFloatMotionMetric, {}, {64, 48, 9}), "");
}

TEST(FloatMotion, ChromaThatIsNotThereIsRefused) {
  const OptionTexts uv = {{"motion_add_uv", "true"}};
  for (const PictureFormat& format : {PictureFormat{64, 48, 8, PixelFormat::k400}, {5, 48, 8}, {64, 5, 8}})
    EXPECT_THAT(RefusalOf(kFloatMotionMetric, uv, format), testing::HasSubstr("set motion_add_uv=false"));
  EXPECT_EQ(RefusalOf(kFloatMotionMetric, uv, {6, 6, 8}), "");
  EXPECT_EQ(InputsOf(kFloatMotionMetric, Make(uv, {6, 6, 8}).options())[0].planes, kAllPlanes);
  EXPECT_EQ(InputsOf(kFloatMotionMetric, OptionValues(kFloatMotionMetric.options))[0].planes, kLuma);
}

TEST(FloatMotion, KeysCarryOptions) {
  const auto options = *OptionValues::Parse(
      kFloatMotionMetric.options,
      {{"mdc", "true"}, {"mau", "true"}, {"mfs", "3"}, {"mmxv", "18"}, {"mfw", "2"}, {"debug", "false"}});
  EXPECT_EQ(MakeOutputKey(kFloatMotionMetric.outputs[kMotion3], options).shown, "motion3_mdc_mau_mfs_3_mfw_2_mmxv_18");
  EXPECT_EQ(MakeOutputKey(kFloatMotionMetric.outputs[kMotion2], OptionValues(kFloatMotionMetric.options)).stored,
            "VMAF_feature_motion2_score");
}

}  // namespace
}  // namespace acutance
