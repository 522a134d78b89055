#include "engine/named_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metric/registry.h"
#include "model/predict.h"

namespace acutance {
namespace {

using testing::HasSubstr;

std::string FeatureOf(std::string_view version) { return LoadNamedModel(version, "vmaf")->features.at(0).name; }

TEST(NamedModel, AMetricIsAModelOfItsMainOutput) {
  EXPECT_EQ(FeatureOf("ssimulacra2"), "ssimulacra2");
  EXPECT_EQ(FeatureOf("butteraugli"), "butteraugli_3norm");
  EXPECT_EQ(FeatureOf("cvvdp"), "cvvdp_frame");
  EXPECT_EQ(FeatureOf("xpsnr"), "xpsnr_y");
  EXPECT_EQ(FeatureOf("psnr_hvs"), "psnr_hvs");
  EXPECT_EQ(FeatureOf("cambi"), "Cambi_feature_cambi_score");
  const auto has_outputs = [](const Metric& metric) { return !metric.outputs.empty(); };
  for (const std::string_view metric : MetricNames(has_outputs)) EXPECT_TRUE(IsNamedModel(metric)) << metric;
}

TEST(NamedModel, AnOutputIsAModelOfItself) {
  EXPECT_EQ(FeatureOf("psnr_y"), "psnr_y");
  EXPECT_EQ(FeatureOf("ciede2000"), "ciede2000");
  EXPECT_EQ(FeatureOf("integer_vif_scale3"), "VMAF_integer_feature_vif_scale3_score");
  EXPECT_EQ(FeatureOf("cvvdp_frame"), "cvvdp_frame");
}

TEST(NamedModel, ItsScoreIsTheFeatures) {
  const Model model = *LoadNamedModel("butteraugli", "vmaf");
  const double value[] = {-3.25};
  EXPECT_EQ(PredictColumns(model, value), std::vector<double>{-3.25});
  EXPECT_EQ(PredictColumns(model, value, {false, true, false}), std::vector<double>{-3.25});
  EXPECT_EQ(ColumnTraits(model, "butteraugli_3norm").better, ScoreDirection::kLower);
  EXPECT_EQ(ColumnTraits(*LoadNamedModel("cvvdp", "vmaf"), "cvvdp_frame_ppd_40").clip, "cvvdp_clip_ppd_40");
}

TEST(NamedModel, BuiltInOnesAreLoadedAsBefore) {
  EXPECT_FALSE(LoadNamedModel("vmaf_v0.6.1", "vmaf")->own);
  EXPECT_THAT(LoadNamedModel("ssimulacra", "vmaf").status().message(),
              testing::AllOf(HasSubstr("no such built-in model: \"ssimulacra\""), HasSubstr("'ssimulacra2'?")));
  EXPECT_FALSE(IsNamedModel("frame_fingerprint"));
  EXPECT_FALSE(IsNamedModel(""));
}

TEST(NamedModel, NeedsANameThatNoColumnOfItsFeatureHas) {
  EXPECT_THAT(LoadNamedModel("cvvdp", "cvvdp").status().message(), HasSubstr("--feature cvvdp"));
  EXPECT_TRUE(LoadNamedModel("cvvdp", "ssimulacra2").ok());
}

}  // namespace
}  // namespace acutance
