// Tests of the C and C++ APIs with the n-th allocation failing, for every n of a short run: an error is returned, or
// the right score, and the next session works.
#include <acutance/acutance.h>
#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/fail_alloc.h"

namespace {

constexpr unsigned kSize = 32, kFrames = 3;

/// Runs `run` undisturbed, then with each of its allocations failing, or one of `step`: alone, with the three that
/// follow, and with many, all or every second one, as without memory. `run` returns whether it got its score.
void FailEach(const std::function<bool()>& run, int64_t step = 1) {
  ASSERT_TRUE(run()) << "without a failure; this also fills the caches of a process";
  fail_allocation_at(-1);
  ASSERT_TRUE(run());
  const int64_t count = fail_allocation_at(-1);
  ASSERT_GT(count, 50);
  struct Failures {
    int64_t count, step;
  };
  for (const Failures failures : {Failures{1, 1}, {4, 1}, {40, 1}, {20, 2}}) {
    int failed = 0;
    for (int64_t n = 0; n < count; n += step) {
      SCOPED_TRACE(n);
      fail_allocations(n, failures.count, failures.step);
      const bool scored = run();
      fail_allocation_at(-1);
      failed += !scored;
    }
    EXPECT_GT(failed, count / step / 4) << "most failures have no workaround";
  }
  EXPECT_TRUE(run()) << "after all of them";
}

/// Whether the call went well; a failure must be one of memory.
bool Went(int result) {
  EXPECT_TRUE(result == 0 || result == -ENOMEM) << result;
  return result == 0;
}

bool MakePicture(VmafPicture& picture, unsigned salt) {
  if (!Went(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, kSize, kSize))) return false;
  for (int p = 0; p < 3; ++p)
    for (unsigned y = 0; y < picture.h[p]; ++y)
      for (unsigned x = 0; x < picture.w[p]; ++x)
        static_cast<uint8_t*>(picture.data[p])[y * picture.stride[p] + x] = static_cast<uint8_t>(x * 5 + y * salt);
  return true;
}

/// A pair of pictures, which is released unless it was read.
struct Pair {
  VmafPicture first = {}, second = {};
  ~Pair() {
    if (first.ref) vmaf_picture_unref(&first);
    if (second.ref) vmaf_picture_unref(&second);
  }
  bool Read(VmafContext* context, unsigned index) { return Went(vmaf_read_pictures(context, &first, &second, index)); }
};

bool ReadAll(VmafContext* context) {
  for (unsigned i = 0; i < kFrames; ++i) {
    Pair pair;
    if (!MakePicture(pair.first, 3 + i) || !MakePicture(pair.second, 4 + i) || !pair.Read(context, i)) return false;
  }
  return Went(vmaf_read_pictures(context, nullptr, nullptr, 0));
}

/// Checks that the score is the same in each run.
bool ScoreByC(unsigned threads) {
  static double expected = 0;
  VmafContext* context = nullptr;
  if (!Went(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, threads, 1, 0, 1}))) return false;
  double score = 0;
  bool went = true;
  for (const char* feature : {"psnr", "vif", "motion"})
    went = went && Went(vmaf_use_feature(context, feature, nullptr));
  went = went && ReadAll(context) &&
         Went(vmaf_feature_score_pooled(context, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, kFrames - 1));
  vmaf_close(context);
  if (went && expected == 0) expected = score;
  EXPECT_EQ(score, went ? expected : 0);
  return went;
}

TEST(Allocations, OfTheCApiMayFail) {
  for (const unsigned threads : {0u, 3u}) FailEach([&] { return ScoreByC(threads); });
}

/// A client that retries after it got no picture of its pool.
bool Fetch(VmafContext* context, VmafPicture& picture) {
  if (Went(vmaf_fetch_preallocated_picture(context, &picture))) return true;
  fail_allocation_at(-1);
  EXPECT_EQ(vmaf_fetch_preallocated_picture(context, &picture), 0) << "there is memory again";
  return false;
}

bool ScoreFromPool() {
  VmafContext* context = nullptr;
  if (!Went(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 2, 1, 0, 1}))) return false;
  bool went = Went(vmaf_use_feature(context, "psnr", nullptr)) &&
              Went(vmaf_preallocate_pictures(context, {{kSize, kSize, 8, VMAF_PIX_FMT_YUV420P}, 2}));
  for (unsigned i = 0; went && i < kFrames; ++i) {
    Pair pair;
    const bool got_first = Fetch(context, pair.first), got_second = Fetch(context, pair.second);
    went = got_first && got_second && pair.Read(context, i);
  }
  went = went && Went(vmaf_read_pictures(context, nullptr, nullptr, 0));
  vmaf_close(context);
  return went;
}

TEST(Allocations, OfAPoolOfPicturesMayFail) { FailEach(ScoreFromPool); }

TEST(Allocations, OfALoadedModelMayFail) {
  int64_t n = 0;
  constexpr int64_t kStep = 7;  // a model has thousands
  for (bool failed = true; failed; n += kStep) {
    VmafModel* model = nullptr;
    VmafModelConfig config = {"vmaf", 0};
    fail_allocation_at(n);
    const int result = vmaf_model_load(&model, &config, "vmaf_v0.6.1");
    failed = fail_allocation_at(-1) > n;
    if (result == 0) vmaf_model_destroy(model);
    else ASSERT_EQ(result, -ENOMEM) << n;
  }
  EXPECT_GT(n, 100);
}

