// Options of a run, set by their names.
#include <acutance/score.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "base/temp_dir.h"
#include "run/run_options.h"

namespace acutance {
namespace {

using api::ScoreOptions;
using testing::HasSubstr;

/// Every option of a run can be set by its name, and names of the command hold, too.
TEST(ScoreOptionsTest, SetTakesEveryOption) {
  for (const RunOption& option : RunOptions()) {
    const std::string value(option.value.empty()     ? "true"
                            : option.choices.empty() ? option.example
                                                     : option.choices.substr(0, option.choices.find(',')));
    for (const std::string& name : {ApiNameOf(option), std::string(option.name)}) {
      ScoreOptions options;
      EXPECT_TRUE(options.Set(name, value).ok()) << name << "=" << value;
    }
  }
  ScoreOptions options;
  EXPECT_THAT(options.Set("scale_fliter", "area").message(), HasSubstr("did you mean 'scale_filter'?"));
  EXPECT_EQ(options.Set("scale_filter", "cubic").code(), StatusCode::kInvalidArgument);
}

TEST(ScoreOptionsTest, WhatIsSetWinsOverTheField) {
  const test::TempDir folder;
  std::ofstream clip(folder / "clip.y4m", std::ios::binary);
  clip << "YUV4MPEG2 W96 H80 F25:1 Ip C420\n";
  for (int i = 0; i < 4; ++i) clip << "FRAME\n" << std::string(96 * 80 * 3 / 2, static_cast<char>('a' + i));
  clip.close();
  ScoreOptions options;
  options.crop = "none";
  for (const auto& [name, text] : {std::pair("crop", "64:48:0:0"),
                                   {"frames", "1:3"},
                                   {"align", "index"},
                                   {"model", "vmaf_v0.6.1neg"},
                                   {"feature", "psnr=enable_chroma=false"}})
    ASSERT_TRUE(options.Set(name, text).ok()) << name;
  const auto result = api::Score(folder / "clip.y4m", {folder / "clip.y4m"}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->format().width, 64);
  EXPECT_EQ(result->frames(), 2);
  EXPECT_THAT(result->models(), testing::ElementsAre("vmaf_v0.6.1neg"));
  EXPECT_TRUE(result->Scores("psnr_y").ok());
}

}  // namespace
}  // namespace acutance
