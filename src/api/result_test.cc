// Results: of several encodes, inputs, reports, summaries and maps.
#include <acutance/acutance.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

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
  EXPECT_EQ(result->inputs()[1].changes[0].change, acutance::Change::kScale);
  EXPECT_THAT(result->warnings(), testing::Contains(result->inputs()[1].changes[0].text));
  EXPECT_TRUE(ScoreFrames(VmafAndPsnr(), 2)->inputs().empty());
}

TEST(Result, AnEncodeHasTheScoresThatItHasAlone) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m";
  const std::vector<std::string> encodes = {folder / "short.y4m", folder / "long.y4m"};
  WriteClip(reference, 6, 0);
  WriteClip(encodes[0], 4, 24);
  WriteClip(encodes[1], 6, 12);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  options.align = "index";
  const auto together = acutance::Score(reference, encodes, options);
  ASSERT_TRUE(together.ok()) << together.status().message();
  EXPECT_EQ(together->frames(), 6);
  for (int v = 0; v < 2; ++v) {
    const auto alone = acutance::Score(reference, {encodes[v]}, options);
    EXPECT_EQ(together->frames(v), alone->frames());
    EXPECT_EQ(together->names(v), alone->names());
    for (const std::string& name : alone->names()) EXPECT_EQ(*together->Scores(name, v), *alone->Scores(name)) << name;
  }
  const auto compared = together->Compare();
  ASSERT_TRUE(compared.ok()) << compared.status().message();
  EXPECT_THAT(compared->text, HasSubstr("compared by the 4 frames of the reference that all of them have"));
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
  acutance::ScoreOptions none_named;  // as the command does
  none_named.session.features = {{"psnr", {}}};
  const auto usual = acutance::Score(folder / "clip.y4m", {folder / "clip.y4m"}, none_named);
  ASSERT_TRUE(usual.ok()) << usual.status().message();
  EXPECT_EQ(usual->models(), result->models());
  none_named.no_model = true;
  EXPECT_TRUE(acutance::Score(folder / "clip.y4m", {folder / "clip.y4m"}, none_named)->models().empty());
  options.choose_models = "cinema";
  EXPECT_THAT(acutance::Score(folder / "clip.y4m", {folder / "clip.y4m"}, options).status().message(),
              HasSubstr("4k-3h"));
}

TEST(Decisions, AVerdictOnTheMeanNeedsNotAllFrames) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", encode = folder / "encode.y4m";
  WriteClip(reference, 320, 0);
  WriteClip(encode, 320, 24);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  options.align = "index";
  const auto above = acutance::JudgeMean(reference, encode, {.bound = 1}, options);
  ASSERT_TRUE(above.ok()) << above.status().message();
  EXPECT_TRUE(above->holds);
  EXPECT_LT(above->frames_read, 320);
  EXPECT_EQ(above->frames, 320);
  EXPECT_FALSE(acutance::JudgeMean(reference, encode, {.at_least = false, .bound = 1}, options)->holds);
  options.on_progress = [](const acutance::Progress&) { return acutance::FrameAction::kCancel; };
  EXPECT_EQ(acutance::JudgeMean(reference, encode, {.bound = 1}, options).status().code(), StatusCode::kCancelled);
  options.session.subsample = 2;
  EXPECT_EQ(acutance::JudgeMean(reference, encode, {.bound = 1}, options).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Decisions, EncodesAreCompared) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", good = folder / "good.y4m", bad = folder / "bad.y4m";
  WriteClip(reference, 30, 0);
  WriteClip(good, 30, 8);
  WriteClip(bad, 30, 24);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  const auto result = acutance::Score(reference, {bad, good}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  const auto found = result->Compare("psnr_y");
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_THAT(found->text, HasSubstr("good.y4m is "));
  EXPECT_THAT(result->Report(false, *found), HasSubstr("best at its rate"));
  EXPECT_THAT(result->Report(), testing::Not(HasSubstr("best at its rate")));
  EXPECT_THAT(result->Compare("psnr_z").status().message(), HasSubstr("did you mean 'psnr_y'"));
  const acutance::Expected<acutance::api::Encodes> ladder = result->Ladder({{"a", 1}, {"b", 1}});
  ASSERT_TRUE(ladder.ok());
  EXPECT_NE(ladder->ctc_csv.find("PSNR_Y"), std::string::npos);
  EXPECT_EQ(result->Ladder({{"a", 1}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(result->Ladder({{"a", 1}, {"b", 2}}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Decisions, KnownCurvesHaveAnyUnit) {
  const acutance::KnownCurve a{"a", {{1000, 80}, {2000, 86}, {3000, 90}, {4000, 93}}};
  const acutance::KnownCurve b{"b", {{900, 80}, {1800, 86}, {2700, 90}, {3600, 93}}};
  const auto found = acutance::CompareCurves({a, b});
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->text, HasSubstr("BD-rate -10.000 %"));
  EXPECT_THAT(found->text, testing::Not(HasSubstr("bit/s")));
  EXPECT_EQ(acutance::CompareCurves({a, {"c", {}}}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
