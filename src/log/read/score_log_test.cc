#include "log/read/score_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "log/log_writer.h"

namespace acutance {
namespace {

using testing::HasSubstr;

Result<ScoreLog> Parse(std::string_view text) {
  Result<std::vector<ScoreLog>> logs = ParseScoreLogs("log", text);
  if (!logs.ok()) return logs.status();
  return std::move(logs->front());
}

ScoreTable TableOf(int frames, int step) {
  ScoreTable table;
  const int vif = table.AddColumn("VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0").value();
  const int tiny = table.AddColumn("tiny", "tiny & <small>").value();
  for (int i = 0; i < frames; i += step) {
    EXPECT_TRUE(table.Set(vif, i, 0.3 + i * 0.017).ok());
    EXPECT_TRUE(table.Set(tiny, i, i * 1.25e-9).ok());
  }
  table.SetAggregate("apsnr_y", 32.568949);
  return table;
}

std::string Written(std::string_view format, const LogInput& input) {
  std::string text;
  FindLogFormat(format)->write(input, [&](std::string_view part) { text += part; });
  return text;
}

class Formats : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Formats, ReadBackWhatTheWriterWrote) {
  const auto& [format, precision] = GetParam();
  const ScoreTable table = TableOf(40, 3);
  const NumberFormat numbers = NumberFormat::Parse(precision).value();
  const Result<ScoreLog> log = Parse(Written(format, {table, 40, 3, "3.2.1", 25, 192, 144, numbers}));
  ASSERT_TRUE(log.ok()) << log.status().message();
  EXPECT_EQ(log->format, format);
  ASSERT_EQ(log->frames.size(), 14);
  EXPECT_EQ(log->frames.back(), 39);
  EXPECT_EQ(log->Step(), 3);
  ASSERT_EQ(log->columns.size(), 2);
  for (size_t i = 0; i < 14; ++i) {
    const int64_t frame = log->frames[i];
    const double vif = log->columns[0].scores[i].value();
    EXPECT_TRUE(log->Prints(0.3 + frame * 0.017, vif)) << frame;
    EXPECT_FALSE(log->Prints(0.3 + frame * 0.017 + 2e-3, vif)) << frame;
    EXPECT_TRUE(log->Prints(frame * 1.25e-9, log->columns[1].scores[i].value())) << frame;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Formats,
                         testing::Combine(testing::Values("xml", "json", "csv", "sub"),
                                          testing::Values("legacy", "5", "max")));

TEST(ScoreLog, WholeXmlAndJson) {
  const ScoreTable table = TableOf(4, 1);
  for (const char* const format : {"xml", "json"}) {
    const Result<ScoreLog> log = Parse(Written(format, {table, 4, 1, "3.2.1", 25, 192, 144}));
    ASSERT_TRUE(log.ok()) << log.status().message();
    EXPECT_EQ(log->version, "3.2.1");
    EXPECT_EQ(log->fps, 25);
    EXPECT_EQ(log->pooled.size(), 2);
    EXPECT_EQ(log->pooled[0].first, "integer_vif_scale0");
    EXPECT_EQ(log->pooled[0].second.size(), 4);
    EXPECT_EQ(log->pooled[1].first, "tiny & <small>");
    ASSERT_EQ(log->aggregates.size(), 1);
    EXPECT_EQ(log->aggregates[0], std::pair(std::string("apsnr_y"), 32.568949));
    EXPECT_NE(log->Find("integer_vif_scale0"), nullptr);
    EXPECT_EQ(log->Find("vmaf"), nullptr);
  }
}

// The first lines that FFmpeg 9.0.2's filter wrote with libvmaf 3.2.
TEST(ScoreLog, FfmpegCsv) {
  const Result<ScoreLog> log = Parse(
      "Frame,integer_adm2,integer_aim,integer_adm3,integer_adm_scale0,integer_adm_scale1,integer_adm_scale2,"
      "integer_adm_scale3,VMAF_integer_feature_motion_sad_score,integer_vif_scale0,integer_vif_scale1,"
      "integer_vif_scale2,integer_vif_scale3,integer_motion2,integer_motion3,vmaf,\n"
      "0,0.963329,0.029584,0.966873,0.933847,0.936373,0.954273,0.988937,0.000000,0.592940,0.858017,0.908685,0.938540,"
      "0.000000,1.804138,80.720473,\n"
      "1,0.941083,0.047208,0.946938,0.918513,0.919714,0.934355,0.962307,1.804138,0.569149,0.829538,0.887328,0.925288,"
      "1.804138,1.804138,76.470357,\n");
  ASSERT_TRUE(log.ok()) << log.status().message();
  EXPECT_EQ(log->columns.size(), 15);
  EXPECT_EQ(log->Find("vmaf")->scores[1], 76.470357);
}

TEST(ScoreLog, SixDecimalsOfSmallNumbers) {
  const Result<ScoreLog> log = Parse("Frame,a,\n0,0.000000,\n1,0.500000,\n");
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(log->Prints(1e-9, 0));  // VMAFx; libvmaf has 16 decimals
  EXPECT_FALSE(log->Prints(1e-6, 0));
}

TEST(ScoreLog, QualityMetricsCsvCountsFromOne) {
  const Result<ScoreLog> log = Parse("n,vmaf,input_file_dist\r\n1,88.629511,a.mp4\r\n2,89,a.mp4\r\n");
  ASSERT_TRUE(log.ok()) << log.status().message();
  EXPECT_EQ(log->frames, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(log->columns.size(), 1);
}

TEST(ScoreLog, NumbersThatAreNotFinite) {
  const Result<ScoreLog> xml = Parse(R"(<VMAF><frames><frame frameNum="0" a="nan" b="inf"/></frames></VMAF>)");
  ASSERT_TRUE(xml.ok()) << xml.status().message();
  EXPECT_TRUE(std::isnan(xml->columns[0].scores[0].value()));
  const Result<ScoreLog> json = Parse(R"({"frames": [{"frameNum": 0, "metrics": {"a": null}}]})");
  ASSERT_TRUE(json.ok()) << json.status().message();
  EXPECT_TRUE(json->Prints(NAN, json->columns[0].scores[0].value()));
}

TEST(ScoreLog, Summary) {
  const std::string text =
      R"({"schema": "acutance/1", "kind": "score", "version": "1.0", "reference": {"path": "r.y4m", "width": 64,
          "height": 32}, "results": [{"distorted": "a.y4m", "models": {"vmaf": {"mean": 93.5, "pools": {"min": 90}}},
          "features": {"psnr_y": {"mean": 40}}, "aggregates": {"apsnr_y": 41}}, {"distorted": "b.y4m"}]})";
  const Result<std::vector<ScoreLog>> logs = ParseScoreLogs("s.json", text);
  ASSERT_TRUE(logs.ok()) << logs.status().message();
  ASSERT_EQ(logs->size(), 2);
  EXPECT_EQ(logs->front().format, "summary");
  EXPECT_EQ(logs->front().pooled[0].second, (NamedNumbers{{"mean", 93.5}}));
  EXPECT_EQ(logs->front().width, 64);
  EXPECT_EQ(logs->back().distorted, "b.y4m");
}

