#include "base/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/system/file.h"
#include "base/temp_dir.h"

namespace acutance {
namespace {

TEST(Files, NamesAreSortedAndWithoutTheFolderItself) {
  const test::TempDir folder;
  for (const char* name : {"b", ".hidden", "a"}) std::ofstream(folder / name) << name;
  std::filesystem::create_directory(folder / "c");
  const auto names = NamesIn(folder.path().string());
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(*names, (std::vector<std::string>{".hidden", "a", "b", "c"}));
  EXPECT_TRUE(NamesIn(folder / "c")->empty());
  EXPECT_NE(NamesIn(folder / "d").status().message().find("No such file"), std::string::npos);
  EXPECT_FALSE(NamesIn(folder / "a").ok());
}

TEST(Files, FoldersHaveNamesOfAnyScript) {
  const test::TempDir folder;
  const std::string outer = Join(folder.path().string(), "карты"), inner = Join(outer, "地図");
  EXPECT_TRUE(MakeFolder(inner).ok());
  EXPECT_TRUE(MakeFolder(inner).ok()) << "it is there";
  EXPECT_EQ(*NamesIn(outer), std::vector<std::string>{"地図"});
  std::ofstream(SystemPath(Join(inner, "a"))) << "text";
  EXPECT_FALSE(MakeFolder(Join(inner, "a")).ok()) << "a file is no folder";
}

TEST(Files, TextsTooLongForANameNameNothing) {
  const std::string text(5000, 'x');
  EXPECT_FALSE(Exists(text));
  EXPECT_FALSE(IsRegularFile(text));
  EXPECT_FALSE(NamesIn(text).ok());
}

TEST(Files, FoldersAreNoRegularFiles) {
  const test::TempDir folder;
  EXPECT_TRUE(Exists(folder.path().string()));
  EXPECT_FALSE(IsRegularFile(folder.path().string()));
}

}  // namespace
}  // namespace acutance
