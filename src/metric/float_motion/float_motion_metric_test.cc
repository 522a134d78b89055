// The metric as the engine sees it: known answers, bands, options, logic over time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "metric/blocks/words.h"
#include "metric/clip_frames.h"
#include "metric/float_motion/float_motion.h"
#include "metric/float_motion/float_motion_math.h"

namespace acutance {
namespace {

enum Output { kMotion2, kMotion, kMotion3, kOutputCount };

/// spec/core.md 5: the film of the known answers. Chroma shows other frames of it.
int FilmSample(int x, int y, int k, int bit_depth) {
  const auto floor_div = [](int a, int b) { return a / b - (a % b < 0); };
  const int value = 128 + floor_div((x - 32 + 2 * k) * (y - 20 - k) * 3, 16) + (x * x + 3 * y * y + 17 * k) / 8 % 64;
  const int sample = value - floor_div(value, 256) * 256;
  return bit_depth == 8 ? sample : (sample << (bit_depth - 8)) + (x & 3);
}

Picture FilmPicture(const PictureFormat& format, int k) {
  constexpr int kOffset[] = {0, 7, 13};
  const MutablePicture picture = *AllocatePicture(format);
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const uint16_t sample = static_cast<uint16_t>(FilmSample(x, y, k + kOffset[p], format.bit_depth));
        std::memcpy(picture.data[p] + y * picture.stride[p] + x * format.BytesPerSample(), &sample,
                    format.BytesPerSample());
      }
  return picture.Share();
}

OptionValues Parse(const OptionTexts& texts) { return *OptionValues::Parse(kFloatMotionMetric.options, texts); }

Result<std::unique_ptr<Extractor>> Make(const OptionTexts& texts, const PictureFormat& format) {
  return MakeExtractor(kFloatMotionMetric, Parse(texts), format);
}

class Recorder : public ScoreSink {
 public:
  void Set(int output, int64_t frame, double value) override {
    EXPECT_TRUE(scores_.emplace(std::pair{output, frame}, value).second) << output << " of frame " << frame << " twice";
  }
  void SetAggregate(std::string_view name, double) override { ADD_FAILURE() << name; }

  std::vector<double> Column(int output) const {
    std::vector<double> column;
    for (const auto& [key, value] : scores_)
      if (key.first == output) column.push_back(value);
    return column;
  }

