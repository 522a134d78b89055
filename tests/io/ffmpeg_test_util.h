// Files that the ffmpeg command makes for a test.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/io/io_test_util.h"

namespace acutance::test {

/// Skips tests without the ffmpeg command.
class FfmpegTest : public testing::Test {
 protected:
  void SetUp() override {
    static const bool has_ffmpeg = std::system("ffmpeg -version >/dev/null 2>&1") == 0;
    if (!has_ffmpeg) GTEST_SKIP() << "the ffmpeg command is not installed";
  }

  /// Expects that the command works, and returns the path of the file.
  std::string Make(const std::string& arguments, const std::string& out) {
    const std::string command =
        fmt::format("ffmpeg -v error -nostdin -y {} {} 2>{}", arguments, dir_ / out, dir_ / "log");
    EXPECT_EQ(std::system(command.c_str()), 0) << command << ReadFile(dir_ / "log");
    return dir_ / out;
  }

  /// Encodes a clip.
  std::string Encode(const Clip& clip, const std::string& pixel_format, const std::string& options,
                     const std::string& out) {
    WriteFile(dir_ / "in.yuv", clip.Yuv());
    return Make(fmt::format("-f rawvideo -pix_fmt {} -s {}x{} -r 25 -i {} {}", pixel_format, clip.format.width,
                            clip.format.height, dir_ / "in.yuv", options),
                out);
  }

  /// Writes the first part of a file, and returns its path.
  std::string Truncate(const std::string& path, double share) {
    const std::string whole = ReadFile(path);
    WriteFile(dir_ / "cut", whole.substr(0, static_cast<size_t>(share * static_cast<double>(whole.size()))));
    return dir_ / "cut";
  }

  TempDir dir_;
};

}  // namespace acutance::test
