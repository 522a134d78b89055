// libvmaf's C API gives the engine's scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>
#include <libvmaf/metadata_handler.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "api/libvmaf/context.h"
#include "api/libvmaf/libvmaf_test_util.h"
#include "base/temp_dir.h"
#include "engine/session.h"
#include "model/builtin_models.h"

namespace acutance::libvmaf {
namespace {

using testing::HasSubstr;

/// The same frames through the engine itself.
ScoreTable EngineScores(int frames, int subsample) {
  SessionSpec spec;
  spec.features = {{"psnr", {}}};
  spec.subsample = subsample;
  spec.models.push_back({std::make_shared<const Model>(LoadBuiltinModel("vmaf_v0.6.1", "vmaf").value()), {}, true});
  const PictureFormat format{kWidth, kHeight, 8, PixelFormat::k420};
  spec.format = format;
  const auto session = Session::Open(std::move(spec)).value();
  const auto make = [&](int frame, unsigned noise) {
    VmafPicture picture = MakePicture(frame, noise);
    MutablePicture copy = AllocatePicture(format).value();
    for (int p = 0; p < 3; ++p)
      for (unsigned y = 0; y < picture.h[p]; ++y)
        std::copy_n(static_cast<std::byte*>(picture.data[p]) + y * picture.stride[p], picture.w[p],
                    copy.data[p] + y * copy.stride[p]);
    vmaf_picture_unref(&picture);
    return copy.Share();
  };
  for (int i = 0; i < frames; ++i) EXPECT_TRUE(session->Add(make(i, 0), {make(i, 24)}).ok());
  EXPECT_TRUE(session->Flush().ok());
  return session->scores(0);
}

void ExpectEngineScores(unsigned threads, unsigned subsample) {
  constexpr int kFrames = 7;
  const ScoreTable expected = EngineScores(kFrames, std::max(1, static_cast<int>(subsample)));
  Vmaf vmaf(threads, subsample);
  LoadedModel loaded;
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  vmaf.ReadAll(kFrames);
  double pooled = 0;
  ASSERT_EQ(vmaf_score_pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MEAN, &pooled, 0, kFrames - 1), 0);
  for (const auto& column : expected.columns())
    for (unsigned i = 0; i < kFrames; ++i) {
      double score = -1;
      const int result = vmaf_feature_score_at_index(vmaf, column.stored.c_str(), &score, i);
      ASSERT_EQ(result == 0, column.scores.size() > i && column.scores[i].has_value()) << column.stored << " " << i;
      if (result == 0) {
        EXPECT_EQ(score, *column.scores[i]) << column.stored << " " << i;
      }
    }
}

TEST(Libvmaf, ScoresAreTheEngines) { ExpectEngineScores(0, 1); }

TEST(Libvmaf, ScoresAreTheEnginesWithThreads) { ExpectEngineScores(3, 0); }

TEST(Libvmaf, ScoresAreTheEnginesWithSubsampling) { ExpectEngineScores(2, 3); }

/// Scores of libvmaf 3.2 for imported features (docs/spec/system.md B).
TEST(Libvmaf, ModelsPredictFromImportedFeatures) {
  const char* const names[] = {"VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
                               "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
                               "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};
  const double features[3][6] = {{0.95, 5, 0.6, 0.88, 0.92, 0.95}, {0.5, 0, 0.2, 0.3, 0.4, 0.5}, {1, 12.5, 1, 1, 1, 1}};
  const struct {
    const char* version;
    uint64_t flags;
    double scores[3];
  } cases[] = {{"vmaf_v0.6.1", 0, {85.276616878683612, 0, 100}},
               {"vmaf_v0.6.1", 1, {85.276616878683612, -11.440595078952397, 113.31994322474807}},
               {"vmaf_v0.6.1", 2, {97.641081650053877, 0, 100}},
               {"vmaf_4k_v0.6.1", 0, {89.471773097118913, 13.983312944070137, 100}},
               {"vmaf_4k_v0.6.1", 1, {89.471773097118913, 13.983312944070137, 108.02831895820621}}};
  for (const auto& c : cases) {
    Vmaf vmaf;
    LoadedModel loaded(c.version, c.flags);
    for (unsigned i = 0; i < 3; ++i) {
      for (int f = 0; f < 6; ++f) ASSERT_EQ(vmaf_import_feature_score(vmaf, names[f], features[i][f], i), 0);
      double score = -1;
      ASSERT_EQ(vmaf_score_at_index(vmaf, loaded.model, &score, i), 0);
      EXPECT_EQ(score, c.scores[i]) << c.version << " " << c.flags << " " << i;
    }
    EXPECT_EQ(vmaf_import_feature_score(vmaf, names[0], 1, 0), -EINVAL);
    double score = -1;
    EXPECT_EQ(vmaf_score_at_index(vmaf, loaded.model, &score, 3), -EINVAL);
    double max = -1;
    EXPECT_EQ(vmaf_score_pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MAX, &max, 0, 2), 0);
    EXPECT_EQ(max, c.scores[2]);
    EXPECT_EQ(vmaf.Flush(), 0);  // without extractors
  }
}

/// A collection of three built-in models, as a file.
void WriteCollection(const std::string& path) {
  std::string member(acutance::FindBuiltinModel("vmaf_v0.6.1")->Json());
  const std::string type = "\"LIBSVMNUSVR\"";
  member.replace(member.find(type), type.size(), "\"BOOTSTRAP_LIBSVMNUSVR\"");
  std::ofstream(path) << "{\"0\": " << member << ", \"1\": " << member << ", \"2\": " << member << "}";
}

TEST(Libvmaf, CollectionsScore) {
  const test::TempDir folder;
  const std::string path = folder / "collection.json";
  WriteCollection(path);
  VmafModelConfig config{"vmaf_b", 0};
  VmafModel* model = nullptr;
  VmafModelCollection* collection = nullptr;
  EXPECT_EQ(vmaf_model_load_from_path(&model, &config, path.c_str()), -EINVAL);
  EXPECT_EQ(vmaf_model_collection_load(&model, &collection, &config, "vmaf_v0.6.1"), -EINVAL);
  ASSERT_EQ(vmaf_model_collection_load_from_path(&model, &collection, &config, path.c_str()), 0);
  VmafFeatureDictionary* options = nullptr;
  vmaf_feature_dictionary_set(&options, "adm_enhn_gain_limit", "1");
  ASSERT_EQ(vmaf_model_collection_feature_overload(model, &collection, "adm", options), 0);

  Vmaf vmaf(2);
  ASSERT_EQ(vmaf_use_features_from_model_collection(vmaf, collection), 0);
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, model), 0);
  vmaf.ReadAll(4);
  VmafModelCollectionScore score{};
  double main = 0;
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &score, 0, 3), 0);
    ASSERT_EQ(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &main, 0, 3), 0);
  }
  EXPECT_EQ(score.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
  EXPECT_NEAR(score.bootstrap.bagging_score, main, 1e-9);  // all members are the main model
  EXPECT_NEAR(score.bootstrap.stddev, 0, 1e-9);
  EXPECT_NEAR(score.bootstrap.ci.p95.lo, main, 1e-9);
  EXPECT_NEAR(score.bootstrap.ci.p95.hi, main, 1e-9);
  EXPECT_EQ(vmaf_score_at_index_model_collection(vmaf, collection, &score, 9), -EINVAL);
  EXPECT_GT(vmaf.Feature("integer_adm2_egl_1", 0), 0);
  EXPECT_EQ(vmaf.Feature("vmaf_b_bagging", 1), vmaf.Feature("vmaf_b_bagging", 1));
  vmaf_model_collection_destroy(collection);
  vmaf_model_destroy(model);
}

