// libvmaf's C API: NULL, stale and falsified arguments are errors that name the argument.
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>
#include <libvmaf/metadata_handler.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "api/libvmaf/libvmaf_test_util.h"

namespace acutance::libvmaf {
namespace {

using testing::HasSubstr;

/// Expects that the call returns -EINVAL and that its message has the text.
void ExpectRefused(const std::string& words, const std::function<int()>& call) {
  testing::internal::CaptureStderr();
  const int result = call();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(words));
  EXPECT_EQ(result, -EINVAL) << words;
}

TEST(LibvmafHandles, EveryPointerMayBeNull) {
  Vmaf vmaf;
  LoadedModel loaded;
  VmafModel* const model = loaded.model;
  VmafModelConfig config{"vmaf", 0};
  VmafModel* made = nullptr;
  VmafModelCollection* collection = nullptr;
  VmafFeatureDictionary* options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "adm_enhn_gain_limit", "1"), 0);
  VmafPicture picture = MakePicture(0, 0);
  VmafModelCollectionScore four{};
  double score = 0;
  char name[] = "psnr_y";
  const auto mean = VMAF_POOL_METHOD_MEAN;
  const auto callback = [](void*, VmafMetadata*) {};

  ExpectRefused("vmaf is NULL", [] { return vmaf_init(nullptr, {VMAF_LOG_LEVEL_ERROR, 0, 0, 0, 0}); });
  ExpectRefused("vmaf is NULL", [] { return vmaf_close(nullptr); });
  ExpectRefused("vmaf is NULL", [&] { return vmaf_use_features_from_model(nullptr, model); });
  ExpectRefused("model is NULL", [&] { return vmaf_use_features_from_model(vmaf, nullptr); });
  ExpectRefused("model_collection is NULL", [&] { return vmaf_use_features_from_model_collection(vmaf, nullptr); });
  ExpectRefused("vmaf is NULL", [&] { return vmaf_use_feature(nullptr, "psnr", options); });
  ExpectRefused("feature_name is NULL", [&] { return vmaf_use_feature(vmaf, nullptr, options); });
  ExpectRefused("vmaf is NULL", [] { return vmaf_import_feature_score(nullptr, "a", 0, 0); });
  ExpectRefused("feature_name is NULL", [&] { return vmaf_import_feature_score(vmaf, nullptr, 0, 0); });
  ExpectRefused("feature_name is NULL", [&] { return vmaf_register_metadata_handler(vmaf, {nullptr, callback, {}}); });
  ExpectRefused("callback is NULL", [&] { return vmaf_register_metadata_handler(vmaf, {name, nullptr, {}}); });
  ExpectRefused("vmaf is NULL", [&] { return vmaf_preallocate_pictures(nullptr, {}); });
  ExpectRefused("pic is NULL", [&] { return vmaf_fetch_preallocated_picture(vmaf, nullptr); });
  ExpectRefused("vmaf is NULL", [&] { return vmaf_fetch_preallocated_picture(nullptr, &picture); });
  ExpectRefused("vmaf is NULL", [&] { return vmaf_read_pictures(nullptr, &picture, &picture, 0); });
  ExpectRefused("dist is NULL", [&] { return vmaf_read_pictures(vmaf, &picture, nullptr, 0); });
  ExpectRefused("ref is NULL", [&] { return vmaf_read_pictures(vmaf, nullptr, &picture, 0); });
  ExpectRefused("model is NULL", [&] { return vmaf_score_at_index(vmaf, nullptr, &score, 0); });
  ExpectRefused("score is NULL", [&] { return vmaf_score_at_index(vmaf, model, nullptr, 0); });
  ExpectRefused("model_collection is NULL",
                [&] { return vmaf_score_at_index_model_collection(vmaf, nullptr, &four, 0); });
  ExpectRefused("feature_name is NULL", [&] { return vmaf_feature_score_at_index(vmaf, nullptr, &score, 0); });
  ExpectRefused("score is NULL", [&] { return vmaf_feature_score_at_index(vmaf, "psnr_y", nullptr, 0); });
  ExpectRefused("model is NULL", [&] { return vmaf_score_pooled(vmaf, nullptr, mean, &score, 0, 0); });
  ExpectRefused("score is NULL", [&] { return vmaf_score_pooled(vmaf, model, mean, nullptr, 0, 0); });
  ExpectRefused("model_collection is NULL",
                [&] { return vmaf_score_pooled_model_collection(vmaf, nullptr, mean, &four, 0, 0); });
  ExpectRefused("feature_name is NULL", [&] { return vmaf_feature_score_pooled(vmaf, nullptr, mean, &score, 0, 0); });
  ExpectRefused("score is NULL", [&] { return vmaf_feature_score_pooled(vmaf, "psnr_y", mean, nullptr, 0, 0); });
  ExpectRefused("output_path is NULL", [&] { return vmaf_write_output(vmaf, nullptr, VMAF_OUTPUT_FORMAT_XML); });
  ExpectRefused("model is NULL", [&] { return vmaf_model_load(nullptr, &config, "vmaf_v0.6.1"); });
  ExpectRefused("cfg is NULL", [&] { return vmaf_model_load(&made, nullptr, "vmaf_v0.6.1"); });
  ExpectRefused("is NULL", [&] { return vmaf_model_load(&made, &config, nullptr); });
  ExpectRefused("is NULL", [&] { return vmaf_model_load_from_path(&made, &config, nullptr); });
  ExpectRefused("model is NULL", [&] { return vmaf_model_collection_load(nullptr, &collection, &config, "a"); });
  ExpectRefused("model_collection is NULL", [&] { return vmaf_model_collection_load(&made, nullptr, &config, "a"); });
  ExpectRefused("is NULL", [&] { return vmaf_model_collection_load_from_path(&made, &collection, &config, nullptr); });
  ExpectRefused("model is NULL", [&] { return vmaf_model_feature_overload(nullptr, "adm", options); });
  ExpectRefused("feature_name is NULL", [&] { return vmaf_model_feature_overload(model, nullptr, options); });
  ExpectRefused("opts_dict is NULL", [&] { return vmaf_model_feature_overload(model, "adm", nullptr); });
  ExpectRefused("model_collection is NULL",
                [&] { return vmaf_model_collection_feature_overload(model, &collection, "adm", options); });
  ExpectRefused("dict is NULL", [] { return vmaf_feature_dictionary_set(nullptr, "a", "b"); });
  ExpectRefused("key is NULL", [&] { return vmaf_feature_dictionary_set(&options, nullptr, "b"); });
  ExpectRefused("val is NULL", [&] { return vmaf_feature_dictionary_set(&options, "a", nullptr); });
  ExpectRefused("dict is NULL", [] { return vmaf_feature_dictionary_free(nullptr); });
  ExpectRefused("pic is NULL", [] { return vmaf_picture_alloc(nullptr, VMAF_PIX_FMT_YUV420P, 8, 64, 64); });
  ExpectRefused("pic is NULL", [] { return vmaf_picture_unref(nullptr); });

  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);  // each refusal left the picture with the caller
  EXPECT_EQ(vmaf_model_feature_overload(model, "adm", options), 0);
}

