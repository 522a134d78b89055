#include "report/summary.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/summary_json.h"

namespace acutance {
namespace {

class SummaryTest : public testing::Test {
 protected:
  void SetUp() override {
    Add("VMAF_integer_feature_adm2_score", "integer_adm2", {0.1, 0.2, 0.3});
    Add("vmaf", "vmaf", {10, 20, 60});
    Add("partial", "partial", {1, 2});
    Add("psnr_y", "psnr_y", {30, std::numeric_limits<double>::infinity(), 40});
    table_.SetAggregate("apsnr_y", 33.5);
    summary_.version = "1.2.3";
    summary_.reference = "ref.y4m";
    summary_.width = 640;
    summary_.height = 360;
    summary_.bit_depth = 10;
    summary_.pixel_format = "420";
    summary_.frame_count = 3;
    summary_.seconds = 0.5;
    summary_.models = {{"vmaf", "vmaf_v0.6.1"}};
    summary_.videos = {{"dis.mkv", &table_}};
  }

  void Add(const std::string& stored, const std::string& shown, std::vector<double> scores) {
    const int column = *table_.AddColumn(stored, shown);
    for (size_t i = 0; i < scores.size(); ++i) ASSERT_TRUE(table_.Set(column, static_cast<int64_t>(i), scores[i]).ok());
  }

  ScoreTable table_;
  Summary summary_;
};

TEST_F(SummaryTest, HoldsTheWholeResult) {
  const nlohmann::json json = nlohmann::json::parse(SummaryJson(summary_));
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["reference"]["path"], "ref.y4m");
  EXPECT_EQ(json["reference"]["bit_depth"], 10);
  EXPECT_EQ(json["frames"], 3);
  EXPECT_EQ(json["fps"], 6.0);
  const nlohmann::json& result = json["results"][0];
  EXPECT_EQ(result["distorted"], "dis.mkv");
  const nlohmann::json& vmaf = result["models"]["vmaf"];
  EXPECT_EQ(vmaf["model"], "vmaf_v0.6.1");
  EXPECT_EQ(vmaf["mean"], 30.0);
  EXPECT_EQ(vmaf["min"], 10.0);
  EXPECT_EQ(vmaf["max"], 60.0);
  EXPECT_EQ(vmaf["median"], 20.0);
  EXPECT_DOUBLE_EQ(vmaf["harmonic_mean"], 3 / (1.0 / 11 + 1.0 / 21 + 1.0 / 61) - 1);
  EXPECT_DOUBLE_EQ(vmaf["stddev"], std::sqrt((400.0 + 100 + 900) / 3));
  EXPECT_DOUBLE_EQ(vmaf["percentiles"]["25"], 15.0);
  EXPECT_DOUBLE_EQ(vmaf["percentiles"]["75"], 40.0);
  EXPECT_FALSE(result["models"].contains("integer_adm2"));
  EXPECT_EQ(result["features"]["integer_adm2"]["max"], 0.3);
  EXPECT_EQ(result["aggregates"]["apsnr_y"], 33.5);
}

TEST_F(SummaryTest, MissingAndNotFiniteAreNull) {
  const nlohmann::json features = nlohmann::json::parse(SummaryJson(summary_))["results"][0]["features"];
  EXPECT_TRUE(features["partial"].is_null());
  EXPECT_TRUE(features["psnr_y"]["max"].is_null());
  EXPECT_TRUE(features["psnr_y"]["mean"].is_null());
  EXPECT_EQ(features["psnr_y"]["min"], 30.0);
}

TEST_F(SummaryTest, SubsamplingPoolsMultiples) {
  summary_.n_subsample = 2;
  const nlohmann::json json = nlohmann::json::parse(SummaryJson(summary_));
  EXPECT_EQ(json["results"][0]["models"]["vmaf"]["mean"], 35.0);
}

TEST_F(SummaryTest, StaysStrictJsonWhateverTheInput) {
  summary_.reference = "quote\" and \xFF byte";
  summary_.seconds = 0;
  summary_.frame_count = 0;
  summary_.warnings = {"line\nbreak"};
  const std::string text = SummaryJson(summary_);
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_TRUE(json["fps"].is_null());
  EXPECT_TRUE(json["results"][0]["models"]["vmaf"].is_null());
  EXPECT_EQ(json["reference"]["path"], "quote\" and \xEF\xBF\xBD byte");
  EXPECT_EQ(json["warnings"][0], "line\nbreak");
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(SummaryTest, NumbersReadBackToTheSameBits) {
  table_ = {};
  Add("vmaf", "vmaf", {85.276616878683612, 1.0 / 3, 1e-300});
  const nlohmann::json vmaf = nlohmann::json::parse(SummaryJson(summary_))["results"][0]["models"]["vmaf"];
  EXPECT_EQ(vmaf["max"].get<double>(), 85.276616878683612);
  EXPECT_EQ(vmaf["median"].get<double>(), 1.0 / 3);
  EXPECT_EQ(vmaf["min"].get<double>(), 1e-300);
}

TEST(Junit, ATestCaseForEachRequirement) {
  Summary summary;
  summary.seconds = 1.5;
  const auto requirements = ParseRequirements("vmaf.p5>=90,vmaf.mean>=95");
  summary.verdicts = {Judge((*requirements)[0], "a&b.mp4", 91.5), Judge((*requirements)[1], "a&b.mp4", 93.0)};
  EXPECT_EQ(JunitXml(summary), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" time="1.500">
  <testsuite name="acutance" tests="2" failures="1" errors="0" time="1.500">
    <testcase classname="a&amp;b.mp4" name="vmaf.p5&gt;=90" time="0">
      <system-out>a&amp;b.mp4: vmaf.p5 is 91.5000, as it must be at least 90</system-out>
    </testcase>
    <testcase classname="a&amp;b.mp4" name="vmaf.mean&gt;=95" time="0">
      <failure type="requirement" message="a&amp;b.mp4: vmaf.mean is 93.0000, and must be at least 95"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

}  // namespace
}  // namespace acutance
