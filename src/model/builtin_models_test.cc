#include "model/builtin_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "model/test_model.h"

namespace acutance {
namespace {

using testing::HasSubstr;

TEST(BuiltinModels, AreTheFilesOfTheModelsFolder) {
  ASSERT_EQ(BuiltinModels().front().name, "vmaf_v0.6.1");
  for (const BuiltinModel& model : BuiltinModels()) {
    std::ifstream file(ACUTANCE_SOURCE_DIR "/models/" + std::string(model.name) + ".json", std::ios::binary);
    ASSERT_TRUE(file) << model.name;
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(bytes == model.Json()) << model.name;
    EXPECT_FALSE(model.viewing.empty());
    EXPECT_FALSE(model.description.empty());
  }
}

/// What libvmaf's tools ask for by name (docs/spec/system.md 1.8), and how many members a collection has.
TEST(BuiltinModels, AreThoseOfLibvmaf) {
  std::map<std::string, size_t> expected = {
      {"vmaf_v0.6.1", 0},          {"vmaf_v0.6.1neg", 0},       {"vmaf_4k_v0.6.1", 0},
      {"vmaf_4k_v0.6.1neg", 0},    {"vmaf_b_v0.6.3", 20},       {"vmaf_float_v0.6.1", 0},
      {"vmaf_float_v0.6.1neg", 0}, {"vmaf_float_4k_v0.6.1", 0}, {"vmaf_float_b_v0.6.3", 20}};
  for (const char* viewing : {"3d0h", "5d0h", "3d0h_2160", "1d5h_2160"})
    for (const char* rate : {"", "hfr_"}) expected[fmt::format("vmaf_v1.0.16_{}{}", rate, viewing)] = 0;
  EXPECT_EQ(BuiltinModels().size(), expected.size());
  for (const auto& [version, members] : expected) {
    const Result<Model> model = LoadBuiltinModel(version, "mine");
    ASSERT_TRUE(model.ok()) << model.status().message();
    EXPECT_EQ(model->name, "mine");
    EXPECT_EQ(model->source, version);
    EXPECT_EQ(model->features.size(), version.starts_with("vmaf_v1") ? 4u : 6u) << version;
    EXPECT_EQ(model->members.size(), members) << version;
  }
}

/// The features of VMAF v1, with the options that their keys name.
TEST(BuiltinModels, V1TakesItsOptions) {
  const Result<Model> model = LoadBuiltinModel("vmaf_v1.0.16_hfr_1d5h_2160", "vmaf");
  ASSERT_TRUE(model.ok());
  ASSERT_TRUE(model->chroma && model->transform && model->clip);
  EXPECT_EQ(model->chroma->parameter, 120);
  EXPECT_TRUE(model->transform->enabled);
  std::map<std::string, std::string> adm3;
  for (const ModelFeature& feature : model->features)
    if (feature.name == "VMAF_integer_feature_adm3_score") adm3 = feature.options;
  EXPECT_EQ(adm3["adm_norm_view_dist"], "1.5");
  EXPECT_EQ(adm3["adm_ref_display_height"], "2160");
}

/// The neg models are their base with the two gain limits at 1.0.
TEST(BuiltinModels, NegDiffersInGainLimitsAlone) {
  for (const std::string base_name : {"vmaf_v0.6.1", "vmaf_4k_v0.6.1"}) {
    const Result<Model> base = LoadBuiltinModel(base_name, "vmaf");
    const Result<Model> neg = LoadBuiltinModel(base_name + "neg", "vmaf");
    ASSERT_TRUE(base.ok() && neg.ok());
    EXPECT_EQ(base->slopes, neg->slopes);
    EXPECT_EQ(base->intercepts, neg->intercepts);
    EXPECT_EQ(base->svm.coefficients, neg->svm.coefficients);
    EXPECT_EQ(base->svm.vectors, neg->svm.vectors);
    EXPECT_EQ(base->svm.rho, neg->svm.rho);
    for (size_t i = 0; i < base->features.size(); ++i) {
      ModelFeature expected = base->features[i];
      EXPECT_TRUE(expected.options.empty());
      if (expected.name.find("adm") != std::string::npos) expected.options = {{"adm_enhn_gain_limit", "1"}};
      if (expected.name.find("vif") != std::string::npos) expected.options = {{"vif_enhn_gain_limit", "1"}};
      EXPECT_EQ(neg->features[i], expected) << expected.name;
    }
  }
}

TEST(BuiltinModels, UnknownVersionSuggestsTheNearest) {
  const Result<Model> model = LoadBuiltinModel("vmaf_v0.6.1ne", "vmaf");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(model.status().message(), HasSubstr("no such built-in model: \"vmaf_v0.6.1ne\""));
  EXPECT_THAT(model.status().message(), HasSubstr("did you mean 'vmaf_v0.6.1"));
}

TEST(OverloadFeature, ReachesTheFeaturesOfOneExtractor) {
  Result<Model> model = LoadBuiltinModel("vmaf_v0.6.1neg", "vmaf");
  ASSERT_TRUE(model.ok());
  const ExtractorOf extractor_of = [](std::string_view feature) -> std::string_view {
    return feature.find("vif") != std::string_view::npos ? "vif" : "other";
  };
  EXPECT_EQ(OverloadFeature(*model, "vif", "vif_enhn_gain_limit", "2", extractor_of), 4);
  EXPECT_EQ(OverloadFeature(*model, "cambi", "x", "y", extractor_of), 0);
  EXPECT_EQ(model->features[0].options.at("adm_enhn_gain_limit"), "1");
  for (int i = 2; i < 6; ++i) EXPECT_EQ(model->features[i].options.at("vif_enhn_gain_limit"), "2");
}

}  // namespace
}  // namespace acutance