TEST(LibvmafHandles, PicturesAreGivenBackOnce) {
  Vmaf vmaf;
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  VmafPicture reference = MakePicture(0, 0), distorted = MakePicture(0, 9);
  VmafPicture copy = reference, unread = MakePicture(1, 9), twin = unread;
  ASSERT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, 0), 0);
  ExpectRefused("pic is not valid", [&] { return vmaf_picture_unref(&copy); });
  copy = twin;
  ExpectRefused("ref and dist are one picture", [&] { return vmaf_read_pictures(vmaf, &unread, &twin, 1); });
  ExpectRefused("ref and dist are one picture", [&] { return vmaf_read_pictures(vmaf, &unread, &unread, 1); });
  EXPECT_EQ(vmaf_picture_unref(&unread), 0);
  ExpectRefused("pic is NULL", [&] { return vmaf_picture_unref(&unread); });
  VmafPicture next = MakePicture(1, 0);  // must not take the place of the one given back
  ExpectRefused("dist is not valid", [&] { return vmaf_read_pictures(vmaf, &next, &twin, 1); });
  ExpectRefused("pic is not valid", [&] { return vmaf_picture_unref(&copy); });
  EXPECT_EQ(vmaf_picture_unref(&next), 0);
  VmafPicture never;
  std::memset(&never, 0x5a, sizeof never);
  ExpectRefused("pic is not valid", [&] { return vmaf_picture_unref(&never); });
}

