// What a Result tells beside scores: its inputs, reports, summaries and maps.
#include <acutance/acutance.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "api/test_clips.h"
#include "base/temp_dir.h"

namespace {

using acutance::PixelFormat;
using acutance::StatusCode;
using acutance::test::ScoreFrames;
using acutance::test::VmafAndPsnr;
using acutance::test::WriteClip;
using testing::HasSubstr;

TEST(Result, TellsWhatWasDoneToItsInputs) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", small = folder / "small.y4m";
  WriteClip(reference, 3, 0);
  WriteClip(small, 3, 8, {48, 40, 8, PixelFormat::k420});
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  options.align = "index";
  const auto result = acutance::Score(reference, {small}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result->inputs().size(), 2);
  EXPECT_EQ(result->inputs()[0].path, reference);
  EXPECT_TRUE(result->inputs()[0].changes.empty());
  EXPECT_EQ(result->inputs()[1].format.width, 48);
  ASSERT_EQ(result->inputs()[1].changes.size(), 1);
  EXPECT_EQ(result->inputs()[1].changes[0].change, "scale");
  EXPECT_THAT(result->warnings(), testing::Contains(result->inputs()[1].changes[0].text));
  EXPECT_TRUE(ScoreFrames(VmafAndPsnr(), 2)->inputs().empty());
}

TEST(Result, WritesReportsSummariesAndMaps) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", distorted = folder / "distorted.y4m";
  WriteClip(reference, 3, 0);
  WriteClip(distorted, 3, 24);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  options.align = "index";
  const auto plain = acutance::Score(reference, {distorted}, options);
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  EXPECT_THAT(plain->WriteMaps(folder / "none").message(), HasSubstr("worst_frames"));
  EXPECT_EQ(plain->Report().find("data:image"), std::string::npos);
  options.worst_frames = 1;
  const auto result = acutance::Score(reference, {distorted}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(result->WriteReport(folder / "out.html").ok());
  EXPECT_NE(result->Report().find("data:image"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(folder / "out.html"), result->Report().size());
  EXPECT_LT(result->Report(true).size(), result->Report().size());
  ASSERT_TRUE(result->WriteMaps(folder / "maps").ok());
  EXPECT_FALSE(std::filesystem::is_empty(folder / "maps"));
  EXPECT_THAT(*result->Summary({.require = "psnr_y.mean>99"}), HasSubstr("\"holds\": false"));
  EXPECT_EQ(result->Summary({.require = "psnr_y.mean"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(result->WriteReport(folder / "no/out.html").ok());
  EXPECT_EQ(ScoreFrames(VmafAndPsnr(), 2)->Report().find("data:image"), std::string::npos);
}

TEST(Result, ModelsAreChosenForTheVideos) {
  const acutance::test::TempDir folder;
  WriteClip(folder / "clip.y4m", 2, 0);
  acutance::ScoreOptions options;
  options.choose_models = "tv";
  const auto result = acutance::Score(folder / "clip.y4m", {folder / "clip.y4m"}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_FALSE(result->models().empty());
  EXPECT_FALSE(result->model_reasons().empty());
  options.choose_models = "cinema";
  EXPECT_THAT(acutance::Score(folder / "clip.y4m", {folder / "clip.y4m"}, options).status().message(),
              HasSubstr("4k-3h"));
}

}  // namespace
