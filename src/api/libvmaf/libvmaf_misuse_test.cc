// libvmaf's C API: its ownership rules, and what careless clients do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "api/libvmaf/libvmaf_test_util.h"
#include "base/temp_dir.h"

namespace acutance::libvmaf {
namespace {

using testing::HasSubstr;

TEST(Libvmaf, ModelsMayBeDestroyedBeforeTheContext) {
  Vmaf vmaf(2);
  {
    LoadedModel loaded;
    ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
    ASSERT_EQ(vmaf.Read(0), 0);
  }
  ASSERT_EQ(vmaf.Read(1), 0);
  EXPECT_EQ(vmaf.Flush(), 0);
}

TEST(Libvmaf, OneNameForTwoModelsIsRefused) {
  Vmaf vmaf;
  LoadedModel first("vmaf_v0.6.1"), second("vmaf_v0.6.1neg"), third("vmaf_v0.6.1neg", 0, "neg");
  EXPECT_EQ(vmaf_use_features_from_model(vmaf, first.model), 0);
  EXPECT_EQ(vmaf_use_features_from_model(vmaf, first.model), 0);
  EXPECT_EQ(vmaf_use_features_from_model(vmaf, second.model), -EINVAL);
  EXPECT_EQ(vmaf_use_features_from_model(vmaf, third.model), 0);
}

TEST(Libvmaf, OwnershipOfDictionaries) {
  Vmaf vmaf;
  VmafFeatureDictionary* options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "enable_mse", "maybe"), 0);
  EXPECT_EQ(vmaf_use_feature(vmaf, "psnr", options), -EINVAL);   // a bad value
  EXPECT_EQ(vmaf_use_feature(vmaf, "psnrr", options), -EINVAL);  // no such feature
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "enable_mse", "true"), 0);
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "no_such_option", "1"), 0);  // libvmaf ignores it
  EXPECT_EQ(vmaf_use_feature(vmaf, "psnr", options), 0);
  VmafFeatureDictionary* none = nullptr;
  EXPECT_EQ(vmaf_feature_dictionary_free(&none), 0);
  EXPECT_EQ(vmaf_feature_dictionary_free(nullptr), -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_set(nullptr, "a", "b"), -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_set(&none, nullptr, "b"), -EINVAL);
  EXPECT_EQ(vmaf_feature_dictionary_set(&none, "a", nullptr), -EINVAL);
  EXPECT_EQ(none, nullptr);
}

TEST(Libvmaf, PicturesHaveLibvmafsLayout) {
  VmafPicture picture;
  ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 10, 33, 17), 0);
  EXPECT_EQ(picture.stride[0], 128);
  EXPECT_EQ(picture.stride[1], 64);
  EXPECT_EQ(picture.w[1], 16u);
  EXPECT_EQ(picture.h[2], 8u);
  const auto* first = static_cast<const uint8_t*>(picture.data[0]);
  EXPECT_EQ(picture.data[1], first + 17 * 128);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 32, 0u);
  EXPECT_TRUE(std::all_of(first, first + 17 * 128 + 2 * 8 * 64, [](uint8_t byte) { return byte == 0; }));
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);
  EXPECT_EQ(vmaf_picture_unref(&picture), -EINVAL);
  ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV400P, 8, 64, 16), 0);
  EXPECT_EQ(picture.data[1], nullptr);
  EXPECT_EQ(picture.w[1], 0u);
  EXPECT_EQ(picture.stride[0], 64);
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);
  for (unsigned bpc : {0u, 7u, 17u, 4000000000u})
    EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, bpc, 64, 64), -EINVAL);
  for (unsigned side : {0u, 32769u, 4294967295u}) {
    EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, side, 64), -EINVAL);
    EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 64, side), -EINVAL);
  }
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_UNKNOWN, 8, 64, 64), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(&picture, static_cast<VmafPixelFormat>(5), 8, 64, 64), -EINVAL);
  EXPECT_EQ(vmaf_picture_alloc(nullptr, VMAF_PIX_FMT_YUV420P, 8, 64, 64), -EINVAL);
  EXPECT_EQ(vmaf_picture_unref(nullptr), -EINVAL);
}