/// Imported under the keys that the options of VMAF v1 make; scores of docs/spec/system.md B.
TEST(Libvmaf, Version1ScoresImportedFeatures) {
  constexpr double kFeatures[3][4] = {{0.5, 3, 0.92, 6}, {2, 0, 0.97, 10}, {0, 0, 1, 0}};
  const struct {
    const char* version;
    const char* names[4];
    double scores[3];
  } cases[] = {
      {"vmaf_v1.0.16_3d0h",
       {"cambi_hrs_1080_cmxv_17_vlt_0.06", "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5",
        "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02", "integer_motion3_mmxv_18"},
       {79.120247459523554, 93.998300016298828, 100}},
      {"vmaf_v1.0.16_hfr_1d5h_2160",
       {"cambi_hrs_1080_cmxv_17_vlt_0.06", "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5",
        "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_1.5_rdh_2160", "integer_motion3_mffw_mmxv_18_mma"},
       {78.32968353834292, 94.939135406836314, 100}}};
  for (const auto& c : cases) {
    Vmaf vmaf;
    LoadedModel loaded(c.version);
    for (unsigned i = 0; i < 3; ++i) {
      for (int f = 0; f < 4; ++f) ASSERT_EQ(vmaf_import_feature_score(vmaf, c.names[f], kFeatures[i][f], i), 0);
      double score = -1;
      ASSERT_EQ(vmaf_score_at_index(vmaf, loaded.model, &score, i), 0) << c.version;
      EXPECT_EQ(score, c.scores[i]) << c.version << " " << i;
    }
  }
}

