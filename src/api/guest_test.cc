// A library leaves signal handlers and logs to its program, and survives a fork.
#include <acutance/acutance.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <semaphore>
#include <sstream>
#include <string>
#include <vector>

#include "api/test_clips.h"
#include "base/temp_dir.h"

namespace {

using acutance::Picture;
using acutance::PixelFormat;
using acutance::Session;
using acutance::SessionOptions;
using acutance::test::MakePicture;

/// Runs `body` in a forked child, which has 20 seconds. Whether it returned true.
template <class Body>
bool HoldsInChild(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

/// A library is a guest in its process: another program's handlers stay.
TEST(Guest, ScoringFilesInstallsNoSignalHandler) {
  const acutance::test::TempDir dir;
  for (const char* name : {"a.y4m", "b.y4m"})
    std::ofstream(dir / name) << "YUV4MPEG2 W32 H32 F25:1 Ip C420jpeg\nFRAME\n" << std::string(32 * 48, 'a');
  acutance::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  const auto handlers = [] {  // a sanitizer has its own
    std::vector<void*> found;
    for (const int signal : {SIGBUS, SIGINT, SIGSEGV, SIGPIPE}) {
      struct sigaction action = {};
      EXPECT_EQ(::sigaction(signal, nullptr, &action), 0);
      found.push_back(reinterpret_cast<void*>(action.sa_handler));
    }
    return found;
  };
  const std::vector<void*> before = handlers();
  ASSERT_TRUE(acutance::Score(dir / "a.y4m", {dir / "b.y4m"}, options).ok());
  EXPECT_EQ(handlers(), before);
}

std::atomic<int> g_lines = 0;  // of FFmpeg's log

/// Loads libavutil as another part of the process would: the version that acutance then uses, too.
void* LoadLibavutil(int flags = 0) {
  const char* const folder = std::getenv("ACUTANCE_FFMPEG_LIBRARIES");
  std::string newest;
  for (const auto& file : std::filesystem::directory_iterator(folder ? folder : "."))
    if (const std::string name = file.path().filename();
        name.starts_with("libavutil") && name.find(".so.") != name.npos)
      newest = std::max(newest, file.path().string());
  if (folder) return ::dlopen(newest.c_str(), RTLD_LAZY | RTLD_LOCAL | flags);
  for (const char* number : {"61", "60", "59", "58", "57"})
    if (void* library = ::dlopen((std::string("libavutil.so.") + number).c_str(), RTLD_LAZY | RTLD_LOCAL | flags))
      return library;
  return nullptr;
}

TEST(Guest, TheProgramKeepsItsLogOfFfmpeg) {
  using Callback = void (*)(void*, int, const char*, va_list);
  ASSERT_EQ(LoadLibavutil(RTLD_NOLOAD), nullptr) << "who loads it first decides";
  void* library = LoadLibavutil();
  if (!library) GTEST_SKIP() << ::dlerror();
  const auto set = reinterpret_cast<void (*)(Callback)>(::dlsym(library, "av_log_set_callback"));
  set([](void*, int, const char*, va_list) { ++g_lines; });
  const acutance::test::TempDir dir;
  std::ofstream(dir / "a.mkv", std::ios::binary) << "\x1A\x45\xDF\xA3" << std::string(500, 'x');
  acutance::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  EXPECT_FALSE(acutance::Score(dir / "a.mkv", {dir / "a.mkv"}, options).ok());
  EXPECT_GT(g_lines, 0);
  set(reinterpret_cast<Callback>(::dlsym(library, "av_log_default_callback")));
}

/// An H.264 stream without one of its slices that do not begin a picture.
std::string WithoutASlice(const std::string& stream, int number) {
  const std::string code("\0\0\1", 3);
  for (size_t at = 0; (at = stream.find(code, at)) != std::string::npos; at += code.size()) {
    constexpr int kSlice = 1;
    const bool begins_picture = stream[at + 4] & 0x80;  // the number of its first macroblock, 0, is coded as 1
    if ((stream[at + 3] & 0x1f) != kSlice || begins_picture || number-- > 0) continue;
    return stream.substr(0, at) + stream.substr(stream.find(code, at + 1));
  }
  ADD_FAILURE() << "there are too few slices";
  return stream;
}

TEST(Guest, LostSlicesAreFoundWithoutTheLogOfFfmpeg) {
  if (!LoadLibavutil()) GTEST_SKIP() << ::dlerror();
  const acutance::test::TempDir dir;
  const std::string whole = dir / "whole.h264", lost = dir / "lost.h264";
  const std::string command =
      "ffmpeg -v error -y -f lavfi -i testsrc2=s=192x112:r=25 -frames:v 48 -pix_fmt yuv420p -c:v libx264 -x264-params "
      "slices=4:keyint=24 " +
      whole + " 2>&1";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "FFmpeg's command makes the stream";
  std::stringstream stream;
  stream << std::ifstream(whole, std::ios::binary).rdbuf();
  std::ofstream(lost, std::ios::binary) << WithoutASlice(stream.str(), 50);
  acutance::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  options.align = "index";
  std::vector<std::vector<int64_t>> damaged;
  std::vector<std::vector<double>> scores;
  for (const int threads : {1, 4, 4}) {
    options.session.threads = threads;
    const auto result = acutance::Score(whole, {lost}, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->inputs()[0].damage.reason, "");
    EXPECT_NE(result->inputs()[1].damage.reason, "");
    damaged.push_back(result->inputs()[1].damage.frames);
    scores.push_back(result->Scores("psnr_y").value());
  }
  EXPECT_FALSE(damaged[0].empty());
  for (const size_t again : {1, 2}) {
    EXPECT_EQ(damaged[again], damaged[0]);
    EXPECT_EQ(scores[again], scores[0]) << "what is concealed depends on the number of threads";
  }
}

/// The child has none of the session's threads.
TEST(ForkedChild, IsToldAndDoesNotHang) {
  SessionOptions options;
  options.features = {{"psnr", {}}};
  options.threads = 3;
  auto session = std::make_unique<Session>(*Session::Create(options));
  ASSERT_TRUE(session->Add(MakePicture(0, 0), MakePicture(0, 9)).ok());
  EXPECT_TRUE(HoldsInChild([&] {
    const bool is_refused = !session->Add(MakePicture(1, 0), MakePicture(1, 9)).ok() && !session->Finish().ok();
    session.reset();
    return is_refused;
  }));
  EXPECT_TRUE(session->Finish().ok());
}

/// A lock that a thread of the parent holds stays locked in the child.
TEST(ForkedChild, DoesNotWaitForAThreadOfTheParent) {
  std::binary_semaphore writes{0}, goes_on{0};
  std::atomic<bool> is_first = true;
  SessionOptions options;
  options.features = {{"cambi", {}}};
  options.threads = 2;
  options.on_artifact = [&](const acutance::Artifact&) {
    if (is_first.exchange(false)) {
      writes.release();
      goes_on.acquire();
    }
    return acutance::Status();
  };
  auto session = std::make_unique<Session>(*Session::Create(options));
  const Picture picture = MakePicture(0, 0, {224, 216, 8, PixelFormat::k420});
  ASSERT_TRUE(session->Add(picture, picture).ok());
  writes.acquire();
  EXPECT_TRUE(HoldsInChild([&] {
    const bool is_empty = !session->Score("cambi", 0).has_value() && session->frames_done() == 0;
    session.reset();
    return is_empty;
  }));
  goes_on.release();
  EXPECT_TRUE(session->Finish().ok());
}

}  // namespace