TEST(Libvmaf, MismatchedPicturesStayTheCallers) {
  Vmaf vmaf(1);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  ASSERT_EQ(vmaf.Read(0), 0);
  EXPECT_EQ(vmaf.Read(1, kWidth + 2), -EINVAL);
  for (unsigned bpc : {8u, 10u}) {
    VmafPicture reference = MakePicture(1, 0, kWidth, bpc);
    VmafPicture distorted = MakePicture(1, 0, kWidth, 18 - bpc);
    EXPECT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, 1), -EINVAL);
    EXPECT_EQ(vmaf_read_pictures(vmaf, &reference, nullptr, 1), -EINVAL);
    EXPECT_EQ(vmaf_picture_unref(&reference), 0);
    EXPECT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, 1), -EINVAL);  // given back already
    EXPECT_EQ(vmaf_picture_unref(&distorted), 0);
  }
  ASSERT_EQ(vmaf.Read(1), 0);
  ASSERT_EQ(vmaf.Flush(), 0);
  double mean = 0;
  EXPECT_EQ(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &mean, 0, 1), 0);
}

TEST(Libvmaf, MisuseIsAnErrorCode) {
  EXPECT_EQ(vmaf_init(nullptr, {}), -EINVAL);
  EXPECT_EQ(vmaf_close(nullptr), -EINVAL);
  Vmaf vmaf;
  LoadedModel loaded;
  double score = 0;
  VmafModelCollectionScore collection_score{};
  EXPECT_EQ(vmaf_use_features_from_model(vmaf, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_features_from_model(nullptr, loaded.model), -EINVAL);
  EXPECT_EQ(vmaf_use_features_from_model_collection(vmaf, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(vmaf, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  EXPECT_EQ(vmaf_import_feature_score(vmaf, nullptr, 0, 0), -EINVAL);
  for (unsigned index : {1u << 24, 2000000000u, ~0u})  // tables up to here would take gigabytes
    EXPECT_EQ(vmaf_import_feature_score(vmaf, "far", 0, index), -EINVAL);
  EXPECT_EQ(vmaf.Flush(), -EINVAL);  // no picture yet
  EXPECT_EQ(vmaf.Read(1), -EINVAL);  // out of order
  EXPECT_EQ(vmaf.Read(0), 0);
  EXPECT_EQ(vmaf.Read(0), -EINVAL);
  EXPECT_EQ(vmaf.Read(2), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(vmaf, "vif", nullptr), -EINVAL);  // too late
  EXPECT_EQ(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 1), -EINVAL);
  EXPECT_EQ(vmaf_feature_score_at_index(vmaf, "psnr_y", nullptr, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_at_index(vmaf, nullptr, &score, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_at_index_model_collection(vmaf, nullptr, &collection_score, 0), -EINVAL);
  EXPECT_EQ(vmaf.Flush(), 0);
  EXPECT_EQ(vmaf.Flush(), -EINVAL);
  EXPECT_EQ(vmaf.Read(1), -EINVAL);
  EXPECT_EQ(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MIN, &score, 0, 1), -EINVAL);
  EXPECT_EQ(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MIN, &score, 1, 0), -EINVAL);
  EXPECT_EQ(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MIN, &score, 0, 4294967295u), -EINVAL);
  for (int method : {0, 5, -1})
    EXPECT_EQ(vmaf_feature_score_pooled(vmaf, "psnr_y", static_cast<VmafPoolingMethod>(method), &score, 0, 0), -EINVAL);
  EXPECT_EQ(vmaf_score_pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MEAN, &score, 0, 0), -EINVAL);  // no features
  EXPECT_EQ(vmaf_score_pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MEAN, nullptr, 0, 0), -EINVAL);
  EXPECT_EQ(vmaf_write_output(vmaf, nullptr, VMAF_OUTPUT_FORMAT_XML), -EINVAL);
  EXPECT_EQ(vmaf_write_output(vmaf, "no/such/folder/x.xml", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
  const test::TempDir folder;
  const std::string path = folder / "none.xml";
  EXPECT_EQ(vmaf_write_output(vmaf, path.c_str(), VMAF_OUTPUT_FORMAT_NONE), -EINVAL);
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST(Libvmaf, ModelLoadingChecksItsArguments) {
  VmafModelConfig config{nullptr, 0};
  VmafModel* model = nullptr;
  EXPECT_EQ(vmaf_model_load(&model, &config, "vmaf_v9"), -EINVAL);
  EXPECT_EQ(vmaf_model_load(&model, nullptr, "vmaf_v0.6.1"), -EINVAL);
  EXPECT_EQ(vmaf_model_load(nullptr, &config, "vmaf_v0.6.1"), -EINVAL);
  EXPECT_EQ(vmaf_model_load(&model, &config, nullptr), -EINVAL);
  EXPECT_EQ(vmaf_model_load_from_path(&model, &config, "no/such.json"), -EINVAL);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(vmaf_model_feature_overload(nullptr, "adm", nullptr), -EINVAL);
  vmaf_model_destroy(nullptr);
  vmaf_model_collection_destroy(nullptr);
  config.flags = ~uint64_t{0};  // pyvmaf passes a log level here
  ASSERT_EQ(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
  EXPECT_STREQ(reinterpret_cast<char**>(model)[1], "vmaf");
  vmaf_model_destroy(model);
}

TEST(Libvmaf, AClosedContextIsAnError) {
  VmafContext* context = nullptr;
  ASSERT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 0, 0, 0, 0}), 0);
  EXPECT_EQ(vmaf_close(context), 0);
  EXPECT_EQ(vmaf_close(context), -EINVAL);
  EXPECT_EQ(vmaf_use_feature(context, "psnr", nullptr), -EINVAL);
  EXPECT_EQ(vmaf_read_pictures(context, nullptr, nullptr, 0), -EINVAL);
}

TEST(Libvmaf, MessagesGoToStandardErrorAsTheLevelAllows) {
  const auto flush_twice = [](VmafLogLevel level) {
    VmafContext* context = nullptr;
    vmaf_init(&context, {level, 0, 0, 0, 0});
    vmaf_read_pictures(context, nullptr, nullptr, 0);
    testing::internal::CaptureStderr();
    vmaf_read_pictures(context, nullptr, nullptr, 0);
    VmafModelConfig config{nullptr, 0};
    VmafModel* model = nullptr;
    vmaf_model_load(&model, &config, "vmaf_v9");
    vmaf_close(context);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(flush_twice(VMAF_LOG_LEVEL_NONE), "");
  EXPECT_EQ(flush_twice(VMAF_LOG_LEVEL_ERROR), "libvmaf ERROR vmaf_read_pictures: a context is flushed once\n");
  EXPECT_THAT(flush_twice(VMAF_LOG_LEVEL_WARNING), HasSubstr("libvmaf WARNING no such built-in model: \"vmaf_v9\""));
}

TEST(Libvmaf, PooledPicturesComeBack) {
  Vmaf vmaf(2);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  VmafPicture picture;
  EXPECT_EQ(vmaf_fetch_preallocated_picture(vmaf, &picture), -EINVAL);
  EXPECT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 0}), -EINVAL);
  EXPECT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 7, VMAF_PIX_FMT_YUV420P}, 4}), -EINVAL);
  ASSERT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 4}), 0);
  EXPECT_EQ(vmaf_fetch_preallocated_picture(vmaf, nullptr), -EINVAL);
  std::vector<const void*> seen;
  for (unsigned i = 0; i < 50; ++i) {
    VmafPicture pair[2];
    for (VmafPicture& fetched : pair) {
      ASSERT_EQ(vmaf_fetch_preallocated_picture(vmaf, &fetched), 0);
      if (std::ranges::find(seen, fetched.data[0]) == seen.end()) seen.push_back(fetched.data[0]);
    }
    static_cast<uint8_t*>(pair[1].data[0])[i] ^= 1;
    if (i % 5 == 4) {
      for (VmafPicture& fetched : pair) EXPECT_EQ(vmaf_picture_unref(&fetched), 0);
    } else {
      ASSERT_EQ(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i - i / 5), 0);
    }
  }
  EXPECT_LE(seen.size(), 4u + 2 * 3);  // three pairs are in flight
  ASSERT_EQ(vmaf_fetch_preallocated_picture(vmaf, &picture), 0);
  ASSERT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 1}), 0);
  EXPECT_EQ(vmaf.Flush(), 0);
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);  // a picture of the pool that was replaced
}

