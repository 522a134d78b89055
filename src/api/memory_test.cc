// Long runs and many sessions hold no more memory than short runs and few sessions, through either API.
#include <acutance/acutance.h>
#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace {

constexpr unsigned kWidth = 64, kHeight = 48, kThreads = 2;
constexpr int kFrames = 10'000, kSessions = 200;

/// The growth that is allowed in a warm run. A leaked picture for each frame would be 45 MB; the
/// scores, which are retained, are 2 to 6 MB.
constexpr long kFramesKb = 12'000;
/// The growth that is allowed over many sessions. A leaked model for each would be 4 MB.
constexpr long kSessionsKb = 1'500;

long ResidentKb() {
  std::ifstream status("/proc/self/statm");
  long pages = 0, resident = 0;
  status >> pages >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// The growth of memory over the last nine tenths of `count` calls.
template <class Step>
long GrowthKb(int count, Step&& step) {
  for (int i = 0; i < count / 10; ++i) step(i);
  const long warm = ResidentKb();
  for (int i = count / 10; i < count; ++i) step(i);
  return ResidentKb() - warm;
}

class LibvmafSession {
 public:
  LibvmafSession() {
    VmafModelConfig config{"vmaf", 0};
    VmafFeatureDictionary* options = nullptr;
    EXPECT_EQ(vmaf_init(&context_, {VMAF_LOG_LEVEL_ERROR, kThreads, 1, 0, 0}), 0);
    EXPECT_EQ(vmaf_model_load(&model_, &config, "vmaf_v0.6.1"), 0);
    EXPECT_EQ(vmaf_use_features_from_model(context_, model_), 0);
    EXPECT_EQ(vmaf_feature_dictionary_set(&options, "enable_chroma", "false"), 0);
    EXPECT_EQ(vmaf_use_feature(context_, "psnr", options), 0);
    EXPECT_EQ(vmaf_preallocate_pictures(context_, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 2 * kThreads + 4}), 0);
  }
  ~LibvmafSession() {
    vmaf_model_destroy(model_);
    EXPECT_EQ(vmaf_close(context_), 0);
  }
  LibvmafSession(const LibvmafSession&) = delete;

  /// Takes pictures from the session's pool and allocates them, in turns.
  void Add(int frame) {
    VmafPicture pair[2];
    for (VmafPicture& picture : pair) {
      if (frame % 2 == 0) ASSERT_EQ(vmaf_fetch_preallocated_picture(context_, &picture), 0);
      else ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, kWidth, kHeight), 0);
    }
    static_cast<uint8_t*>(pair[1].data[0])[frame % kWidth] = 200;
    ASSERT_EQ(vmaf_read_pictures(context_, &pair[0], &pair[1], frame), 0);
  }
  void Finish(int frames) {
    double score = 0;
    ASSERT_EQ(vmaf_read_pictures(context_, nullptr, nullptr, 0), 0);
    ASSERT_EQ(vmaf_score_pooled(context_, model_, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1), 0);
  }

 private:
  VmafContext* context_ = nullptr;
  VmafModel* model_ = nullptr;
};

class AcutanceSession {
 public:
  AcutanceSession() : session_(*acutance::Session::Create(Options())) {}

  void Add(int frame) {
    acutance::Picture distorted = *acutance::Picture::Allocate(kFormat);
    static_cast<uint8_t*>(distorted.mutable_data(0))[frame % kWidth] = 200;
    ASSERT_TRUE(session_.Add(*acutance::Picture::Allocate(kFormat), distorted).ok());
  }
  void Finish(int frames) {
    const auto result = session_.Finish();
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_EQ(result->frames(), frames);
  }

 private:
  static constexpr acutance::PictureFormat kFormat{kWidth, kHeight};
  static acutance::SessionOptions Options() {
    acutance::SessionOptions options;
    options.models = {*acutance::Model::Load("vmaf_v0.6.1")};
    options.features = {{"psnr", {}}};
    options.threads = kThreads;
    return options;
  }
  acutance::Session session_;
};

template <class Session>
class Memory : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers retain freed memory";
#endif
  }
};
using Sessions = testing::Types<LibvmafSession, AcutanceSession>;
TYPED_TEST_SUITE(Memory, Sessions);

TYPED_TEST(Memory, StaysFlatOverFrames) {
  TypeParam session;
  EXPECT_LT(GrowthKb(kFrames, [&](int frame) { session.Add(frame); }), kFramesKb);
  session.Finish(kFrames);
}

TYPED_TEST(Memory, StaysFlatOverSessions) {
  const auto run = [](int) {
    TypeParam session;
    for (int frame = 0; frame < 3; ++frame) session.Add(frame);
    session.Finish(3);
  };
  EXPECT_LT(GrowthKb(kSessions, run), kSessionsKb);
}

}  // namespace