TEST(LibvmafHandles, FieldsOfPicturesAreChecked) {
  Vmaf vmaf;
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  VmafPicture reference = MakePicture(0, 0), distorted = MakePicture(0, 9);
  const auto refuse = [&](const std::string& words, const std::function<void(VmafPicture&)>& falsify) {
    VmafPicture changed[] = {reference, distorted};
    for (VmafPicture& picture : changed) falsify(picture);
    ExpectRefused(words, [&] { return vmaf_read_pictures(vmaf, &changed[0], &changed[1], 0); });
  };
  refuse("ref: stride[0] is 96, but a row has 97 bytes", [](VmafPicture& p) { p.w[0] = 97; });
  refuse("ref: plane 0 of 96x800 samples does not lie in", [](VmafPicture& p) { p.h[0] = 800; });
  refuse("ref: plane 2 of 48x80 samples does not lie in", [](VmafPicture& p) { p.pix_fmt = VMAF_PIX_FMT_YUV422P; });
  refuse("ref: stride[0] is 96, but a row has 192 bytes", [](VmafPicture& p) { p.bpc = 10; });
  refuse("bpc 17", [](VmafPicture& p) { p.bpc = 17; });
  refuse("pixel format 9", [](VmafPicture& p) { p.pix_fmt = static_cast<VmafPixelFormat>(9); });
  refuse("ref: data[1] is NULL", [](VmafPicture& p) { p.data[1] = nullptr; });
  refuse("ref: stride[1] is -64", [](VmafPicture& p) { p.stride[1] = -64; });
  ASSERT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, 0), 0);
}

TEST(LibvmafHandles, SamplesMayLieInMemoryOfTheClient) {
  Vmaf plain, own;
  std::vector<uint8_t> samples;
  for (VmafContext* vmaf : {static_cast<VmafContext*>(plain), static_cast<VmafContext*>(own)}) {
    ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
    VmafPicture reference = MakePicture(0, 0), distorted = MakePicture(0, 9);
    if (vmaf == own) {
      const auto* luma = static_cast<const uint8_t*>(distorted.data[0]);
      samples.assign(luma, luma + kHeight * distorted.stride[0]);
      distorted.data[0] = samples.data();
    }
    ASSERT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, 0), 0);
  }
  for (const char* name : {"psnr_y", "psnr_cb", "psnr_cr"}) EXPECT_EQ(own.Feature(name, 0), plain.Feature(name, 0));
}

TEST(LibvmafHandles, WhatWasGivenAwayIsAnError) {
  Vmaf vmaf;
  VmafModelConfig config{"vmaf", 0};
  VmafModel* model = nullptr;
  ASSERT_EQ(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, model), 0);
  ASSERT_EQ(vmaf.Read(0), 0);
  vmaf_model_destroy(model);
  double score = 0;
  ExpectRefused("model is not valid", [&] { return vmaf_score_at_index(vmaf, model, &score, 0); });
  ExpectRefused("model is not valid", [&] { return vmaf_use_features_from_model(vmaf, model); });
  testing::internal::CaptureStderr();
  vmaf_model_destroy(model);
  vmaf_model_collection_destroy(reinterpret_cast<VmafModelCollection*>(model));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(HasSubstr("vmaf_model_destroy: model is not valid"),
                             HasSubstr("vmaf_model_collection_destroy: model_collection is not valid")));

  Vmaf other;
  VmafFeatureDictionary* options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "enable_chroma", "false"), 0);
  ASSERT_EQ(vmaf_use_feature(other, "psnr", options), 0);
  ExpectRefused("opts_dict is not valid", [&] { return vmaf_use_feature(other, "psnr", options); });
  ExpectRefused("dict is not valid", [&] { return vmaf_feature_dictionary_set(&options, "a", "b"); });
  ExpectRefused("dict is not valid", [&] { return vmaf_feature_dictionary_free(&options); });
}

/// The child has none of the threads, and perhaps locks that no thread will open.
TEST(LibvmafHandles, AForkedChildIsToldAndDoesNotHang) {
  Vmaf vmaf(3);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  ASSERT_EQ(vmaf.Read(0), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    double score = 0;
    const bool is_refused = vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 0) == -EINVAL &&
                            vmaf_read_pictures(vmaf, nullptr, nullptr, 0) == -EINVAL;
    ::_exit(is_refused && vmaf_close(vmaf) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(vmaf.Flush(), 0);
}

TEST(LibvmafHandles, ClosingWakesWhoWaitsForAPicture) {
  VmafContext* vmaf = nullptr;
  ASSERT_EQ(vmaf_init(&vmaf, {VMAF_LOG_LEVEL_NONE, 0, 0, 0, 0}), 0);
  ASSERT_EQ(vmaf_preallocate_pictures(vmaf, {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 1}), 0);
  VmafPicture held, waited_for;
  ASSERT_EQ(vmaf_fetch_preallocated_picture(vmaf, &held), 0);
  auto waiting = std::async(std::launch::async, [&] { return vmaf_fetch_preallocated_picture(vmaf, &waited_for); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_EQ(vmaf_close(vmaf), 0);
  EXPECT_EQ(waiting.get(), -EINVAL);
  EXPECT_EQ(vmaf_picture_unref(&held), 0);
}

}  // namespace
}  // namespace acutance::libvmaf