/// Motion holds the last reference, and a device waits for a whole batch.
TEST(Libvmaf, AnySizeOfPoolIsEnough) {
  for (const char* backend : {"cpu", "emu"})
    for (unsigned threads : {0u, 3u}) {
      setenv("ACUTANCE_BACKEND", backend, 1);
      Vmaf vmaf(threads);
      unsetenv("ACUTANCE_BACKEND");
      ASSERT_EQ(vmaf_use_feature(vmaf, "motion", nullptr), 0);
      ASSERT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 2}), 0);
      for (unsigned i = 0; i < 40; ++i) {
        VmafPicture reference, distorted;
        ASSERT_EQ(vmaf_fetch_preallocated_picture(vmaf, &reference), 0);
        ASSERT_EQ(vmaf_fetch_preallocated_picture(vmaf, &distorted), 0);
        ASSERT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, i), 0);
      }
      EXPECT_EQ(vmaf.Flush(), 0);
    }
}

TEST(Libvmaf, APoolThatMemoryCannotHoldIsAnError) {
  Vmaf vmaf;
  VmafPicture picture;
  constexpr unsigned kMost = 0xffffffff;
  EXPECT_EQ(vmaf_preallocate_pictures(vmaf, {{1920, 1080, 8, VMAF_PIX_FMT_YUV420P}, kMost}), -ENOMEM);
  EXPECT_EQ(vmaf_fetch_preallocated_picture(vmaf, &picture), -EINVAL);
}

