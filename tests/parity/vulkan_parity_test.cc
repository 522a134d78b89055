// Every Vulkan device of this machine; CTest runs it on llvmpipe at waves of 4, 8 and 16, and with the validation
// layer.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/vulkan/vulkan.h"
#include "metric/registry.h"
#include "tests/parity/parity.h"

namespace acutance {
namespace {

constexpr int kDepths[] = {8, 10, 12, 16};
constexpr PixelFormat kPixelFormats[] = {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444, PixelFormat::k400};
constexpr std::pair<int, int> kSizes[] = {{3, 3}, {17, 9}, {64, 48}, {97, 61}, {200, 130}};

class VulkanParity : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const BackendProbe probe = kVulkanBackend.probe();
    missing_ = probe.missing;
    for (const DeviceInfo& info : probe.devices) {
      auto device = kVulkanBackend.open(info.index);
      ASSERT_TRUE(device.ok()) << device.status().message();
      devices_.push_back(std::move(device).value());
    }
  }
  static void TearDownTestSuite() {
    devices_.clear();
    EXPECT_TRUE(VulkanValidationMessages().empty()) << "the validation layer found a mistake";
  }
  void SetUp() override {
    if (devices_.empty()) GTEST_SKIP() << missing_;
  }

  static void ExpectParity(const ParityCase& which) {
    for (const auto& device : devices_) {
      const Status status = CheckParity(*device, which);
      EXPECT_TRUE(status.ok()) << device->info().name << ": " << status.message();
    }
  }

  /// Every depth and picture size; content, batch and pixel format take turns.
  static void SweepSizes(const char* metric, const OptionTexts& options) {
    uint32_t turn = 0;
    for (const int depth : kDepths)
      for (const auto& [width, height] : kSizes) {
        const uint32_t i = ++turn;
        const int batch = static_cast<int>(i % 5) + 1;
        const PictureFormat format = {width, height, depth, kPixelFormats[i % 4]};
        ExpectParity({FindMetric(metric), options, format, kContents[i / 5 % 5], batch + 3, batch, i, ""});
      }
  }

  static void SweepShapes(const char* metric, const char* kernel, const OptionTexts& options = {}) {
    for (const std::string& shape : ShapesOf(kernel))
      for (const int depth : {8, 10})
        ExpectParity({FindMetric(metric), options, {131, 67, depth}, Content::kNoise, 3, 2, 7, shape});
  }

 private:
  static inline std::vector<std::unique_ptr<Device>> devices_;
  static inline std::string missing_;
};

TEST_F(VulkanParity, HasTheWaveThatCTestAskedFor) {
  const char* bits = std::getenv("LP_NATIVE_VECTOR_WIDTH");
  if (bits == nullptr) GTEST_SKIP() << "LP_NATIVE_VECTOR_WIDTH is not set";
  for (const DeviceInfo& info : kVulkanBackend.probe().devices)
    if (info.family == "llvmpipe") {
      EXPECT_EQ(info.wave_size, std::atoi(bits) / 32);
    }
}

TEST_F(VulkanParity, PsnrSizes) { SweepSizes("psnr", {}); }
TEST_F(VulkanParity, PsnrShapes) { SweepShapes("psnr", "psnr_sse"); }
TEST_F(VulkanParity, PsnrLumaAlone) { SweepSizes("psnr", {{"enable_chroma", "false"}}); }

TEST_F(VulkanParity, MotionSizes) { SweepSizes("motion", {}); }
TEST_F(VulkanParity, MotionShapes) { SweepShapes("motion", "motion_sad"); }
TEST_F(VulkanParity, MotionFiveFrames) { SweepSizes("motion", {{"motion_five_frame_window", "true"}}); }

TEST_F(VulkanParity, MotionForcedToZero) {
  ExpectParity({FindMetric("motion"), {{"motion_force_zero", "true"}}, {20, 10, 8}, Content::kNoise, 4, 3, 1, ""});
}

TEST_F(VulkanParity, FloatMotionSizes) { SweepSizes("float_motion", {{"motion_add_scale1", "true"}}); }
TEST_F(VulkanParity, FloatMotionShapes) {
  for (const char* kernel : {"float_motion_blur", "float_motion_half", "float_motion_rows"})
    SweepShapes("float_motion", kernel, {{"motion_add_scale1", "true"}});
}

