#include "log/log_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/temp_dir.h"

namespace acutance {
namespace {

using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::string Write(std::string_view format, const LogInput& input) {
  std::string text;
  FindLogFormat(format)->write(input, [&](std::string_view part) { text += part; });
  return text;
}

void AddColumn(ScoreTable& table, const std::string& stored, const std::string& shown,
               std::initializer_list<std::optional<double>> scores) {
  const Result<int> column = table.AddColumn(stored, shown);
  ASSERT_TRUE(column.ok());
  int64_t frame = 0;
  for (const auto& score : scores) {
    const bool refused = score && !table.Set(*column, frame, *score).ok();
    ASSERT_FALSE(refused);
    ++frame;
  }
}

/// A table of two complete frames, with aggregates.
ScoreTable WholeTable() {
  ScoreTable table;
  AddColumn(table, "VMAF_integer_feature_adm2_score", "integer_adm2", {0.965588, 0.97});
  AddColumn(table, "vmaf", "vmaf", {88.629511, 100.0});
  table.SetAggregate("apsnr_y", 32.568949);
  table.SetAggregate("apsnr_cb", 1.25e-7);
  return table;
}

TEST(Log, Xml) {
  const ScoreTable table = WholeTable();
  EXPECT_EQ(Write("xml", {table, 2, 1, "3.2.0", 1391.14, 192, 144}), R"(<VMAF version="3.2.0">
  <params qualityWidth="192" qualityHeight="144" />
  <fyi fps="1391.14" />
  <frames>
    <frame frameNum="0" integer_adm2="0.965588" vmaf="88.629511" />
    <frame frameNum="1" integer_adm2="0.970000" vmaf="100.000000" />
  </frames>
  <pooled_metrics>
    <metric name="integer_adm2" min="0.965588" max="0.970000" mean="0.967794" harmonic_mean="0.967792" />
    <metric name="vmaf" min="88.629511" max="100.000000" mean="94.314755" harmonic_mean="93.975647" />
  </pooled_metrics>
  <aggregate_metrics apsnr_y="32.568949" apsnr_cb="0.0000001250000000" />
</VMAF>
)");
}

TEST(Log, Json) {
  const ScoreTable table = WholeTable();
  EXPECT_EQ(Write("json", {table, 2, 1, "3.2.0", 1359.624, 192, 144}), R"({
  "version": "3.2.0",
  "fps": 1359.62,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "integer_adm2": 0.965588,
        "vmaf": 88.629511
      }
    },
    {
      "frameNum": 1,
      "metrics": {
        "integer_adm2": 0.970000,
        "vmaf": 100.000000
      }
    }
  ],
  "pooled_metrics": {
    "integer_adm2": {
      "min": 0.965588,
      "max": 0.970000,
      "mean": 0.967794,
      "harmonic_mean": 0.967792
    },
    "vmaf": {
      "min": 88.629511,
      "max": 100.000000,
      "mean": 94.314755,
      "harmonic_mean": 93.975647
    }
  },
  "aggregate_metrics": {
    "apsnr_y": 32.568949,
    "apsnr_cb": 0.0000001250000000
  }
}
)");
}

TEST(Log, NamesDamageWhereReadersOfLibvmafsLogsIgnoreIt) {
  const ScoreTable table = WholeTable();
  LogInput input{table, 2, 1, "3.2.0", 1391.14, 192, 144};
  const std::string whole[] = {Write("xml", input), Write("json", input), Write("csv", input), Write("sub", input)};
  Input inputs[3];
  inputs[0].path = "ref.mkv";
  inputs[1].path = "other.mkv";
  inputs[1].damage = {{1}, 0, 2, "lost"};
  inputs[2].path = "a \"b\".mkv";
  inputs[2].damage = {{0, 1}, 3, 2, "no <end>"};
  input.damages = DamagesOf({inputs[0], inputs[1], inputs[2]}, 1);
  const std::string element =
      "  <damage path=\"a &quot;b&quot;.mkv\" reason=\"no &lt;end&gt;\" decoded=\"2\" lost=\"3\" frames=\"0 1\" />\n";
  EXPECT_EQ(Write("xml", input), whole[0].substr(0, whole[0].size() - 8) + element + "</VMAF>\n");
  nlohmann::json log = nlohmann::json::parse(Write("json", input));
  EXPECT_EQ(log["damage"], nlohmann::json::parse(R"([{"path": "a \"b\".mkv", "reason": "no <end>", "decoded": 2,
                                                      "lost": 3, "frames": [0, 1]}])"));
  log.erase("damage");
  EXPECT_EQ(log, nlohmann::json::parse(whole[1]));
  EXPECT_EQ(Write("csv", input), whole[2]);
  EXPECT_EQ(Write("sub", input), whole[3]);
  input.damages = DamagesOf({inputs[1], inputs[2]}, 0);
  EXPECT_EQ(nlohmann::json::parse(Write("json", input))["damage"].size(), 2u);
}

