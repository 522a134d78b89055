#include "report/avm_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace acutance {
namespace {

using testing::HasSubstr;

/// Six points of a clip, whose rates are those of the anchor times `factor`; PSNR-HVS is 0 where AVM found none.
std::string Lines(const std::string& name, const std::string& size, double factor) {
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += fmt::format(
        "RA,aom,av2,0,A2,{},1920x1080,60.00,10,{},{},{:f},{},{},{},{},{},{},{},{},{},{},{},{},0.5,,,,,,,,\n", name,
        size, 210 - 25 * i, factor * (500 << i), 30 + i, 34 + i, 35 + i, 12 + i, 13 + i, 70 + 4 * i, 69 + 4 * i,
        i == 0 ? 0 : 40 - i, 31 + i, 30.5 + i, 34.5 + i, 35.5 + i);
  return text;
}

constexpr const char* kTitles =
    "TestCfg,EncodeMethod,CodecName,EncodePreset,Class,Name,OrigRes,FPS,BitDepth,CodedRes,QP,Bitrate(kbps),PSNR_Y,PSNR_"
    "U,PSNR_V,SSIM_Y(dB),"
    "MS-SSIM_Y(dB),VMAF_Y,VMAF_Y-NEG,PSNR-HVS,CIEDE2000,APSNR_Y,APSNR_U,APSNR_V,CAMBI,EncT[s],DecT[s],EncInstr,"
    "DecInstr,EncCycles,"
    "DecCycles,EncMD5,DecMD5\n";

class AvmSummaryTest : public testing::Test {
 protected:
  AvmSummaryTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                fmt::format("avm-{}", testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
  }

  AvmRelease Release(const std::string& name, const std::string& configuration, const std::string& lines) {
    std::filesystem::create_directories(folder_ / name);
    std::ofstream(folder_ / name / fmt::format("RDResults_aom_av2_{}_Preset_0.csv", configuration)) << kTitles << lines;
    Result<AvmRelease> release = ReadAvmRelease((folder_ / name).string());
    EXPECT_TRUE(release.ok()) << release.status().message();
    return *std::move(release);
  }

  std::filesystem::path folder_;
};

std::string TextOf(const std::vector<AvmTable>& tables, const std::string& name) {
  for (const auto& [found, text] : tables)
    if (found == name) return text;
  return "no " + name;
}

TEST_F(AvmSummaryTest, HalfOfTheRateIsMinusFiftyPercent) {
  const AvmRelease anchor = Release("anchor", "RA", Lines("a.y4m", "1920x1080", 1) + Lines("b.y4m", "1920x1080", 1));
  const AvmRelease test = Release("v1", "RA", Lines("a.y4m", "1920x1080", 0.5) + Lines("b.y4m", "1920x1080", 1));
  const AvmSummary summary = CompareAvmReleases({{"v1", anchor, test}});
  const auto tables = AvmTables(summary, AvmRefused::kEmpty);
  EXPECT_THAT(
      TextOf(tables, "Bdrate-Summary"),
      HasSubstr("\nv1,RA,A2,a.y4m,-50.0,-50.0,-50.0,-50.0,-50.0,-50.0,-50.0,-50.0,,-50.0,-50.0,-50.0,-50.0,-50.0\n"
                "v1,RA,A2,b.y4m,0.0,"));
  EXPECT_THAT(TextOf(tables, "AverageBdrateByTag-Summary"), HasSubstr("v1,RA,-25.0,"));
  EXPECT_THAT(TextOf(tables, "AverageBdrateByTagClass-Summary"), HasSubstr("v1,RA,A2,-25.0,"));
  EXPECT_THAT(TextOf(tables, "PerVideoBdrate-Summary"), HasSubstr("RA,A2,a.y4m,v1,-50.0,"));
  EXPECT_THAT(summary.notes, testing::Contains("v1 RA a.y4m psnr_hvs: Error: Non-monotonic"));
}

TEST_F(AvmSummaryTest, ARefusalIsAnEmptyCellOrAZeroInAllAverages) {
  const AvmRelease anchor = Release("anchor", "RA", Lines("a.y4m", "1920x1080", 1));
  const AvmRelease test = Release("v1", "RA", Lines("a.y4m", "1920x1080", 0.5));
  const AvmSummary summary = CompareAvmReleases({{"v1", anchor, test}});
  EXPECT_THAT(TextOf(AvmTables(summary, AvmRefused::kEmpty), "AverageBdrateByTag-Summary"), HasSubstr("-50.0,,-50.0"));
  EXPECT_THAT(TextOf(AvmTables(summary, AvmRefused::kEmpty), "AverageBdrateByTag-Summary-refused-as-zero"),
              HasSubstr("-50.0,0.0,-50.0"));
  EXPECT_THAT(TextOf(AvmTables(summary, AvmRefused::kZero), "Bdrate-Summary"), HasSubstr("-50.0,0.0,-50.0"));
}

TEST_F(AvmSummaryTest, SizesOfOneClipAreOneCurve) {
  const std::string anchor = Lines("a", "1920x1080", 1) + Lines("a", "960x540", 0.8);
  const AvmSummary summary =
      CompareAvmReleases({{"v1", Release("anchor", "AS", anchor),
                           Release("v1", "AS", Lines("a", "1920x1080", 2) + Lines("a", "960x540", 1.6))}});
  EXPECT_THAT(TextOf(AvmTables(summary, AvmRefused::kEmpty), "Bdrate-Summary"), HasSubstr("v1,AS,A2,a,100.0,"));
}

TEST_F(AvmSummaryTest, AClipWithoutSixPointsHasNoLine) {
  const std::string whole = Lines("a.y4m", "1920x1080", 1);
  const AvmSummary summary =
      CompareAvmReleases({{"v1", Release("anchor", "RA", whole),
                           Release("v1", "RA", whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1))}});
  EXPECT_TRUE(summary.rows.empty());
  EXPECT_THAT(summary.notes, testing::ElementsAre(HasSubstr("do not have 6 points each")));
}

TEST_F(AvmSummaryTest, FilesThatAreNoneAreNamed) {
  std::filesystem::create_directories(folder_);
  EXPECT_THAT(ReadAvmRelease(folder_.string()).status().message(), HasSubstr("has no RDResults_"));
  std::ofstream(folder_ / "RDResults_aom_av2_RA_Preset_0.csv") << "Name,QP\na,1\n";
  EXPECT_THAT(ReadAvmRelease(folder_.string()).status().message(), HasSubstr("is no RD file"));
}

}  // namespace
}  // namespace acutance