TEST_F(VulkanParity, FloatMotionOptions) {
  const OptionTexts all[] = {{{"motion_add_uv", "true"}},
                             {{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}},
                             {{"motion_filter_size", "1"}},
                             {{"motion_filter_size", "3"}},
                             {{"motion_force_zero", "true"}}};
  uint32_t turn = 0;
  for (const int depth : kDepths)
    for (const OptionTexts& options : all) {
      const uint32_t i = ++turn;
      const PictureFormat format = {97, 61, depth, kPixelFormats[i % 3]};
      ExpectParity(
          {FindMetric("float_motion"), options, format, kContents[i % 5], 4, static_cast<int>(i % 3) + 1, i, ""});
    }
}

TEST_F(VulkanParity, VifSizes) {
  constexpr std::pair<int, int> kVifSizes[] = {{16, 16}, {17, 33}, {97, 61}, {200, 130}};
  uint32_t turn = 0;
  for (const int depth : kDepths)
    for (const auto& [width, height] : kVifSizes) {
      const uint32_t i = ++turn;
      const PictureFormat format = {width, height, depth, kPixelFormats[i % 4]};
      ExpectParity({FindMetric("vif"), {}, format, kContents[i % 5], 3, static_cast<int>(i % 3) + 1, i, ""});
    }
}
TEST_F(VulkanParity, VifShapes) {
  for (const std::string& shape : ShapesOf("vif_scale0"))
    for (const int depth : {8, 10})
      ExpectParity({FindMetric("vif"), {}, {131, 67, depth}, Content::kNoise, 2, 2, 7, shape});
}
TEST_F(VulkanParity, VifOptions) {
  const OptionTexts all[] = {{{"vif_enhn_gain_limit", "1.0"}}, {{"vif_skip_scale0", "true"}}};
  for (const OptionTexts& options : all)
    for (const int depth : {8, 12})
      ExpectParity({FindMetric("vif"), options, {97, 61, depth}, Content::kFilm, 2, 1, 5, ""});
}

TEST_F(VulkanParity, AdmSizes) {
  uint32_t turn = 0;
  for (const int depth : kDepths)
    for (const auto& [width, height] : {std::pair{33, 33}, {34, 47}, {65, 35}, {97, 61}, {200, 130}}) {
      const uint32_t i = ++turn;
      const int batch = static_cast<int>(i % 3) + 1;
      ExpectParity({FindMetric("adm"), {}, {width, height, depth}, kContents[i % 5], batch + 1, batch, i, ""});
    }
}

TEST_F(VulkanParity, AdmShapes) {
  SweepShapes("adm", "adm_scale0");  // the other scales have the same
}

TEST_F(VulkanParity, AdmOptions) {
  const OptionTexts all[] = {{{"adm_skip_scale0", "true"}},
                             {{"adm_skip_aim", "true"}, {"adm_enhn_gain_limit", "1"}},
                             {{"adm_enhn_gain_limit", "1.2"}},
                             {{"adm_csf_mode", "1"}},
                             {{"adm_csf_mode", "1"}, {"adm_csf_scale", "50"}, {"adm_csf_diag_scale", "50"}},
                             {{"adm_csf_mode", "2"}},
                             {{"adm_norm_view_dist", "24"}, {"adm_ref_display_height", "4320"}}};
  uint32_t turn = 0;
  for (const OptionTexts& options : all)
    for (const Content content : {Content::kNoise, Content::kExtremes, Content::kFilm}) {
      const uint32_t i = ++turn;
      ExpectParity({FindMetric("adm"), options, {101, 67, kDepths[i % 4]}, content, 2, 2, i, ""});
    }
}

TEST_F(VulkanParity, NarrowAndFlatPictures) {
  for (const auto& [width, height] : {std::pair{3, 200}, {4, 5}, {300, 3}, {5, 4}, {61, 32}, {60, 33}})
    for (const char* metric : {"psnr", "motion", "float_motion"})
      ExpectParity({FindMetric(metric), {}, {width, height, 10}, Content::kExtremes, 3, 3, 9, ""});
}

}  // namespace
}  // namespace acutance
