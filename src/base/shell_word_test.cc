#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

TEST(ShellWord, QuotesWhatAShellWouldTakeForSomethingElse) {
  EXPECT_EQ(ShellWord("clips/a_1.mp4"), "clips/a_1.mp4");
  EXPECT_EQ(ShellWord("größe.mkv"), "größe.mkv");
  EXPECT_EQ(ShellWord("my clip.mp4"), "'my clip.mp4'");
  EXPECT_EQ(ShellWord("it's $1.mp4"), "'it'\\''s $1.mp4'");
  EXPECT_EQ(ShellWord("a*b?.y4m"), "'a*b?.y4m'");
  EXPECT_EQ(ShellWord("~/a.mp4"), "'~/a.mp4'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ShellWord, IsNoOption) {
  EXPECT_EQ(ShellWord("-"), "-");
  EXPECT_EQ(ShellWord("-a.mp4"), "./-a.mp4");
  EXPECT_EQ(ShellWord("-a b.mp4"), "'./-a b.mp4'");
}

}  // namespace
}  // namespace acutance