TEST(Log, Csv) {
  const ScoreTable table = WholeTable();
  EXPECT_EQ(Write("csv", {table, 2, 1, "3.2.0", 1, 192, 144}),
            "Frame,integer_adm2,vmaf,\n0,0.965588,88.629511,\n1,0.970000,100.000000,\n");
}

TEST(Log, Sub) {
  const ScoreTable table = WholeTable();
  EXPECT_EQ(Write("sub", {table, 2, 1, "3.2.0", 1, 192, 144}),
            "{0}{1}frame: 0|integer_adm2: 0.965588|vmaf: 88.629511|\n"
            "{1}{2}frame: 1|integer_adm2: 0.970000|vmaf: 100.000000|\n");
}

TEST(Log, NothingScored) {
  ScoreTable table;
  AddColumn(table, "never", "never", {});
  const LogInput input{table, 0, 1, "3.2.0", kInf, 1, 1};
  EXPECT_EQ(Write("xml", input), R"(<VMAF version="3.2.0">
  <params qualityWidth="1" qualityHeight="1" />
  <fyi fps="inf" />
  <frames>
  </frames>
  <pooled_metrics>
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
)");
  EXPECT_EQ(Write("json", input), R"({
  "version": "3.2.0",
  "fps": null,
  "frames": [
  ],
  "pooled_metrics": {
  },
  "aggregate_metrics": {
  }
}
)");
  EXPECT_EQ(Write("csv", input), "Frame,\n");
  EXPECT_EQ(Write("sub", input), "");
}

/// A first frame without any score, then one whose first column is missing: the array starts without a comma, the CSV
/// columns stay in place, and what cannot be pooled has an empty entry.
ScoreTable IncompleteTable() {
  ScoreTable table;
  AddColumn(table, "a", "a", {{}, {}, 2.0});
  AddColumn(table, "b", "b", {{}, 3.0, 4.0});
  return table;
}

TEST(Log, Incomplete) {
  const ScoreTable table = IncompleteTable();
  const LogInput input{table, 3, 1, "3.2.0", 25, 64, 48};
  EXPECT_EQ(Write("xml", input), R"(<VMAF version="3.2.0">
  <params qualityWidth="64" qualityHeight="48" />
  <fyi fps="25.00" />
  <frames>
    <frame frameNum="1" b="3.000000" />
    <frame frameNum="2" a="2.000000" b="4.000000" />
  </frames>
  <pooled_metrics>
    <metric name="a" />
    <metric name="b" />
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
)");
  EXPECT_EQ(Write("json", input), R"({
  "version": "3.2.0",
  "fps": 25.00,
  "frames": [
    {
      "frameNum": 1,
      "metrics": {
        "b": 3.000000
      }
    },
    {
      "frameNum": 2,
      "metrics": {
        "a": 2.000000,
        "b": 4.000000
      }
    }
  ],
  "pooled_metrics": {
    "a": {
    },
    "b": {
    }
  },
  "aggregate_metrics": {
  }
}
)");
  EXPECT_EQ(Write("csv", input), "Frame,a,b,\n1,,3.000000,\n2,2.000000,4.000000,\n");
  EXPECT_EQ(Write("sub", input), "{1}{2}frame: 1|b: 3.000000|\n{2}{3}frame: 2|a: 2.000000|b: 4.000000|\n");
}

