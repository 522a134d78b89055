#include "base/file_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/environment.h"
#include "base/temp_dir.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;
using std::literals::operator""sv;

constexpr std::string_view kKey = "device 1";

class FileCacheTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", home_.c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  void Write(std::string_view key, std::string_view content) const {
    cache_.Write(key, std::as_bytes(std::span(content)));
  }
  /// "-" where nothing is read.
  std::string Read(std::string_view key) const {
    const auto found = cache_.Read(key);
    return found ? std::string(reinterpret_cast<const char*>(found->data()), found->size()) : "-";
  }
  mode_t Mode(const fs::path& path) const {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
  }

  const test::TempDir folder_;
  const fs::path home_ = folder_ / "home";
  const FileCache cache_{"kernels", 8};
};

TEST_F(FileCacheTest, ReadsWhatWasWritten) {
  EXPECT_EQ(Read(kKey), "-");
  const std::string large(3 << 20, 'x');
  for (const std::string_view content : {"code"sv, ""sv, "zero\0inside"sv, std::string_view(large)}) {
    Write(kKey, content);
    EXPECT_EQ(Read(kKey), content);
  }
  EXPECT_EQ(Read("device 2"), "-");
  cache_.Remove(kKey);
  cache_.Remove(kKey);
  EXPECT_EQ(Read(kKey), "-");
}

TEST_F(FileCacheTest, IsForItsUserAlone) {
  ::umask(0);
  Write(kKey, "code");
  ::umask(022);
  EXPECT_EQ(Mode(home_ / "acutance"), 0700u);
  EXPECT_EQ(Mode(home_ / "acutance/kernels"), 0700u);
  EXPECT_EQ(Mode(cache_.PathOf(kKey)), 0600u);
}

TEST_F(FileCacheTest, RefusesWhatOthersMayWrite) {
  Write(kKey, "code");
  for (const fs::path& open : {home_ / "acutance", home_ / "acutance/kernels", cache_.PathOf(kKey)}) {
    const mode_t mode = Mode(open);
    for (const mode_t others : {S_IWGRP, S_IWOTH}) {
      ASSERT_EQ(::chmod(open.c_str(), mode | others), 0);
      EXPECT_EQ(Read(kKey), "-") << open;
    }
    ASSERT_EQ(::chmod(open.c_str(), mode), 0);
    EXPECT_EQ(Read(kKey), "code");
  }
  ASSERT_EQ(::chmod((home_ / "acutance").c_str(), 0777), 0);
  Write("device 2", "code");
  ASSERT_EQ(::chmod((home_ / "acutance").c_str(), 0700), 0);
  EXPECT_EQ(Read("device 2"), "-") << "nothing is written there either";
}

