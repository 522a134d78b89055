#include "run/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "run/model_spec.h"
#include "run/run_journal.h"

namespace acutance {
namespace {

using testing::HasSubstr;

/// Every choice, or the example.
std::vector<std::string> ValuesOf(const RunOption& option) {
  if (option.value.empty()) return {"true"};
  if (option.choices.empty()) return {std::string(option.example)};
  std::vector<std::string> values;
  for (std::string_view rest = option.choices; !rest.empty();) {
    values.emplace_back(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), values.back().size() + 2));
  }
  return values;
}

RunRequest With(const std::vector<std::pair<std::string, std::string>>& texts) {
  RunRequest request = DefaultRequest();
  for (const RunOption& option : RunOptions())
    for (const auto& [name, text] : texts)
      if (option.name == name) {
        EXPECT_TRUE(ReadOption(option, text, OptionStyle::kCommand, request).ok()) << name;
      }
  EXPECT_TRUE(CompleteRequest(request).ok());
  return request;
}

std::string ErrorOf(const char* name, const char* text, OptionStyle style = OptionStyle::kCommand) {
  RunRequest request = DefaultRequest();
  return ReadOption(*FindRunOption(name), text, style, request).message();
}

TEST(RunOptionsTest, EveryRowHasHelpAndReadsItsValues) {
  std::set<std::string> names;
  for (const RunOption& option : RunOptions()) {
    EXPECT_TRUE(names.insert(std::string(option.name)).second) << option.name;
    EXPECT_GT(option.help.size(), 10u) << option.name;
    for (const std::string& value : ValuesOf(option)) {
      ASSERT_FALSE(value.empty()) << option.name << " needs an example";
      RunRequest request = DefaultRequest();
      const Status status = ReadOption(option, value, OptionStyle::kCommand, request);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    if (option.choices.empty()) continue;
    RunRequest request = DefaultRequest();
    EXPECT_FALSE(ReadOption(option, "no such choice", OptionStyle::kCommand, request).ok()) << option.name;
  }
}

TEST(RunOptionsTest, ErrorsNameTheOptionAndTheValue) {
  EXPECT_EQ(ErrorOf("scale-filter", "cubic"),
            "--scale-filter cubic: expected one of bicubic, lanczos, bilinear, area, aom");
  EXPECT_EQ(ErrorOf("scale_filter", "cubic", OptionStyle::kApi),
            "scale_filter \"cubic\": expected one of bicubic, lanczos, bilinear, area, aom");
  EXPECT_EQ(ErrorOf("worst_frames", "0", OptionStyle::kApi),
            "worst_frames \"0\": expected a whole number from 1 to 1000");
  EXPECT_EQ(ErrorOf("maps", ""), "--maps: the path is empty");
}

TEST(RunOptionsTest, RawFormatNeedsItsSize) {
  RunRequest request = DefaultRequest();
  ASSERT_TRUE(ReadOption(*FindRunOption("bit-depth"), "10", OptionStyle::kApi, request).ok());
  EXPECT_THAT(CompleteRequest(request).message(), HasSubstr("give its size"));
  const RunRequest p010 = With({{"size", "64x48"}, {"pixel-format", "p010"}});
  EXPECT_EQ(*p010.open.raw, (PictureFormat{64, 48, 10, PixelFormat::k420}));
  EXPECT_TRUE(p010.open.raw_is_semi_planar);
}

TEST(RunOptionsTest, ADecodersDeviceNeedsADecoderThatHasSome) {
  RunRequest request = DefaultRequest();
  request.decoder_device = "1";
  EXPECT_THAT(CompleteRequest(request).message(), HasSubstr("--decoder vulkan or vaapi"));
  request.decoder = Decoder::kVulkan;
  EXPECT_TRUE(CompleteRequest(request).ok());
}

TEST(RunOptionsTest, ModelsAreChosenWhereNoneIsNamed) {
  EXPECT_EQ(With({}).choose_models, Viewing::kBySize);
  EXPECT_EQ(With({{"viewing", "tv"}}).choose_models, Viewing::kTv);
  EXPECT_FALSE(With({{"model", "vmaf_v0.6.1"}}).choose_models);
  EXPECT_FALSE(With({{"no-model", "true"}}).choose_models);
  RunRequest request = DefaultRequest();
  request.choice.viewing = Viewing::kTv;
  request.choice.none = true;
  EXPECT_THAT(CompleteRequest(request).message(), HasSubstr("helps to choose a model"));
}

std::vector<std::string> LinesOf(const JournalHeader& header, std::string_view key) {
  std::vector<std::string> lines;
  for (const JournalLine& line : header)
    if (line.key == key)
      for (const std::string& field : line.fields) lines.push_back(field);
  return lines;
}

/// Options that change scores change the line of a journal's header that their row names.
TEST(RunOptionsTest, AJournalsHeaderHasWhatScoresDependOn) {
  const test::TempDir folder;
  const std::string video = folder / "video.yuv";
  std::ofstream(video) << std::string(4096, 'x');
  const auto header_of = [&](RunRequest request) {
    request.reference = video;
    request.distorted = {video};
    std::vector<std::string> warnings;
    EXPECT_TRUE(LoadModels(request, warnings).ok());
    return DescribeRun(request, {.width = 96, .height = 80}).value();
  };
  const JournalHeader usual = header_of(With({{"size", "64x48"}}));
  for (const RunOption& option : RunOptions()) {
    // RunScore chooses models and says what pairs the frames.
    if (option.journal.empty() || option.journal == "pairs" || option.name == "viewing" || option.name == "no-model")
      continue;
    bool differs = false;
    for (const std::string& value : ValuesOf(option)) {
      std::vector<std::pair<std::string, std::string>> texts = {{std::string(option.name), value}};
      if (option.name != "size") texts.emplace_back("size", "64x48");
      differs |= LinesOf(header_of(With(texts)), option.journal) != LinesOf(usual, option.journal);
    }
    EXPECT_TRUE(differs) << option.name << " has no line '" << option.journal << "' in a journal's header";
  }
}

}  // namespace
}  // namespace acutance
