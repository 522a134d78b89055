#include "base/system/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "base/files.h"
#include "base/temp_dir.h"

namespace acutance {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(SystemPath(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Create(const std::string& path, std::string_view text) {
  Descriptor file = OpenFile(path, OpenMode::kNew);
  return file.ok() && WriteAll(file.number(), text) && file.Close();
}

TEST(File, NamesOfAnyScriptReachEveryFunction) {
  const test::TempDir folder;
  for (const char* name : {"кодек.y4m", "映像.y4m", "a \U0001F3AC.y4m"}) {
    const std::string path = folder / name;
    ASSERT_TRUE(Create(path, "text\r\n")) << name;
    EXPECT_EQ(TextOf(path), "text\r\n") << name;
    EXPECT_TRUE(IsRegularFile(path)) << name;
    ASSERT_TRUE(Rename(path, path + "2")) << name;
    EXPECT_THAT(*NamesIn(folder.path().string()), testing::ElementsAre(std::string(name) + "2"));
    EXPECT_TRUE(RemoveFile(path + "2")) << name;
  }
}

TEST(File, PathsMayHaveFiveHundredCharacters) {
  const test::TempDir folder;
  std::string path = folder.path().string();
  while (path.size() < 500) {
    path += "/" + std::string(100, 'x');
    std::filesystem::create_directory(SystemPath(path));
  }
  path += "/clip.y4m";
  ASSERT_TRUE(Create(path, "text"));
  EXPECT_EQ(TextOf(path), "text");
  EXPECT_EQ(InfoOf(path)->identity.size, 4);
  EXPECT_TRUE(RemoveFile(path));
}

TEST(File, ModesSayWhatHappensToAFileThatExists) {
  const test::TempDir folder;
  const std::string path = folder / "a";
  EXPECT_FALSE(OpenFile(path, OpenMode::kRead).ok());
  EXPECT_EQ(errno, ENOENT);
  ASSERT_TRUE(Create(path, "first"));
  EXPECT_FALSE(OpenFile(path, OpenMode::kNew).ok());
  EXPECT_EQ(errno, EEXIST);
  EXPECT_TRUE(OpenFile(path, OpenMode::kUpdate).ok());
  EXPECT_EQ(TextOf(path), "first");
  EXPECT_TRUE(OpenFile(path, OpenMode::kReplace).ok());
  EXPECT_EQ(TextOf(path), "");
}

TEST(File, OthersMayWriteRenameAndRemoveWhatIsRead) {
  const test::TempDir folder;
  const std::string path = folder / "growing.y4m";
  Descriptor writer = OpenFile(path, OpenMode::kNew);
  const Descriptor reader = OpenFile(path, OpenMode::kRead);
  ASSERT_TRUE(reader.ok()) << "an encoder still writes it";
  ASSERT_TRUE(WriteAll(writer.number(), "frame"));
  EXPECT_TRUE(Rename(path, folder / "done.y4m"));
  std::array<char, 3> first{}, rest{};
  const std::array<ReadPart, 2> parts = {ReadPart{first.data(), 3}, ReadPart{rest.data(), 3}};
  EXPECT_EQ(ReadParts(reader.number(), parts), 5);
  EXPECT_EQ(std::string_view(first.data(), 3), "fra");
  EXPECT_EQ(std::string_view(rest.data(), 2), "me");
  EXPECT_EQ(ReadParts(reader.number(), parts), 0);
  EXPECT_TRUE(RemoveFile(folder / "done.y4m"));
}

TEST(File, TheBeginningIsOverwrittenInPlace) {
  const test::TempDir folder;
  Descriptor file = OpenFile(folder / "a", OpenMode::kUpdate);
  EXPECT_TRUE(WriteAll(file.number(), "____ and more"));
  EXPECT_TRUE(WriteAtStart(file.number(), "text"));
  EXPECT_TRUE(WriteAll(file.number(), "!"));
  EXPECT_EQ(TextOf(folder / "a"), "text and more!");
  EXPECT_TRUE(Truncate(file.number(), 4));
  EXPECT_EQ(SeekTo(file.number(), 0, SEEK_END), 4);
}

TEST(File, ALockHasOneHolder) {
  const test::TempDir folder;
  const std::string path = folder / "a";
  Descriptor first = OpenFile(path, OpenMode::kUpdate), second = OpenFile(path, OpenMode::kUpdate);
  EXPECT_TRUE(LockFile(first.number()));
  EXPECT_FALSE(LockFile(second.number()));
  EXPECT_TRUE(WriteAll(first.number(), "text"));
  EXPECT_EQ(TextOf(path), "text") << "others may read a locked file";
  first.Close();
  EXPECT_TRUE(LockFile(second.number()));
}

TEST(File, AnIdentityChangesWithTheContents) {
  const test::TempDir folder;
  ASSERT_TRUE(Create(folder / "a", "text") && Create(folder / "b", "text"));
  const FileIdentity before = InfoOf(folder / "a")->identity;
  EXPECT_EQ(InfoOf(folder / "a")->identity, before);
  EXPECT_NE(InfoOf(folder / "b")->identity, before);
  { ASSERT_TRUE(WriteAll(OpenFile(folder / "a", OpenMode::kReplace).number(), "texts")); }
  EXPECT_NE(InfoOf(folder / "a")->identity, before);
}

TEST(File, FoldersAreToldFromFiles) {
  const test::TempDir folder;
  EXPECT_EQ(InfoOf(folder.path().string())->kind, FileKind::kFolder);
  EXPECT_TRUE(MayWrite(folder.path().string()));
  EXPECT_FALSE(MayWrite(folder / "absent"));
  EXPECT_FALSE(OpenFile(folder.path().string(), OpenMode::kReplace).ok());
  EXPECT_EQ(errno, EISDIR);
}

}  // namespace
}  // namespace acutance
