#include "log/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/temp_dir.h"

namespace acutance {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static Status WriteAll(const std::string& path, std::string_view text) {
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
    file->Write(text);
    return file->Commit();
  }
  size_t FileCount() const { return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()); }

  const test::TempDir folder_;
};

/// Limits files to `bytes` during its lifetime, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(OutputFileTest, WritesAndReplaces) {
  const std::string path = Path("log.xml");
  const std::string long_text(200'000, 'x');
  ASSERT_TRUE(WriteAll(path, long_text).ok());
  EXPECT_EQ(Read(path), long_text);
  ASSERT_TRUE(WriteAll(path, "short").ok());
  EXPECT_EQ(Read(path), "short");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(OutputFileTest, KeepsTheModeOfWhatItReplaces) {
  const std::string path = Path("log.xml");
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(WriteAll(path, "new").ok());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFileTest, WithoutCommitTheOldLogStays) {
  const std::string path = Path("log.xml");
  std::ofstream(path) << "old";
  {
    const auto file = OutputFile::Open(path);
    ASSERT_TRUE(file.ok());
    (*file)->Write(std::string(200'000, 'x'));
    EXPECT_EQ(Read(path), "old");
  }
  EXPECT_EQ(Read(path), "old");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(OutputFileTest, FullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this machine";
  const Status status = WriteAll("/dev/full", "text");
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("/dev/full"));
  EXPECT_THAT(status.message(), HasSubstr("No space left on device"));
}

TEST_F(OutputFileTest, FullDiskLeavesNothing) {
  const std::string path = Path("log.xml");
  Status status;
  {
    const FileSizeLimit limit(100'000);
    status = WriteAll(path, std::string(300'000, 'x'));
  }
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr(path));
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(OutputFileTest, FullDiskBehindALinkLeavesItEmpty) {
  const std::string path = Path("log.xml");
  std::ofstream(Path("target")) << "old";
  fs::create_symlink(Path("target"), path);
  Status status;
  {
    const FileSizeLimit limit(100'000);
    status = WriteAll(path, std::string(300'000, 'x'));
  }
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(fs::file_size(Path("target")), 0u);
}

TEST_F(OutputFileTest, LinksAreWrittenThrough) {
  const std::string path = Path("log.xml");
  fs::create_symlink(Path("target"), path);
  ASSERT_TRUE(WriteAll(path, "text").ok());
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(Read(Path("target")), "text");
}

TEST_F(OutputFileTest, FifosAreWrittenThrough) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Read(path); });
  EXPECT_TRUE(WriteAll(path, "through a pipe").ok());
  reader.join();
  EXPECT_EQ(read, "through a pipe");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(OutputFileTest, NamesWhatCannotBeOpened) {
  for (const std::string& path : {Path("no/such/folder/log.xml"), folder_.path().string(), std::string()}) {
    const Status status = WriteAll(path, "text");
    EXPECT_EQ(status.code(), StatusCode::kIo);
    EXPECT_THAT(status.message(), HasSubstr("could not open file: " + path));
  }
}

TEST_F(OutputFileTest, ReadOnlyFilesStay) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may write read-only files";
  const std::string path = Path("log.xml");
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_FALSE(WriteAll(path, "new").ok());
  EXPECT_EQ(Read(path), "old");
}

}  // namespace
}  // namespace acutance
