// Clips and golden values of the conformance test, and what counts as a difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "base/hash.h"
#include "base/temp_dir.h"
#include "report/conform/conformance.h"

namespace acutance {
namespace {

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ConformClip, FramesChangeAndFilesHaveRoundedUpChroma) {
  const test::TempDir folder;
  for (const ClipSpec& clip : Clips()) {
    const Result<ClipFiles> files = WriteClip(clip, folder.path().string());
    ASSERT_TRUE(files.ok()) << files.status().message();
    const std::string reference = Contents(files->reference), distorted = Contents(files->distorted);
    const PictureFormat& f = clip.format;
    const bool x = f.pixel_format == PixelFormat::k420 || f.pixel_format == PixelFormat::k422;
    const bool y = f.pixel_format == PixelFormat::k420;
    const size_t chroma = f.PlaneCount() == 1 ? 0 : size_t(2) * ((f.width + x) >> x) * ((f.height + y) >> y);
    const size_t frame = (size_t(f.width) * f.height + chroma) * (f.bit_depth > 8 ? 2 : 1);
    EXPECT_EQ(reference.size(), kClipFrames * frame) << clip.Name();
    EXPECT_EQ(distorted.size(), reference.size()) << clip.Name();
    EXPECT_EQ(reference == distorted, clip.content == ClipContent::kEqual) << clip.Name();
    EXPECT_NE(reference.substr(0, frame), reference.substr(frame, frame)) << clip.Name();
  }
}

TEST(ConformClip, CoversEveryFormatAndDepth) {
  std::set<int> depths;
  std::set<PixelFormat> chroma;
  std::set<std::string> names;
  for (const ClipSpec& clip : Clips()) {
    depths.insert(clip.format.bit_depth);
    chroma.insert(clip.format.pixel_format);
    EXPECT_TRUE(names.insert(clip.Name()).second) << clip.Name();
  }
  EXPECT_THAT(depths, testing::ElementsAre(8, 10, 12, 16));
  EXPECT_EQ(chroma.size(), 4u);
}

TEST(Golden, HasEveryItemOfEveryRun) {
  const Result<GoldenValues> golden = GoldenValues::BuiltIn();
  ASSERT_TRUE(golden.ok()) << golden.status().message();
  for (const ConformRun& run : ConformRuns())
    for (const ConformItem& item : run.items) {
      const ConformScores* scores = golden->Find(*run.clip, item);
      ASSERT_NE(scores, nullptr) << run.clip->Name() << ": " << item.text;
      for (const auto& [column, values] : *scores) EXPECT_EQ(values.size(), size_t{kClipFrames}) << column;
    }
  EXPECT_EQ(GoldenValues::Parse(golden->Text())->Text(), golden->Text());
}

TEST(Golden, RefusesDamage) {
  EXPECT_FALSE(GoldenValues::Parse("clip|vif|integer_vif_scale0|1 x\n").ok());
  EXPECT_FALSE(GoldenValues::Parse("clip|vif\n").ok());
}

ConformOutcome Compare(const ConformScores& expected, const ConformScores& found, const char* item) {
  ConformOutcome outcome{Clips().data(), {item}};
  CompareScores(expected, found, 0, outcome);
  return outcome;
}

TEST(CompareScores, FindsTheFirstFrameAndTheLargestDifference) {
  const ConformOutcome outcome = Compare({{"a", {1, 2, 3, 4}}}, {{"a", {1, 2.000001, 3.5, 4}}}, "vif");
  ASSERT_EQ(outcome.state, ConformState::kDiffers);
  EXPECT_EQ(outcome.differences[0].first_frame, 1);
  EXPECT_EQ(outcome.differences[0].frames, 2);
  EXPECT_DOUBLE_EQ(outcome.differences[0].largest, 0.5);
}

TEST(CompareScores, AMissingFrameDiffersAndWithoutColumnsItFails) {
  EXPECT_EQ(Compare({{"a", {1, 2}}}, {{"a", {1}}}, "vif").state, ConformState::kDiffers);
  EXPECT_EQ(Compare({{"a", {1, 2}}}, {{"a", {1, 2, 3}}}, "vif").state, ConformState::kDiffers);
  EXPECT_EQ(Compare({{"a", {1}}, {"b", {1}}}, {{"b", {1}}}, "vif").state, ConformState::kEqual);
  EXPECT_EQ(Compare({{"a", {1, 2}}}, {{"b", {1, 2}}}, "vif").state, ConformState::kFailed);
}

TEST(CompareScores, OnlyFloatingPointMetricsMayDifferInTheLastDecimal) {
  EXPECT_EQ(Compare({{"a", {1}}}, {{"a", {1.000001}}}, "float_vif").state, ConformState::kEqual);
  EXPECT_EQ(Compare({{"a", {1}}}, {{"a", {1.000001}}}, "vif").state, ConformState::kDiffers);
}

}  // namespace
}  // namespace acutance