 private:
  std::map<std::pair<int, int64_t>, double> scores_;
};

/// motion, motion2 and motion3 of the film, as the engine would write them.
std::vector<std::vector<double>> ScoreFilm(const OptionTexts& texts, const PictureFormat& format, int frames) {
  auto made = Make(texts, format);
  EXPECT_TRUE(made.ok()) << made.status().message();
  const auto sequence = (*made)->MakeSequence();
  Recorder recorder;
  std::vector<std::vector<double>> columns(kOutputCount);
  std::vector<Picture> film;
  for (int k = 0; k < frames; ++k) film.push_back(FilmPicture(format, k));
  const ClipFrames clip(kFloatMotionMetric, Parse(texts), film, {});
  for (int k = 0; k < frames; ++k) {
    ComputedFrame frame = *ComputeFrame(kFloatMotionMetric, **made, clip, k);
    columns[kMotion].push_back(frame.values[kMotion]);
    sequence->Push(k, {frame.values, frame.kept}, recorder);
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

TEST(FloatMotion, SequenceWritesEachValueAsSoonAsItIsDetermined) {
  const PictureFormat format = {64, 48, 8};
  const auto made = Make({}, format);
  const auto sequence = (*made)->MakeSequence();
  Recorder recorder;
  const double scores[] = {0, 5, 3, 4};
  for (int k = 0; k < 4; ++k) {
    int64_t kept = WordFromDouble(scores[k]);
    sequence->Push(k, {.values = {}, .kept = std::span(&kept, 1)}, recorder);
    EXPECT_EQ(recorder.Column(kMotion2).size(), static_cast<size_t>(std::max(k, 1)));
    EXPECT_EQ(recorder.Column(kMotion3).size(), static_cast<size_t>(k));
  }
  sequence->Flush(recorder);
  EXPECT_EQ(recorder.Column(kMotion2), (Column{0.0, 3.0, 3.0, 4.0}));
  EXPECT_EQ(recorder.Column(kMotion3), (Column{5.0, 3.0, 3.0, 4.0}));
}

TEST(FloatMotion, ForcedToZeroReadsNothing) {
  const auto made = Make({{"motion_force_zero", "true"}}, {64, 48, 8});
  EXPECT_TRUE(InputsOf(kFloatMotionMetric, Parse({{"motion_force_zero", "true"}})).empty());
  EXPECT_TRUE((*made)->spec().stages.empty());
  for (const Column& column : ScoreFilm({{"motion_force_zero", "true"}}, {64, 48, 8}, 3))
    EXPECT_EQ(column, (Column{0.0, 0.0, 0.0}));
}

TEST(FloatMotion, NoSplitIntoBandsChangesABit) {
  for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
    const PictureFormat format = {71, 53, 10, chroma};
    const auto made = Make({{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}}, format);
    ASSERT_TRUE(made.ok()) << made.status().message();
    const Picture film[] = {FilmPicture(format, 0), FilmPicture(format, 1)};
    const OptionTexts texts = {{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}};
    const ClipFrames clip(kFloatMotionMetric, Parse(texts), film, {});
    const auto whole = ComputeFrame(kFloatMotionMetric, **made, clip, 1);
    EXPECT_EQ((*made)->spec().stages.size(), 6u);
    for (const int bands : {2, 3, 7, 25, 53})
      EXPECT_EQ(ComputeFrame(kFloatMotionMetric, **made, clip, 1, bands)->words, whole->words) << bands;
  }
}

TEST(FloatMotion, WithoutDebugNoValueOfTheFrameAlone) {
  const auto made = Make({{"debug", "false"}}, {64, 48, 8});
  const std::vector<int64_t> words((*made)->spec().words, WordFromFloat(1.0f));
  std::vector<double> values(kOutputCount, -1.0);
  int64_t kept = 0;
  EXPECT_TRUE((*made)->Finish({.history = 1, .words = words}, {values, std::span(&kept, 1)}).ok());
  EXPECT_EQ(values, (Column{-1.0, -1.0, -1.0}));
  EXPECT_FALSE(kFloatMotionMetric.outputs[kMotion].enabled(
      *OptionValues::Parse(kFloatMotionMetric.options, {{"debug", "false"}}), {64, 48, 8}));
}

TEST(FloatMotion, PicturesTooSmallAreRefused) {
  for (const auto& [width, height] : {std::pair{2, 48}, {64, 2}, {1, 1}}) {
    const auto made = Make({}, {width, height, 8});
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.status().message().find("3x3"), std::string::npos) << made.status().message();
  }
  EXPECT_TRUE(Make({{"motion_add_scale1", "true"}}, {3, 3, 8}).ok());
  EXPECT_FALSE(Make({}, {64, 48, 9}).ok());
}

TEST(FloatMotion, ChromaThatIsNotThereIsRefused) {
  const OptionTexts uv = {{"motion_add_uv", "true"}};
  for (const PictureFormat& format : {PictureFormat{64, 48, 8, PixelFormat::k400}, {5, 48, 8}, {64, 5, 8}}) {
    const auto made = Make(uv, format);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.status().message().find("set motion_add_uv=false"), std::string::npos) << made.status().message();
  }
  EXPECT_TRUE(Make(uv, {6, 6, 8}).ok());
  EXPECT_EQ(InputsOf(kFloatMotionMetric, Parse(uv)).front().planes, kAllPlanes);
  EXPECT_EQ(InputsOf(kFloatMotionMetric, Parse({})).front().planes, kLuma);
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
