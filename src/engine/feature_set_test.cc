#include "engine/feature_set.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "metric/plan_context.h"

namespace acutance {
namespace {

constexpr PictureFormat kSmallFormat = {64, 48};

// A display file that changes between the two would have given the CPU and the device different metrics.
TEST(FeatureSet, HostAndPlanShareOneReadingOfAFile) {
  const std::string path = testing::TempDir() + "feature_set_test_displays.json";
  std::ofstream(path) << R"({"mine": {"resolution": [1920, 1080], "diagonal_size_inches": 24, "max_luminance": 100,
                                      "viewing_distance_meters": 0.6}})";
  FeatureSet features;
  ASSERT_TRUE(features.Add({"cvvdp", {{"display_file", path}}}).ok());
  std::remove(path.c_str());
  ASSERT_TRUE(features.MakeExtractors(kSmallFormat).ok());
  const MetricRun& run = features.runs()[0];
  PlanContext context = MakePlanContext(features.Inputs({{0}}), kSmallFormat, 1, 1, "");
  EXPECT_TRUE(run.metric->make_plan(*run.setup, context).ok());
}

TEST(FeatureSet, RefusesOptionsWhenExtractorsAreMade) {
  FeatureSet features;
  ASSERT_TRUE(features.Add({"cvvdp", {{"display", "crt"}}}).ok());
  EXPECT_TRUE(features.NeedsChroma()) << "the inputs by default";
  const Status refusal = features.MakeExtractors(kSmallFormat);
  EXPECT_TRUE(refusal.message().starts_with("feature cvvdp: cvvdp: ")) << refusal.message();
}

// A guess of how light is encoded gives a score that looks right.
TEST(FeatureSet, RefusesWhatNeitherTheVideoNorTheUserSays) {
  FeatureSet features;
  ASSERT_TRUE(features.Add({"pu_psnr", {}}).ok());
  ASSERT_TRUE(features.Add({"ssimulacra2", {}}).ok());
  const Status refusal = features.MakeExtractors(kSmallFormat);
  EXPECT_TRUE(
      refusal.message().starts_with("feature pu_psnr: the video declares no transfer that it knows: set transfer"))
      << refusal.message();
  ASSERT_TRUE(features.Describe({{std::string(kDeclared) + "transfer", "sdr"}}).ok());
  EXPECT_TRUE(features.MakeExtractors(kSmallFormat).ok());
  EXPECT_EQ(features.runs()[0].options.String("transfer"), "sdr");
  EXPECT_EQ(features.runs()[1].options.String("transfer"), "bt1886") << "which is its name for it";
  FeatureSet asked;
  ASSERT_TRUE(asked.Add({"pu_psnr", {{"transfer", "hlg"}}}).ok());
  ASSERT_TRUE(asked.Describe({{std::string(kDeclared) + "transfer", "pq"}}).ok());
  EXPECT_EQ(asked.runs()[0].options.String("transfer"), "hlg");
}

}  // namespace
}  // namespace acutance