/// Pooled from imported features, which are those of docs/spec/system.md B.
TEST(Libvmaf, TheBuiltInCollectionScores) {
  VmafModelConfig config{nullptr, 0};
  VmafModel* model = nullptr;
  VmafModelCollection* collection = nullptr;
  EXPECT_EQ(vmaf_model_load(&model, &config, "vmaf_b_v0.6.3"), -EINVAL);
  ASSERT_EQ(vmaf_model_collection_load(&model, &collection, &config, "vmaf_b_v0.6.3"), 0);
  Vmaf vmaf;
  const char* names[] = {"VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
                         "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
                         "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};
  constexpr double kFeatures[] = {0.95, 5, 0.6, 0.88, 0.92, 0.95};
  for (int i = 0; i < 6; ++i) ASSERT_EQ(vmaf_import_feature_score(vmaf, names[i], kFeatures[i], 0), 0);
  VmafModelCollectionScore score{};
  ASSERT_EQ(vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &score, 0, 0), 0);
  EXPECT_EQ(score.bootstrap.bagging_score, 83.972894769588876);
  EXPECT_EQ(score.bootstrap.stddev, 1.9279662521686678);
  EXPECT_EQ(score.bootstrap.ci.p95.lo, 79.586347714803566);
  EXPECT_EQ(score.bootstrap.ci.p95.hi, 86.749437664970003);
  double main = 0;
  ASSERT_EQ(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &main, 0, 0), 0);
  EXPECT_EQ(main, 84.308342070844134);
  vmaf_model_collection_destroy(collection);
  vmaf_model_destroy(model);
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

double Pooled(VmafContext* vmaf, VmafModel* model, VmafPoolingMethod method, unsigned high) {
  double pooled = -1;
  EXPECT_EQ(vmaf_score_pooled(vmaf, model, method, &pooled, 0, high), 0);
  return pooled;
}

TEST(Libvmaf, MetricsAreModels) {
  constexpr unsigned kFrames = 4;
  for (const char* version : {"ssimulacra2", "psnr_y"}) {
    Vmaf vmaf(2);
    LoadedModel loaded(version);
    ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
    vmaf.ReadAll(kFrames);
    double sum = 0, score = 0;
    for (unsigned i = 0; i < kFrames; ++i) {
      ASSERT_EQ(vmaf_score_at_index(vmaf, loaded.model, &score, i), 0);
      EXPECT_EQ(score, vmaf.Feature(version, i));
      sum += score;
    }
    EXPECT_EQ(Pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MEAN, kFrames - 1), sum / kFrames);
  }
  VmafModelConfig config{"psnr_y", 0};
  VmafModel* model = nullptr;
  EXPECT_EQ(vmaf_model_load(&model, &config, "psnr_y"), -EINVAL);
}