TEST(Libvmaf, ClosingDoesNotWaitForPooledPictures) {
  VmafPicture picture;
  {
    Vmaf vmaf;
    ASSERT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 1}), 0);
    ASSERT_EQ(vmaf_fetch_preallocated_picture(vmaf, &picture), 0);
  }
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);
}

TEST(Libvmaf, TwoThreadsInOneContextAreSafe) {
  Vmaf vmaf(2);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  std::atomic<unsigned> taken = 0;
  const auto feed = [&] {
    while (taken < 40) taken += vmaf.Read(taken) == 0;  // refused where the other thread was quicker
  };
  testing::internal::CaptureStderr();
  std::thread other(feed);
  feed();
  other.join();
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(vmaf.Flush(), 0);
  double mean = 0;
  EXPECT_EQ(vmaf_feature_score_pooled(vmaf, "psnr_y", VMAF_POOL_METHOD_MEAN, &mean, 0, taken - 1), 0);
}

TEST(Libvmaf, ClosingWhileFlushingIsSafe) {
  for (int round = 0; round < 10; ++round) {
    VmafContext* context = nullptr;
    ASSERT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 2, 0, 0, 0}), 0);
    ASSERT_EQ(vmaf_use_feature(context, "vif", nullptr), 0);
    for (unsigned i = 0; i < 3; ++i) {
      VmafPicture reference = MakePicture(i, 0), distorted = MakePicture(i, 9);
      ASSERT_EQ(vmaf_read_pictures(context, &reference, &distorted, i), 0);
    }
    int flushed = 1;
    std::thread flush([&] { flushed = vmaf_read_pictures(context, nullptr, nullptr, 0); });
    EXPECT_EQ(vmaf_close(context), 0);
    flush.join();
    EXPECT_TRUE(flushed == 0 || flushed == -EINVAL);
  }
}

TEST(Libvmaf, TooSmallPicturesAreAnErrorThatLasts) {
  Vmaf vmaf;
  ASSERT_EQ(vmaf_use_feature(vmaf, "adm", nullptr), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(vmaf.Read(0, 16), -EINVAL);
  EXPECT_EQ(vmaf.Read(0, 16), -EINVAL);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("16x80"));
  EXPECT_EQ(vmaf.Flush(), -EINVAL);
}

}  // namespace
}  // namespace acutance::libvmaf
