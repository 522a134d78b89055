#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/environment.h"
#include "base/files.h"
#include "base/system/child_process.h"
#include "base/system/local_socket.h"
#include "base/system/machine.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"
#include "base/system/terminal.h"
#include "base/temp_dir.h"

namespace acutance {
namespace {

TEST(Process, KnowsItsOwnFile) {
  EXPECT_TRUE(ProgramFile().is_absolute());
  EXPECT_TRUE(ProgramFile().stem().string().starts_with("base_test")) << ProgramFile();
  EXPECT_EQ(ProcessId(), ProcessId());
  EXPECT_THAT(KernelRelease(), testing::MatchesRegex(".+ .*\\..*"));
}

TEST(Machine, HasProcessorsAndMemory) {
  EXPECT_GE(AffinityCpus(), 1);
  EXPECT_GT(FreeMemory().value_or(0), size_t{1} << 20);
}

TEST(Environment, TakesTextOfAnyScript) {
  SetVariable("ACUTANCE_TEST_TEXT", "кодек 映像");
  EXPECT_STREQ(Variable("ACUTANCE_TEST_TEXT"), "кодек 映像");
  SetVariable("ACUTANCE_TEST_TEXT", "");
  EXPECT_EQ(Variable("ACUTANCE_TEST_TEXT"), nullptr);
}

TEST(SharedLibrary, SaysWhyNoneWasOpened) {
  const Result<SharedLibrary> none = SharedLibrary::Open({"no-such-library-1", "no-such-library-2"});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.status().message(), testing::HasSubstr("no-such-library-2"));
  EXPECT_FALSE(IsLibraryOpen("no-such-library-1"));
}

TEST(SharedLibrary, AFunctionsFileIsFound) {
  EXPECT_EQ(FileWith(reinterpret_cast<const void*>(&KernelRelease)).filename(), ProgramFile().filename());
}

TEST(Terminal, AFileIsNone) {
  const test::TempDir folder;
  const Descriptor file = OpenFile(folder / "a", OpenMode::kNew);
  EXPECT_FALSE(IsTerminal(file.number()));
  EXPECT_EQ(TerminalColumns(file.number()), 80);
}

TEST(ChildProcess, GetsWordsAsTheyAreAndWritesIntoItsFile) {
  const test::TempDir folder;
  const std::string self = ProgramFile().string(), output = folder / "output";
  const Result<int> listed = RunChild({self, "--gtest_list_tests", "--gtest_filter=Machine.*:\"a b\\"}, output, 60);
  ASSERT_TRUE(listed.ok()) << listed.status().message();
  EXPECT_EQ(*listed, 0);
  std::ifstream file(SystemPath(output));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, testing::HasSubstr("HasProcessorsAndMemory"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("KnowsItsOwnFile")));
  EXPECT_FALSE(RunChild({folder / "absent"}, output, 1).ok());
}

std::string PlaceOfSocket(const test::TempDir& folder) {
  const bool has_pipes = KernelRelease().starts_with("Windows");
  return has_pipes ? "\\\\.\\pipe\\" + folder.path().filename().string() : folder / "socket";
}

TEST(LocalSocket, AWaitForAConnectionEnds) {
  const test::TempDir folder;
  const std::string path = PlaceOfSocket(folder);
  const Result<LocalListener> listener = LocalListener::Open(path);
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  WakeEvent end;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    end.Set();
  });
  EXPECT_FALSE(listener->Accept(end));
  later.join();
  EXPECT_FALSE(LocalListener::Open(path).ok()) << "another server answers there";
}

}  // namespace
}  // namespace acutance