TEST(ScoreLog, Errors) {
  const auto error = [](std::string_view text) { return std::string(Parse(text).status().message()); };
  EXPECT_THAT(error(""), HasSubstr("log: it is no log of scores"));
  EXPECT_THAT(error("hello"), HasSubstr("no log of scores"));
  EXPECT_THAT(error("<VMAF><frames></frames></VMAF>"), HasSubstr("there is no frame"));
  EXPECT_THAT(error("<VMAF><frame frameNum=\"0\" a=\"1"), HasSubstr("<frame> is not complete"));
  EXPECT_THAT(error("<VMAF><frame frameNum=\"x\" a=\"1\"/>"), HasSubstr("'x' is no frame number"));
  EXPECT_THAT(error("<VMAF><frame frameNum=\"0\" a=\"1.2.3\"/>"), HasSubstr("frame 0: a is '1.2.3'"));
  EXPECT_THAT(error("<VMAF><frame frameNum=\"0\" a=\"1\" a=\"1\"/>"), HasSubstr("a stands there twice"));
  EXPECT_THAT(error("Frame,a,\n1,2,\n0,3,\n"), HasSubstr("frames of a log ascend"));
  EXPECT_THAT(error("Frame,a,\n1,2,3,4,\n"), HasSubstr("5 fields"));
  EXPECT_THAT(error("{\"frames\": 3}"), HasSubstr("no list 'frames'"));
  EXPECT_THAT(error("{\"frames\": ["), HasSubstr("log: "));
  EXPECT_THAT(error("{0}{1}frame 0"), HasSubstr("is no name and number"));
  EXPECT_THAT(error(R"({"schema": "acutance/1", "kind": "mean"})"), HasSubstr("no summary"));
}

}  // namespace
}  // namespace acutance