acutance::api::SessionOptions OptionsOf(const char* backend, int threads = 1) {
  acutance::api::SessionOptions options;
  options.features = {{"psnr", {}}, {"motion", {}}};
  options.backend = backend;
  options.threads = threads;
  return options;
}

bool ScoreByCpp(const acutance::api::SessionOptions& options, unsigned frames = kFrames) try {
  acutance::Expected<acutance::api::Session> session = acutance::api::Session::Create(options);
  if (!session) return false;
  const acutance::PictureFormat format = {kSize, kSize, 8, acutance::PixelFormat::k420};
  for (unsigned i = 0; i < frames; ++i) {
    acutance::Expected<acutance::api::Picture> picture = acutance::api::Picture::Allocate(format);
    if (!picture) return false;
    for (int p = 0; p < 3; ++p) std::memset(picture->mutable_data(p), 40 + static_cast<int>(i) + p, kSize / 2);
    if (!session->Add(*picture, *picture).ok()) return false;
  }
  return session->Finish().ok();
} catch (const std::bad_alloc&) {
  return false;  // from the caller's own parts of the API: vectors and strings
}

/// A y4m video whose frames differ.
std::string WriteVideo(const std::string& name, unsigned first) {
  const std::string path = ::testing::TempDir() + "allocation_test_" + name;
  std::ofstream file(path, std::ios::binary);
  file << "YUV4MPEG2 W64 H36 F25:1 Ip A1:1 C420jpeg\n";
  for (unsigned k = first; k < first + 8; ++k) {
    file << "FRAME\n";
    for (unsigned i = 0; i < 64 * 36 * 3 / 2; ++i) file << static_cast<char>((i * 7 + i / 64 * k * 3 + k * k) & 0xff);
  }
  return path;
}

/// Aligns and scales, as `acutance score` does.
bool ScoreFiles(const std::string& reference, const std::string& distorted, std::vector<double>& expected) try {
  acutance::api::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  options.session.threads = 2;
  options.session.backend = "cpu";
  options.scale = "32x18";
  const acutance::Expected<acutance::api::Result> result = acutance::api::Score(reference, {distorted}, options);
  if (!result) {
    EXPECT_EQ(result.status().code(), acutance::StatusCode::kOutOfMemory) << result.status().message();
    return false;
  }
  const acutance::Expected<std::vector<double>> scores = result->Scores("psnr_y");
  if (!scores) return false;
  if (expected.empty()) expected = *scores;
  EXPECT_EQ(*scores, expected);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

TEST(Allocations, OfPairingAndScalingFilesMayFail) {
  const std::string reference = WriteVideo("a.y4m", 0), distorted = WriteVideo("b.y4m", 1);
  std::vector<double> expected;
  FailEach([&] { return ScoreFiles(reference, distorted, expected); }, 11);
}

TEST(Allocations, OfTheCppApiMayFail) {
  for (const int threads : {1, 3}) {
    acutance::api::SessionOptions options = OptionsOf("cpu", threads);
    options.features.push_back({"vif", {}});
    FailEach([&] { return ScoreByCpp(options); });
  }
}

/// Runs `run` with fewer and fewer threads. Each run has its score or fails, and so does the next session.
void StartFewer(const std::function<bool()>& run) {
  start_threads(-1);
  ASSERT_TRUE(run());
  const int64_t count = start_threads(-1);
  ASSERT_GT(count, 0);
  for (int64_t most = 0; most < count; ++most) {
    SCOPED_TRACE(most);
    start_threads(most);
    static_cast<void>(run());
    start_threads(-1);
    EXPECT_TRUE(run()) << "after it";
  }
}

TEST(Threads, OfTheCApiMayNotStart) {
  StartFewer([] { return ScoreByC(3); });
}

/// A client that continues reading, after a device's threads did not start: nothing may wait for them.
TEST(Threads, OfADeviceMayNotStart) {
  constexpr unsigned kReads = 60;  // more than are in flight
  ::setenv("ACUTANCE_BACKEND", "emu", 1);
  for (int64_t most = 0; most < 8; ++most) {
    SCOPED_TRACE(most);
    VmafContext* context = nullptr;
    ASSERT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 2, 1, 0, 0}), 0);
    ASSERT_EQ(vmaf_use_feature(context, "psnr", nullptr), 0);
    start_threads(most);
    unsigned index = 0;
    for (unsigned i = 0; i < kReads; ++i) {
      Pair pair;
      ASSERT_TRUE(MakePicture(pair.first, 3) && MakePicture(pair.second, 4));
      if (pair.Read(context, index)) ++index;
    }
    EXPECT_TRUE(index == 0 || index == kReads) << index;
    vmaf_close(context);
  }
  start_threads(-1);
  ::unsetenv("ACUTANCE_BACKEND");
}

TEST(Threads, OfTheCppApiMayNotStart) {
  for (const char* backend : {"cpu", "emu"}) StartFewer([&] { return ScoreByCpp(OptionsOf(backend, 3)); });
}

TEST(Threads, OfPairingAndScalingFilesMayNotStart) {
  const std::string reference = WriteVideo("a.y4m", 0), distorted = WriteVideo("b.y4m", 1);
  std::vector<double> expected;
  StartFewer([&] { return ScoreFiles(reference, distorted, expected); });
}

/// In the threads that feed a device, whose batches, of a frame each, wait for each other's pictures.
TEST(Allocations, OfADevicesThreadsMayFail) {
  acutance::api::SessionOptions options = OptionsOf("emu");
  options.max_memory = 30'000;  // a few frames
  FailEach([&] { return ScoreByCpp(options, 8); }, 41);
}

}  // namespace