/// The mean over all frames is the clip's own score; other ranges and poolings are of the frames' scores.
TEST(Libvmaf, AMetricThatScoresWholeClipsPoolsByItself) {
  Vmaf vmaf;
  LoadedModel loaded("cvvdp");
  VmafFeatureDictionary* options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "display", "standard_fhd"), 0);
  ASSERT_EQ(vmaf_model_feature_overload(loaded.model, "cvvdp", options), 0);
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
  vmaf.ReadAll(4);
  const auto frame = [&](unsigned i) { return vmaf.Feature("cvvdp_frame_display_standard_fhd", i); };
  const auto pooled = [&](VmafPoolingMethod method, unsigned high) { return Pooled(vmaf, loaded.model, method, high); };
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_MEAN, 3), vmaf.Feature("cvvdp_display_standard_fhd", 3));
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_MEAN, 2), (frame(0) + frame(1) + frame(2)) / 3);
  EXPECT_EQ(pooled(VMAF_POOL_METHOD_MIN, 3), std::min({frame(0), frame(1), frame(2), frame(3)}));
  const test::TempDir folder;
  ASSERT_EQ(vmaf_write_output(vmaf, (folder / "log.xml").c_str(), VMAF_OUTPUT_FORMAT_XML), 0);
  const std::string log = ReadFile(folder / "log.xml");
  EXPECT_THAT(log, HasSubstr(fmt::format("mean=\"{:.6f}\"", pooled(VMAF_POOL_METHOD_MEAN, 3))));
}

TEST(Libvmaf, HdrNeedsItsTransferFunction) {
  VmafFeatureDictionary* options = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&options, "transfer", "pq"), 0);
  Vmaf vmaf;
  ASSERT_EQ(vmaf_use_feature(vmaf, "pu_ssim", options), 0);
  vmaf.ReadAll(1);
  EXPECT_GT(vmaf.Feature("pu_ssim", 0), 0);
  EXPECT_LT(vmaf.Feature("pu_ssim", 0), 1);
}

TEST(Libvmaf, FeaturesKeepTheOrderOfTheirRegistration) {
  Vmaf vmaf;
  VmafFeatureDictionary* debug = nullptr;
  ASSERT_EQ(vmaf_feature_dictionary_set(&debug, "debug", "true"), 0);
  ASSERT_EQ(vmaf_use_feature(vmaf, "vif", debug), 0);
  LoadedModel loaded;
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
  vmaf.ReadAll(1);
  EXPECT_GT(vmaf.Feature("integer_vif_num", 0), 0);
}

TEST(Libvmaf, ScoresAreThereAsSoonAsTheyAreKnown) {
  Vmaf vmaf;
  LoadedModel loaded;
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
  ASSERT_EQ(vmaf.Read(0), 0);
  EXPECT_GT(vmaf.Feature("VMAF_integer_feature_adm2_score", 0), 0);  // within the call, without threads
  ASSERT_EQ(vmaf.Read(1), 0);
  double score = 0;
  EXPECT_EQ(vmaf_score_at_index(vmaf, loaded.model, &score, 1), -EINVAL);            // motion2 looks one picture ahead
  EXPECT_EQ(vmaf_feature_score_at_index(vmaf, "integer_adm2", &score, 0), -EINVAL);  // an alias
  ASSERT_EQ(vmaf.Flush(), 0);
  EXPECT_EQ(vmaf_score_at_index(vmaf, loaded.model, &score, 1), 0);
}

struct Received {
  std::vector<std::pair<unsigned, double>> scores;
  std::string name;
  static void Take(void* data, VmafMetadata* metadata) {
    auto* received = static_cast<Received*>(data);
    received->name = metadata->feature_name;
    received->scores.emplace_back(metadata->picture_index, metadata->score);
  }
};

TEST(Libvmaf, MetadataHandlersHearOfEveryScoreOnce) {
  for (unsigned threads : {0u, 3u}) {
    Vmaf vmaf(threads, 2);
    LoadedModel loaded;
    ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
    Received adm, score;
    char adm_name[] = "VMAF_integer_feature_adm2_score", score_name[] = "vmaf";
    ASSERT_EQ(vmaf_register_metadata_handler(vmaf, {adm_name, Received::Take, &adm}), 0);
    ASSERT_EQ(vmaf_register_metadata_handler(vmaf, {score_name, Received::Take, &score}), 0);
    EXPECT_EQ(vmaf_register_metadata_handler(vmaf, {nullptr, Received::Take, &score}), -EINVAL);
    EXPECT_EQ(vmaf_register_metadata_handler(vmaf, {score_name, nullptr, &score}), -EINVAL);
    vmaf.ReadAll(7);
    ASSERT_EQ(adm.scores.size(), 4u);
    ASSERT_EQ(score.scores.size(), 4u);
    for (unsigned k = 0; k < 4; ++k) {
      EXPECT_EQ(adm.scores[k], std::make_pair(2 * k, vmaf.Feature(adm_name, 2 * k)));
      EXPECT_EQ(score.scores[k], std::make_pair(2 * k, vmaf.Feature(score_name, 2 * k)));
    }
    EXPECT_EQ(score.name, "vmaf");
  }
}

