#include "stats/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_dir.h"

namespace acutance {
namespace {

using testing::HasSubstr;

std::vector<Part> Cut(const std::string& text, int64_t frames, std::optional<double> rate = 25) {
  const auto choice = ParseParts(text);
  EXPECT_TRUE(choice.ok()) << text;
  const auto parts = SplitSegments(*choice, 0, frames, rate);
  EXPECT_TRUE(parts.ok()) << parts.status().message();
  return *parts;
}

TEST(Parts, EqualLengths) {
  EXPECT_EQ(Cut("4s", 250), (std::vector<Part>{{0, 100}, {100, 200}, {200, 250}}));
  EXPECT_EQ(Cut("100f", 200, {}), (std::vector<Part>{{0, 100}, {100, 200}}));
  EXPECT_EQ(Cut("1", 50), (std::vector<Part>{{0, 25}, {25, 50}}));
}

TEST(Parts, LengthsThatAreNoWholeFramesStayAtTheirTimes) {
  const std::vector<Part> parts = Cut("1s", 29971, 29.97);
  EXPECT_EQ(parts[999].end, 29970);
  EXPECT_EQ(parts.back().end, 29971);
}

TEST(Parts, ListsOfStarts) {
  EXPECT_EQ(Cut("0s,2s,75f", 100), (std::vector<Part>{{0, 50}, {50, 75}, {75, 100}}));
  EXPECT_EQ(Cut("1s,9s", 100), (std::vector<Part>{{0, 25}, {25, 100}}));  // 9 s lie behind the end
}

TEST(Parts, Files) {
  const test::TempDir folder;
  const std::string path = folder / "segments";
  std::ofstream(path) << "# start name\n0 opening titles\r\n\r\n2s second\n75f\r\n";
  EXPECT_EQ(Cut(path, 100), (std::vector<Part>{{0, 50, "opening titles"}, {50, 75, "second"}, {75, 100}}));
  std::ofstream(path) << "zero\n";
  EXPECT_THAT(ParseParts(path).status().message(), HasSubstr("line 1"));
}

TEST(Parts, Errors) {
  for (const char* text : {"", "s", "4x", "-1s", "0s", "1.5f", "4 s", "no_such_file", "1,,2", "0,x"})
    EXPECT_FALSE(ParseParts(text).ok()) << text;
  EXPECT_FALSE(ParseParts(std::string(5000, '1')).ok()) << "too long for a file's name";
  EXPECT_FALSE(SplitSegments(*ParseParts("4s"), 0, 100, {}).ok());
  EXPECT_FALSE(SplitSegments(*ParseParts("0.01s"), 0, 100, 25).ok());
  EXPECT_FALSE(SplitSegments(*ParseParts("5f,5f"), 0, 100, {}).ok());
}

}  // namespace
}  // namespace acutance
