#include "run/auto_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "metric/registry.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

PictureFormat Format(int width, int height, int bit_depth = 8) { return {width, height, bit_depth, PixelFormat::k420}; }

std::vector<std::string> NamesOf(const ModelFacts& facts, Viewing viewing) {
  std::vector<std::string> names;
  const ChosenModels chosen = ChooseModels(facts, viewing).value();
  for (const ModelRequest& request : chosen.models) names.push_back(request.model->name);
  return names;
}

ModelFacts FactsOf(const PictureFormat& pictures, std::optional<double> rate = 25) {
  return {.pictures = pictures, .encodes = {pictures}, .frame_rate = rate};
}

/// The options of the model's CAMBI that describe the encode.
std::map<std::string, std::string> EncodeOptions(const ModelFacts& facts) {
  std::map<std::string, std::string> options;
  const ChosenModels chosen = ChooseModels(facts, Viewing::kTv).value();
  for (const ModelFeature& feature : chosen.models[0].model->features)
    for (const auto& [name, value] : feature.options)
      if (name.starts_with("enc_")) options[name] = value;
  return options;
}

TEST(AutoModel, FollowsSizeRateAndViewing) {
  const ModelFacts hd = FactsOf(Format(1920, 1080)), uhd = FactsOf(Format(3840, 2160));
  EXPECT_THAT(NamesOf(hd, Viewing::kBySize), ElementsAre("vmaf_v1.0.16_3d0h", "vmaf_v0.6.1"));
  EXPECT_THAT(NamesOf(FactsOf(Format(2560, 1440)), Viewing::kBySize), ElementsAre("vmaf_v1.0.16_3d0h", "vmaf_v0.6.1"));
  EXPECT_THAT(NamesOf(uhd, Viewing::kBySize), ElementsAre("vmaf_v1.0.16_1d5h_2160", "vmaf_4k_v0.6.1"));
  EXPECT_THAT(NamesOf(uhd, Viewing::k4kFrom3Heights), ElementsAre("vmaf_v1.0.16_3d0h_2160", "vmaf_4k_v0.6.1"));
  EXPECT_THAT(NamesOf(hd, Viewing::kPhone), ElementsAre("vmaf_v1.0.16_5d0h", "vmaf_v0.6.1_phone"));
  EXPECT_THAT(NamesOf(FactsOf(Format(1920, 1080), 50), Viewing::kTv),
              ElementsAre("vmaf_v1.0.16_hfr_3d0h", "vmaf_v0.6.1"));
  EXPECT_THAT(NamesOf(FactsOf(Format(1920, 1080), std::nullopt), Viewing::kTv),
              ElementsAre("vmaf_v1.0.16_3d0h", "vmaf_v0.6.1"));
}

TEST(AutoModel, SaysThatV1ScoresAsAtTenBits) {
  const ChosenModels chosen = ChooseModels(FactsOf(Format(1920, 1080)), Viewing::kTv).value();
  EXPECT_THAT(chosen.reasons[0], HasSubstr("at 10 bits"));
  EXPECT_THAT(ChooseModels(FactsOf(Format(1920, 1080, 12)), Viewing::kTv)->reasons[0], Not(HasSubstr("at 10 bits")));
}

/// A gradient above, which has visible steps where it is distorted, and texture below. Samples are those of 8 bits,
/// expanded.
Picture Banded(int bit_depth, int frame, bool distorted) {
  return MakeTestPicture(Format(480, 400, bit_depth), [&](int plane, int x, int y) {
    const int texture = KnownSample(plane, x, y, frame, distorted, 8);
    const int gradient = 40 + ((x + y + frame) >> 5);
    return (plane > 0 || y >= 200 ? texture : distorted ? gradient : gradient + texture % 8) << (bit_depth - 8);
  });
}

/// The values of all features of VMAF v1 for film of 8 bits that was expanded.
std::vector<std::vector<double>> ValuesOfV1(int bit_depth) {
  ModelFacts facts = FactsOf(Format(480, 400, bit_depth));
  facts.encodes[0].bit_depth = 8;
  const ChosenModels chosen = ChooseModels(facts, Viewing::kTv).value();
  EXPECT_THAT(chosen.models[0].model->name, HasSubstr("vmaf_v1"));
  std::vector<std::vector<double>> values;
  for (const ModelFeature& feature : chosen.models[0].model->features) {
    const TestMetric metric(*FindMetricByOutput(feature.name), feature.options, facts.pictures);
    const auto film = [&](bool distorted) {
      return std::vector<Picture>{Banded(bit_depth, 0, distorted), Banded(bit_depth, 1, distorted)};
    };
    std::vector<double> found = metric.Run(film(false), film(true)).values;
    std::erase_if(found, [](double value) { return std::isnan(value); });  // the Sequence's
    EXPECT_TRUE(std::ranges::any_of(found, [](double value) { return value != 0; })) << feature.name;
    values.push_back(std::move(found));
  }
  return values;
}

// So sessions need not expand samples.
TEST(AutoModel, V1OfEightBitsScoresAsAtTen) { EXPECT_EQ(ValuesOfV1(8), ValuesOfV1(10)); }

TEST(AutoModel, SmallOrGreyPicturesHaveNoV1) {
  const ChosenModels small = ChooseModels(FactsOf(Format(64, 48)), Viewing::kBySize).value();
  ASSERT_EQ(small.models.size(), 1);
  EXPECT_EQ(small.models[0].model->name, "vmaf_v0.6.1");
  EXPECT_THAT(small.reasons[0], HasSubstr("no VMAF v1: feature "));
  PictureFormat grey = Format(1920, 1080);
  grey.pixel_format = PixelFormat::k400;
  EXPECT_THAT(NamesOf(FactsOf(grey), Viewing::kTv), ElementsAre("vmaf_v0.6.1"));
}

