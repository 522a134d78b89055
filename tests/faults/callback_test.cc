// Tests of our callbacks for FFmpeg's libraries with failing allocations.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "base/cancellation_token.h"
#include "io/video_source.h"
#include "tests/faults/fail_alloc.h"
#include "video/open_video.h"

namespace acutance {
namespace {

/// A Matroska file, made by the ffmpeg command; empty where there is none.
std::string EncodedVideo() {
  const std::string path = ::testing::TempDir() + "callback_test.mkv";
  const std::string command =
      "ffmpeg -v error -nostdin -y -f lavfi -i testsrc=s=64x36 -t 1 -pix_fmt yuv420p -c:v ffv1 " + path;
  if (std::system(command.c_str()) != 0) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The error at which reading a container from a cancelled pipe ends, with allocation `n` failing.
Status EndOfAPipe(const std::string& start, int64_t n) {
  const std::string fifo = ::testing::TempDir() + "callback_test_fifo";
  ::unlink(fifo.c_str());
  EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int writer = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(::write(writer, start.data(), start.size()), static_cast<ssize_t>(start.size()));
  const auto cancellation = CancellationToken::Make();
  OpenOptions options;
  options.cancellation = cancellation;
  const auto video = OpenVideo(fifo, options);
  EXPECT_TRUE(video.ok()) << video.status().message();
  cancellation->Cancel();
  fail_allocation_at(n);
  Status status;
  try {
    while (status.ok()) status = (*video)->Next().status();
  } catch (const std::bad_alloc&) {  // not in a callback
  }
  fail_allocation_at(-1);
  ::close(writer);
  return status;
}

/// No exception passes FFmpeg's libraries, which are written in C: their caller gets an error.
TEST(Allocations, OfFfmpegsCallbacksMayFail) {
  const std::string file = EncodedVideo();
  if (file.empty()) GTEST_SKIP() << "the ffmpeg command is not installed";
  const std::string start = file.substr(0, std::min<size_t>(file.size() * 3 / 4, 60'000));
  EXPECT_EQ(EndOfAPipe(start, -1).code(), StatusCode::kCancelled);
  int in_callbacks = 0;
  for (int64_t n = 0; n < 300; ++n)
    in_callbacks += EndOfAPipe(start, n).message().find("not enough memory; use fewer threads") != std::string::npos;
  EXPECT_GT(in_callbacks, 0);
}

}  // namespace
}  // namespace acutance