TEST(Log, SubsamplingListsAndPoolsMultiples) {
  ScoreTable table;
  AddColumn(table, "motion", "motion", {1.0, 50.0, 3.0, 60.0, 5.0});
  AddColumn(table, "vmaf", "vmaf", {90.0, {}, 80.0, {}, 70.0});
  const nlohmann::json log = nlohmann::json::parse(Write("json", {table, 5, 2, "3.2.0", 1, 1, 1}));
  ASSERT_EQ(log["frames"].size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(log["frames"][i]["frameNum"], 2 * i);
  EXPECT_EQ(log["pooled_metrics"]["motion"]["max"], 5.0);
  EXPECT_EQ(log["pooled_metrics"]["vmaf"]["mean"], 80.0);
  EXPECT_EQ(Write("csv", {table, 5, 2, "", 1, 1, 1}),
            "Frame,motion,vmaf,\n0,1.000000,90.000000,\n2,3.000000,80.000000,\n4,5.000000,70.000000,\n");
}

TEST(Log, NotFinite) {
  ScoreTable table;
  AddColumn(table, "psnr_y", "psnr_y", {kInf});
  AddColumn(table, "x", "x", {-std::numeric_limits<double>::quiet_NaN()});
  table.SetAggregate("apsnr_y", kInf);
  const LogInput input{table, 1, 1, "3.2.0", std::nan(""), 1, 1};
  EXPECT_EQ(Write("csv", input), "Frame,psnr_y,x,\n0,inf,-nan,\n");
  EXPECT_EQ(Write("sub", input), "{0}{1}frame: 0|psnr_y: inf|x: -nan|\n");
  const std::string xml = Write("xml", input);
  EXPECT_THAT(xml, HasSubstr("<frame frameNum=\"0\" psnr_y=\"inf\" x=\"-nan\" />"));
  EXPECT_THAT(xml, HasSubstr("<aggregate_metrics apsnr_y=\"inf\" />"));
  const std::string json = Write("json", input);
  EXPECT_THAT(json, HasSubstr("      \"metrics\": {\n        \"psnr_y\": null,\n        \"x\": null\n      }\n"));
  EXPECT_THAT(json, HasSubstr("\"apsnr_y\": null\n  }\n}\n"));
  EXPECT_THAT(json, HasSubstr("\"fps\": null,"));
  EXPECT_TRUE(nlohmann::json::accept(json));
}

TEST(Log, NamesThatNeedEscaping) {
  ScoreTable table;
  const std::string name = "a\"b<c&d,e|f";
  AddColumn(table, name, name, {1.0});
  table.SetAggregate(name, 2.0);
  const LogInput input{table, 1, 1, "3\"2", 1, 1, 1};
  EXPECT_THAT(Write("xml", input), HasSubstr("<frame frameNum=\"0\" a_b_c_d_e_f=\"1.000000\" />"));
  EXPECT_THAT(Write("xml", input), HasSubstr("<metric name=\"a&quot;b&lt;c&amp;d,e|f\" min="));
  EXPECT_THAT(Write("xml", input), HasSubstr("<VMAF version=\"3&quot;2\">"));
  const nlohmann::json log = nlohmann::json::parse(Write("json", input));
  EXPECT_EQ(log["frames"][0]["metrics"][name], 1.0);
  EXPECT_EQ(log["aggregate_metrics"][name], 2.0);
  EXPECT_EQ(log["version"], "3\"2");
  EXPECT_EQ(Write("csv", input), "Frame,\"a\"\"b<c&d,e|f\",\n0,1.000000,\n");
  EXPECT_EQ(Write("sub", input), "{0}{1}frame: 0|a\"b<c&d,e/f: 1.000000|\n");
}

/// Two attributes of one name would make the XML malformed.
TEST(Log, NamesThatEscapingWouldMakeEqualStayApart) {
  ScoreTable table;
  AddColumn(table, "a b", "a b", {1.0});
  AddColumn(table, "a_b", "a_b", {2.0});
  EXPECT_THAT(Write("xml", {table, 1, 1, "", 1, 1, 1}), HasSubstr("a_b=\"1.000000\" a_b_=\"2.000000\" />"));
}

TEST(Log, PrecisionReachesEveryScore) {
  const ScoreTable table = WholeTable();
  const std::string json = Write("json", {table, 2, 1, "3.2.0", 1359.624, 1, 1, *NumberFormat::Parse("max")});
  const nlohmann::json log = nlohmann::json::parse(json);
  EXPECT_EQ(log["frames"][0]["metrics"]["vmaf"].get<double>(), 88.629511);
  EXPECT_EQ(log["pooled_metrics"]["vmaf"]["mean"].get<double>(), (88.629511 + 100.0) / 2);
  EXPECT_EQ(log["aggregate_metrics"]["apsnr_cb"].get<double>(), 1.25e-7);
  EXPECT_THAT(json, HasSubstr("\"fps\": 1359.62,"));
  EXPECT_EQ(Write("csv", {table, 2, 1, "", 1, 1, 1, *NumberFormat::Parse("3")}),
            "Frame,integer_adm2,vmaf,\n0,0.966,88.6,\n1,0.97,100,\n");
}

TEST(Log, ManyColumnsKeepTheirOrder) {
  ScoreTable table;
  std::string header = "Frame,";
  for (int i = 0; i < 500; ++i) {
    const std::string name = fmt::format("c{}", i * 7919 % 500);
    AddColumn(table, name, name, {1.0});
    header += name + ",";
  }
  EXPECT_EQ(Write("csv", {table, 1, 1, "", 1, 1, 1}).substr(0, header.size()), header);
}

TEST(WriteLogFile, WritesWhatTheFormatSays) {
  const ScoreTable table = WholeTable();
  const LogInput input{table, 2, 1, "3.2.0", 1, 192, 144};
  const test::TempDir folder;
  const std::string path = folder / "log";
  for (const LogFormat& format : LogFormats()) {
    const Status status = WriteLogFile(path, format.name, input);
    ASSERT_TRUE(status.ok()) << status.message();
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(text, Write(format.name, input));
  }
}

TEST(WriteLogFile, FullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this machine";
  const ScoreTable table = WholeTable();
  for (const LogFormat& format : LogFormats()) {
    const Status status = WriteLogFile("/dev/full", format.name, {table, 2, 1, "3.2.0", 1, 192, 144});
    EXPECT_EQ(status.code(), StatusCode::kIo) << format.name;
  }
}

TEST(WriteLogFile, UnknownFormatSuggestsTheNearest) {
  const ScoreTable table;
  const Status status = WriteLogFile("never_written", "jsn", {table});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("unknown log format 'jsn'; did you mean 'json'?"));
  EXPECT_FALSE(std::filesystem::exists("never_written"));
}

}  // namespace
}  // namespace acutance