TEST_F(FileCacheTest, RefusesWhatOthersOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  Write(kKey, "code");
  for (const fs::path& given : {home_ / "acutance", home_ / "acutance/kernels", cache_.PathOf(kKey)}) {
    ASSERT_EQ(::chown(given.c_str(), 1, 1), 0);
    EXPECT_EQ(Read(kKey), "-") << given;
    ASSERT_EQ(::chown(given.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(Read(kKey), "code");
}

TEST_F(FileCacheTest, FollowsNoLinks) {
  Write(kKey, "code");
  const fs::path file = cache_.PathOf(kKey), away = folder_ / "away";
  fs::rename(file, away);
  fs::create_symlink(away, file);
  EXPECT_EQ(Read(kKey), "-") << "a link in the file's place";
  Write(kKey, "new");
  EXPECT_EQ(Read(kKey), "new") << "the link is replaced, not followed";
  EXPECT_EQ(Mode(file) & 0777, 0600u);

  const fs::path cache = home_ / "acutance/kernels", moved = folder_ / "moved";
  fs::rename(cache, moved);
  fs::create_directory_symlink(moved, cache);
  EXPECT_EQ(Read(kKey), "-") << "a link in the folder's place";
  Write("device 2", "code");
  EXPECT_EQ(std::distance(fs::directory_iterator(moved), fs::directory_iterator()), 1);
}

/// Links at the names of the next files, which another user may guess.
TEST_F(FileCacheTest, WritesIntoNoFileThatIsThere) {
  constexpr int kNames = 1000;
  Write(kKey, "code");
  const fs::path away = folder_ / "away";
  std::ofstream(away) << "precious";
  for (int i = 0; i < kNames; ++i)
    fs::create_symlink(away, fmt::format("{}.{}-{}", cache_.PathOf(kKey).string(), ::getpid(), i));
  Write(kKey, "new");
  std::ifstream kept(away);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "precious");
  EXPECT_EQ(Read(kKey), "code");
}

TEST_F(FileCacheTest, TakesALinkForTheCachesOfAllPrograms) {
  fs::create_directories(folder_ / "disk");
  fs::create_directory_symlink(folder_ / "disk", home_);
  Write(kKey, "code");
  EXPECT_EQ(Read(kKey), "code");
}

TEST_F(FileCacheTest, ADamagedFileReadsAsAMissingOne) {
  Write(kKey, "code");
  const fs::path path = cache_.PathOf(kKey);
  std::ifstream stream(path, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(stream), {}};
  const auto put = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    put(bad);
    EXPECT_EQ(Read(kKey), "-") << "byte " << i;
    put(good.substr(0, i));
    EXPECT_EQ(Read(kKey), "-") << i << " bytes";
  }
  put(good + "x");
  EXPECT_EQ(Read(kKey), "-");
  put(good);
  EXPECT_EQ(Read(kKey), "code");
}

TEST_F(FileCacheTest, WhatCannotBeReadOnlyCostsTime) {
  fs::create_directories(cache_.PathOf(kKey));
  Write(kKey, "code");
  EXPECT_EQ(Read(kKey), "-") << "a folder in the file's place";
  fs::remove_all(home_);
  Write("device 2", "code");
  fs::remove(cache_.PathOf("device 2"));
  ASSERT_EQ(::mkfifo(cache_.PathOf("device 2").c_str(), 0600), 0);
  EXPECT_EQ(Read("device 2"), "-") << "a pipe in the file's place";
  fs::remove_all(home_);
  std::ofstream(home_) << "a file in the folder's place";
  Write(kKey, "code");
  EXPECT_EQ(Read(kKey), "-");
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  Write(kKey, "code");
  EXPECT_EQ(Read(kKey), "-");
}

TEST_F(FileCacheTest, KeepsTheNewest) {
  for (int i = 0; i < 20; ++i) {
    Write(fmt::format("key {}", i), "code");
    fs::last_write_time(cache_.PathOf(fmt::format("key {}", i)),
                        fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
  }
  EXPECT_EQ(Read("key 11"), "-");
  EXPECT_EQ(Read("key 12"), "code");
  EXPECT_EQ(Read("key 19"), "code");
}

TEST_F(FileCacheTest, NothingIsWrittenToTheWorkingDirectory) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("XDG_CACHE_HOME", "acutance_relative", 1);
  ::setenv("HOME", folder_.path().c_str(), 1);
  Write(kKey, "code");
  EXPECT_TRUE(fs::exists(folder_ / ".cache/acutance/kernels"));
  ::setenv("HOME", ".", 1);
  EXPECT_EQ(Read(kKey), "-");
  Write(kKey, "code");
  EXPECT_FALSE(fs::exists("acutance_relative") || fs::exists(".cache/acutance"));
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(FileCacheTest, ProcessesMayWriteAtOnce) {
  constexpr int kProcesses = 8, kRounds = 20;
  const std::string content(100'000, 'x');
  for (int p = 0; p < kProcesses; ++p) {
    if (::fork() != 0) continue;
    for (int i = 0; i < kRounds; ++i) {
      Write(kKey, content);
      if (Read(kKey) != content) ::_exit(1);
    }
    ::_exit(0);
  }
  for (int p = 0; p < kProcesses; ++p) {
    int status = 0;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Read(kKey), content);
}

TEST(Environment, ReadsNumbers) {
  int number = 7;
  ::unsetenv("ACUTANCE_TEST_NUMBER");
  EXPECT_TRUE(ReadVariable("ACUTANCE_TEST_NUMBER", number).ok());
  EXPECT_EQ(number, 7);
  ::setenv("ACUTANCE_TEST_NUMBER", "", 1);
  EXPECT_TRUE(ReadVariable("ACUTANCE_TEST_NUMBER", number).ok());
  EXPECT_EQ(number, 7);
  ::setenv("ACUTANCE_TEST_NUMBER", "-42", 1);
  EXPECT_TRUE(ReadVariable("ACUTANCE_TEST_NUMBER", number).ok());
  EXPECT_EQ(number, -42);
  for (const char* wrong : {"x", "1x", " 1", "99999999999"}) {
    ::setenv("ACUTANCE_TEST_NUMBER", wrong, 1);
    EXPECT_THAT(ReadVariable("ACUTANCE_TEST_NUMBER", number).message(),
                ::testing::HasSubstr(fmt::format("ACUTANCE_TEST_NUMBER={} is not a number", wrong)));
  }
  ::unsetenv("ACUTANCE_TEST_NUMBER");
}

/// Run by the test below, in a program that has more rights than its caller.
TEST(Environment, DISABLED_WithMoreRights) {
  ASSERT_EQ(::getauxval(AT_SECURE), 1u);
  EXPECT_STREQ(::getenv("ACUTANCE_TEST_LIBRARY"), "evil.so");
  EXPECT_EQ(Variable("ACUTANCE_TEST_LIBRARY"), nullptr);
  EXPECT_FALSE(IsOn("ACUTANCE_TEST_LIBRARY", false));
}

TEST(Environment, IsNotBelievedByAProgramWithMoreRightsThanItsCaller) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may change its group";
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("ACUTANCE_TEST_LIBRARY", "evil.so", 1);
    if (::setegid(1) != 0) ::_exit(2);
    ::execl("/proc/self/exe", "base_test", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
            "--gtest_filter=Environment.DISABLED_WithMoreRights", nullptr);
    ::_exit(3);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace acutance