TEST(Libvmaf, MetadataHandlersMayCallTheirContext) {
  const auto read_and_close = [](void* data, VmafMetadata* metadata) {
    auto* context = static_cast<VmafContext*>(data);
    double score = 0;
    EXPECT_EQ(vmaf_feature_score_at_index(context, metadata->feature_name, &score, metadata->picture_index), 0);
    EXPECT_EQ(score, metadata->score);
    EXPECT_EQ(vmaf_close(context), 0);
  };
  VmafContext* context = nullptr;
  ASSERT_EQ(vmaf_init(&context, {}), 0);
  ASSERT_EQ(vmaf_use_feature(context, "psnr", nullptr), 0);
  char name[] = "psnr_y";
  ASSERT_EQ(vmaf_register_metadata_handler(context, {name, read_and_close, context}), 0);
  VmafPicture reference = MakePicture(0, 0), distorted = MakePicture(0, 1);
  EXPECT_EQ(vmaf_read_pictures(context, &reference, &distorted, 0), 0);
  EXPECT_EQ(vmaf_close(context), -EINVAL);
}

TEST(Libvmaf, TheEnvironmentChoosesTheBackend) {
  const auto score = [](const char* backend, uint64_t gpumask) {
    setenv("ACUTANCE_BACKEND", backend, 1);
    Vmaf vmaf(1, 1, gpumask);
    unsetenv("ACUTANCE_BACKEND");
    EXPECT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
    vmaf.ReadAll(2);
    return vmaf.Feature("psnr_y", 1);
  };
  EXPECT_EQ(score("emu", 0), score("cpu", 0));
  EXPECT_EQ(score("no-such-backend", 1), score("", 0));  // a gpumask forbids devices
  VmafContext* context = nullptr;
  setenv("ACUTANCE_BACKEND", "cudda", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_ERROR, 0, 0, 0, 0}), -EINVAL);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("did you mean 'cuda'?"));
  setenv("ACUTANCE_BACKEND", "emu", 1);
  setenv("ACUTANCE_DEVICE", "x", 1);
  EXPECT_EQ(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 0, 0, 0, 0}), -EINVAL);
  unsetenv("ACUTANCE_BACKEND");
  unsetenv("ACUTANCE_DEVICE");
}

TEST(Libvmaf, LogsHaveFeaturesThenModelsThenAggregates) {
  Vmaf vmaf;
  LoadedModel loaded;
  ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
  VmafFeatureDictionary* options = nullptr;
  vmaf_feature_dictionary_set(&options, "enable_apsnr", "true");
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", options), 0);
  ASSERT_EQ(vmaf_import_feature_score(vmaf, "mine", 4.5, 0), 0);
  vmaf.ReadAll(2);
  double score = 0;
  ASSERT_EQ(vmaf_score_pooled(vmaf, loaded.model, VMAF_POOL_METHOD_MEAN, &score, 0, 1), 0);
  const test::TempDir folder;
  const std::string path = folder / "log.csv";
  ASSERT_EQ(vmaf_write_output(vmaf, path.c_str(), VMAF_OUTPUT_FORMAT_CSV), 0);
  std::string header = ReadFile(path);
  header.resize(header.find('\n'));
  EXPECT_EQ(header,
            "Frame,integer_adm2,integer_aim,integer_adm3,integer_adm_scale0,integer_adm_scale1,integer_adm_scale2,"
            "integer_adm_scale3,VMAF_integer_feature_motion_sad_score,integer_vif_scale0,integer_vif_scale1,"
            "integer_vif_scale2,integer_vif_scale3,psnr_y,psnr_cb,psnr_cr,integer_motion2,integer_motion3,mine,vmaf,");
  ASSERT_EQ(vmaf_write_output(vmaf, path.c_str(), VMAF_OUTPUT_FORMAT_XML), 0);
  EXPECT_THAT(ReadFile(path), testing::AllOf(HasSubstr("<VMAF version=\"3.2.1\">"), HasSubstr("apsnr_cr=\"")));
}

}  // namespace
}  // namespace acutance::libvmaf