TEST(AutoModel, GivesCambiTheEncodesOwnFormat) {
  ModelFacts facts = FactsOf(Format(1920, 1080));
  using Options = std::map<std::string, std::string>;
  EXPECT_EQ(EncodeOptions(facts), (Options{{"enc_bitdepth", "8"}}));
  facts.encodes = {Format(640, 360, 10)};
  EXPECT_EQ(EncodeOptions(facts), (Options{{"enc_height", "360"}, {"enc_width", "640"}}));
  facts.encodes = {Format(128, 72, 8)};
  EXPECT_EQ(EncodeOptions(facts), (Options{{"enc_bitdepth", "8"}})) << "CAMBI takes no encode so small";
  facts.encodes = {Format(640, 360), Format(1280, 720)};
  const ChosenModels chosen = ChooseModels(facts, Viewing::kTv).value();
  EXPECT_THAT(chosen.reasons[0], HasSubstr("each encode measured at its own size and bit depth"));
  ASSERT_EQ(chosen.models[0].of_videos.size(), 2);
  for (size_t d = 0; d < 2; ++d) {
    ModelFacts alone = facts;
    alone.encodes = {facts.encodes[d]};
    EXPECT_EQ(chosen.models[0].of_videos[d]->features, ChooseModels(alone, Viewing::kTv)->models[0].model->features);
  }
}

TEST(AutoModel, WarnsOfModelsForAnotherRateOrViewing) {
  const auto rate = [](const char* name, std::optional<double> frames) {
    return RateMismatch(*LoadBuiltinModel(name, name), frames).value_or("");
  };
  EXPECT_EQ(rate("vmaf_v1.0.16_3d0h", 25), "");
  EXPECT_EQ(rate("vmaf_v1.0.16_hfr_3d0h", 50), "");
  EXPECT_EQ(rate("vmaf_v1.0.16_3d0h", std::nullopt), "");
  EXPECT_EQ(rate("vmaf_v0.6.1", 60), "") << "it knows of no rates";
  EXPECT_THAT(rate("vmaf_v1.0.16_3d0h", 60), HasSubstr("less than 48 frames/s, and the video has 60"));
  EXPECT_THAT(rate("vmaf_v1.0.16_hfr_3d0h", 25), HasSubstr("48 frames/s and more"));
  const auto viewing = [](const char* name, Viewing where) {
    return ViewingMismatch(*LoadBuiltinModel(name, name), where).value_or("");
  };
  EXPECT_EQ(viewing("vmaf_v1.0.16_5d0h", Viewing::kPhone), "");
  EXPECT_EQ(viewing("vmaf_v0.6.1", Viewing::kBySize), "");
  EXPECT_EQ(viewing("vmaf_v1.0.16_hfr_1d5h_2160", Viewing::k4k), "");
  EXPECT_THAT(viewing("vmaf_v1.0.16_3d0h", Viewing::kPhone), HasSubstr("--viewing phone"));
  EXPECT_THAT(viewing("vmaf_4k_v0.6.1", Viewing::kTv), HasSubstr("2160p"));
}

TEST(AutoModel, WarnsOfModelsForAnotherSize) {
  const auto mismatch = [](const char* name, int width, int height) {
    return SizeMismatch(*LoadBuiltinModel(name, name), Format(width, height)).value_or("");
  };
  EXPECT_EQ(mismatch("vmaf_v0.6.1", 1920, 1080), "");
  EXPECT_EQ(mismatch("vmaf_v0.6.1", 1920, 800), "") << "film without its bars";
  EXPECT_EQ(mismatch("vmaf_v1.0.16_3d0h", 2560, 1440), "");
  EXPECT_THAT(mismatch("vmaf_v0.6.1", 1280, 720), HasSubstr("--scale 1920x1080"));
  EXPECT_THAT(mismatch("vmaf_v0.6.1", 3840, 2160), HasSubstr("--viewing 4k"));
  EXPECT_THAT(mismatch("vmaf_4k_v0.6.1", 1920, 1080), HasSubstr("--scale 3840x2160"));
  EXPECT_EQ(mismatch("vmaf_v1.0.16_1d5h_2160", 3840, 1600), "");
  EXPECT_EQ(mismatch("vmaf_v0.6.1", 1080, 1920), "") << "portrait";
  EXPECT_EQ(mismatch("vmaf_v1.0.16_3d0h", 1440, 2560), "");
  EXPECT_EQ(mismatch("vmaf_v0.6.1", 1440, 1080), "") << "4:3";
  EXPECT_THAT(mismatch("vmaf_v0.6.1", 360, 640), HasSubstr("--scale 1080x1920"));
  EXPECT_THAT(mismatch("vmaf_v0.6.1", 720, 1280), HasSubstr("--scale 1080x1920"));
  EXPECT_THAT(mismatch("vmaf_v0.6.1", 480, 360), HasSubstr("--scale 1440x1080"));
  EXPECT_THAT(mismatch("vmaf_v0.6.1", 640, 272), HasSubstr("--scale 1920x816"));
  EXPECT_THAT(mismatch("vmaf_4k_v0.6.1", 360, 360), HasSubstr("--scale 2160x2160"));
}

}  // namespace
}  // namespace acutance
