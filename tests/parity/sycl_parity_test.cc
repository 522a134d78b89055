// Every SYCL device of this machine; CTest runs it at all waves. Skipped without the plugin or Intel's runtime.
#include <gtest/gtest.h>

#include "backend/sycl/sycl.h"
#include "metric/registry.h"
#include "tests/parity/parity.h"

namespace acutance {
namespace {

constexpr int kDepths[] = {8, 10, 12, 16};
constexpr PixelFormat kPixelFormats[] = {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444, PixelFormat::k400};
constexpr std::pair<int, int> kSizes[] = {{3, 3}, {17, 9}, {16, 16}, {33, 33}, {64, 48}, {97, 61}, {200, 130}};

class SyclParity : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const BackendProbe probe = kSyclBackend.probe();
    missing_ = probe.missing;
    for (const DeviceInfo& info : probe.devices) {
      auto device = kSyclBackend.open(info.index);
      ASSERT_TRUE(device.ok()) << device.status().message();
      // All now, so that the first recording compiles them together.
      for (const KernelImage& image : KernelImages()) ASSERT_TRUE((*device)->LoadKernel(image).ok()) << image.symbol;
      devices_.push_back(std::move(device).value());
    }
  }
  static void TearDownTestSuite() { devices_.clear(); }
  void SetUp() override {
    if (devices_.empty()) GTEST_SKIP() << missing_;
  }

  static void ExpectParity(const ParityCase& which) {
    for (const auto& device : devices_) {
      const Status status = CheckParity(*device, which);
      EXPECT_TRUE(status.ok()) << device->info().driver << ": " << status.message();
    }
  }

  static std::vector<const Metric*> Metrics() {
    std::vector<const Metric*> metrics;
    for (const Metric* metric : AllMetrics())
      if (metric->make_plan != nullptr) metrics.push_back(metric);
    return metrics;
  }

 private:
  static inline std::string missing_;
  static inline std::vector<std::unique_ptr<Device>> devices_;
};

TEST_F(SyclParity, EveryMetricDepthAndSize) {
  uint32_t turn = 0;  // pixel format, content and batch take turns
  for (const Metric* metric : Metrics())
    for (const int depth : kDepths)
      for (const auto& [width, height] : kSizes) {
        const uint32_t i = ++turn;
        const int batch = static_cast<int>(i % 5) + 1;
        const PictureFormat format = {width, height, depth, kPixelFormats[i % 4]};
        if (!Accepts(*metric, {}, format)) continue;
        ExpectParity({metric, {}, format, kContents[i / 5 % 5], batch + 3, batch, i, ""});
      }
}

TEST_F(SyclParity, EveryShape) {
  for (const auto& [metric, kernel] :
       {std::pair{"psnr", "psnr_sse"}, {"motion", "motion_sad"}, {"vif", "vif_scale0"}, {"adm", "adm_scale0"}})
    for (const std::string& shape : ShapesOf(kernel))
      for (const int depth : {8, 10})
        ExpectParity({FindMetric(metric), {}, {131, 67, depth}, Content::kNoise, 3, 2, 7, shape});
}

TEST_F(SyclParity, Options) {
  const std::pair<const char*, OptionTexts> cases[] = {
      {"psnr", {{"enable_chroma", "false"}}},
      {"motion", {{"motion_five_frame_window", "true"}}},
      {"motion", {{"motion_force_zero", "true"}}},
      {"adm", {{"adm_skip_scale0", "true"}}},
      {"adm", {{"adm_skip_aim", "true"}, {"adm_enhn_gain_limit", "1"}}},
      {"adm", {{"adm_enhn_gain_limit", "1.2"}}},
      {"adm", {{"adm_csf_mode", "1"}}},
      {"adm", {{"adm_csf_mode", "2"}}},
      {"vif", {{"vif_enhn_gain_limit", "1.0"}}},
      {"vif", {{"vif_skip_scale0", "true"}}},
  };
  for (const auto& [metric, options] : cases)
    for (const int depth : {8, 10})
      for (const int batch : {1, 3})
        ExpectParity({FindMetric(metric), options, {97, 61, depth}, Content::kNoise, 6, batch, 1, ""});
}

TEST_F(SyclParity, FullHd) {
  for (const Metric* metric : Metrics())
    for (const int depth : {8, 10}) ExpectParity({metric, {}, {1920, 1080, depth}, Content::kFilm, 3, 1, 3, ""});
}

}  // namespace
}  // namespace acutance
