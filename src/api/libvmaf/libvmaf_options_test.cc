// Options of models and features as clients of libvmaf's C API give them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "api/libvmaf/libvmaf_test_util.h"

namespace acutance::libvmaf {
namespace {

using testing::HasSubstr;

int Overload(VmafModel* model, const char* feature, const char* option, const char* value) {
  VmafFeatureDictionary* options = nullptr;
  EXPECT_EQ(vmaf_feature_dictionary_set(&options, option, value), 0);
  return vmaf_model_feature_overload(model, feature, options);
}

struct Scored {
  int status = 0;  // of vmaf_use_features_from_model
  double score = 0;
  std::string said;
};

/// The mean of vmaf_v0.6.1 over three frames, with one option.
Scored ScoreWith(const char* feature, const char* option, const char* value) {
  testing::internal::CaptureStderr();
  Scored run;
  {
    Vmaf vmaf(0, 1, 0, VMAF_LOG_LEVEL_WARNING);
    LoadedModel loaded;
    EXPECT_EQ(Overload(loaded.model, feature, option, value), 0);
    run.status = vmaf_use_features_from_model(vmaf, loaded.model);
    if (run.status == 0) {
      vmaf.ReadAll(3);
      EXPECT_EQ(vmaf_score_pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MEAN, &run.score, 0, 2), 0);
    }
  }
  run.said = testing::internal::GetCapturedStderr();
  return run;
}

TEST(LibvmafOptions, OfFeaturesThatTheModelLacksChangeNothing) {
  const Scored plain = ScoreWith("vif", "vif_enhn_gain_limit", "100");
  for (const auto& [feature, option] :
       {std::pair{"cambi", "enc_width"}, {"float_adm", "adm_enhn_gain_limit"}, {"nosuch", "x"}}) {
    const Scored run = ScoreWith(feature, option, "576");
    EXPECT_EQ(run.status, 0) << feature;
    EXPECT_EQ(run.score, plain.score) << feature;
  }
}

TEST(LibvmafOptions, UnknownOnesOfAFeatureInUseAreAWarning) {
  const Scored plain = ScoreWith("vif", "vif_enhn_gain_limit", "100"),
               run = ScoreWith("vif", "vif_enhn_gain_limt", "1");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.score, plain.score);
  EXPECT_THAT(run.said, HasSubstr("did you mean 'vif_enhn_gain_limit'"));
  EXPECT_LT(ScoreWith("vif", "vif_enhn_gain_limit", "1").score, plain.score);
}

TEST(LibvmafOptions, ValuesOutOfTheirRangeAreRefused) {
  const Scored run = ScoreWith("adm", "adm_enhn_gain_limit", "0.9");
  EXPECT_EQ(run.status, -EINVAL);
  EXPECT_THAT(run.said, HasSubstr("0.9"));
}

TEST(LibvmafOptions, ScoresThatAreNotNumbersAreAWarningAtTheFlush) {
  testing::internal::CaptureStderr();
  {
    Vmaf vmaf(0, 1, 0, VMAF_LOG_LEVEL_WARNING);
    ASSERT_EQ(vmaf_use_feature(vmaf, "psnr_hvs", nullptr), 0);
    VmafPicture pair[2];
    for (VmafPicture& picture : pair) ASSERT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 8, 8), 0);
    ASSERT_EQ(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0), 0);
    ASSERT_EQ(vmaf_read_pictures(vmaf, nullptr, nullptr, 0), 0);
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("libvmaf WARNING psnr_hvs_cb is not a number in 1 of 1 frames"));
}

/// libvmaf's structures have no place for it.
TEST(LibvmafOptions, MemoryIsLimitedByTheEnvironment) {
  ::setenv("ACUTANCE_MAX_MEMORY", "10k", 1);
  testing::internal::CaptureStderr();
  {
    Vmaf vmaf;
    EXPECT_EQ(vmaf_use_feature(vmaf, "vif", nullptr), 0);
    EXPECT_EQ(vmaf.Read(0), -ENOMEM);
  }
  ::unsetenv("ACUTANCE_MAX_MEMORY");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("MB are allowed"));
}

}  // namespace
}  // namespace acutance::libvmaf
