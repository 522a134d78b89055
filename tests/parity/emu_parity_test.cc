#include <gtest/gtest.h>

#include <span>

#include "backend/emu/emu.h"
#include "exec/plan.h"
#include "metric/registry.h"
#include "tests/parity/parity.h"

namespace acutance {
namespace {

constexpr int kWaves[] = {4, 8, 16, 32, 64};
constexpr int kDepths[] = {8, 10, 12, 16};
constexpr PixelFormat kPixelFormats[] = {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444, PixelFormat::k400};
constexpr std::pair<int, int> kSizes[] = {{3, 3}, {17, 9}, {64, 48}, {97, 61}, {200, 130}};
constexpr std::pair<int, int> kVifSizes[] = {{16, 16}, {17, 33}, {47, 19}, {97, 61}, {131, 46}};

std::unique_ptr<Device> Open(int wave, uint64_t seed) {
  auto device = OpenEmuDevice({.wave_size = wave, .seed = seed});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return std::move(device).value();
}

void ExpectParity(Device& device, const ParityCase& which) {
  const Status status = CheckParity(device, which);
  EXPECT_TRUE(status.ok()) << device.info().driver << ": " << status.message();
}

/// Every wave size, depth and picture size; content, batch, pixel format and seed take turns.
void SweepSizes(const char* metric, const OptionTexts& options, std::span<const std::pair<int, int>> sizes = kSizes) {
  uint32_t turn = 0;
  for (const int wave : kWaves)
    for (const int depth : kDepths)
      for (const auto& [width, height] : sizes) {
        const uint32_t i = ++turn;
        const int batch = static_cast<int>(i % 5) + 1;
        const PictureFormat format = {width, height, depth, kPixelFormats[i % 4]};
        const int frames = width > 100 ? 3 : batch + 3;
        ExpectParity(*Open(wave, i), {FindMetric(metric), options, format, kContents[i / 5 % 5], frames, batch, i, ""});
      }
}

void SweepShapes(const char* metric, const char* kernel, const OptionTexts& options = {}) {
  const std::vector<std::string> shapes = ShapesOf(kernel);
  ASSERT_GE(shapes.size(), 3u);
  for (const std::string& shape : shapes)
    for (const int depth : {8, 10})
      for (const Content content : {Content::kNoise, Content::kExtremes})
        ExpectParity(*Open(16, 5), {FindMetric(metric), options, {131, 67, depth}, content, 3, 2, 7, shape});
}

TEST(EmuParity, PsnrSizes) { SweepSizes("psnr", {}); }
TEST(EmuParity, PsnrShapes) { SweepShapes("psnr", "psnr_sse"); }
TEST(EmuParity, PsnrLumaAlone) {
  for (const int wave : kWaves)
    ExpectParity(*Open(wave, 1),
                 {FindMetric("psnr"), {{"enable_chroma", "false"}}, {97, 61, 10}, Content::kNoise, 3, 2, 1, ""});
}

TEST(EmuParity, MotionSizes) { SweepSizes("motion", {}); }
TEST(EmuParity, MotionShapes) { SweepShapes("motion", "motion_sad"); }
TEST(EmuParity, MotionFiveFrames) { SweepSizes("motion", {{"motion_five_frame_window", "true"}}); }

TEST(EmuParity, MotionForcedToZero) {
  for (const int batch : {1, 3})
    ExpectParity(
        *Open(8, 1),
        {FindMetric("motion"), {{"motion_force_zero", "true"}}, {20, 10, 8}, Content::kNoise, 4, batch, 1, ""});
}

TEST(EmuParity, FloatMotionSizes) { SweepSizes("float_motion", {{"motion_add_scale1", "true"}}); }
TEST(EmuParity, FloatMotionShapes) {
  for (const char* kernel : {"float_motion_blur", "float_motion_half", "float_motion_rows"})
    SweepShapes("float_motion", kernel, {{"motion_add_scale1", "true"}});
}

TEST(EmuParity, FloatMotionOptions) {
  const OptionTexts all[] = {{{"motion_add_uv", "true"}},
                             {{"motion_add_uv", "true"}, {"motion_add_scale1", "true"}},
                             {{"motion_filter_size", "1"}},
                             {{"motion_filter_size", "3"}},
                             {{"motion_force_zero", "true"}}};
  uint32_t turn = 0;
  for (const int wave : kWaves)
    for (const int depth : kDepths)
      for (const OptionTexts& options : all) {
        const uint32_t i = ++turn;
        const PictureFormat format = {97, 61, depth, kPixelFormats[i % 3]};
        ExpectParity(*Open(wave, i), {FindMetric("float_motion"), options, format, kContents[i % 5], 4,
                                      static_cast<int>(i % 3) + 1, i, ""});
      }
}

TEST(EmuParity, VifSizes) { SweepSizes("vif", {}, kVifSizes); }
TEST(EmuParity, VifShapes) {
  for (const std::string& shape : ShapesOf("vif_scale0"))
    for (const int depth : {8, 10})
      for (const Content content : {Content::kNoise, Content::kExtremes})
        ExpectParity(*Open(16, 5), {FindMetric("vif"), {}, {131, 67, depth}, content, 2, 2, 7, shape});
}

TEST(EmuParity, VifOptions) {
  const OptionTexts all[] = {{{"vif_enhn_gain_limit", "1.0"}},
                             {{"vif_enhn_gain_limit", "1.3"}},
                             {{"vif_skip_scale0", "true"}},
                             {{"vif_skip_scale0", "true"}, {"vif_enhn_gain_limit", "1.0"}},
                             {{"debug", "true"}}};
  uint32_t turn = 0;
  for (const int depth : kDepths)
    for (const OptionTexts& options : all) {
      const uint32_t i = ++turn;
      ExpectParity(
          *Open(kWaves[i % 5], i),
          {FindMetric("vif"), options, {97, 61, depth}, kContents[i % 5], 3, static_cast<int>(i % 3) + 1, i, ""});
    }
}

// From the smallest picture on, where the scored region reaches the bands' edges.
constexpr std::pair<int, int> kAdmSizes[] = {{33, 33}, {34, 47}, {65, 35}, {97, 61}, {200, 130}};

TEST(EmuParity, AdmSizes) {
  uint32_t turn = 0;
  for (const int wave : kWaves)
    for (const int depth : kDepths)
      for (const auto& [width, height] : kAdmSizes) {
        const uint32_t i = ++turn;
        const int batch = static_cast<int>(i % 3) + 1;
        ExpectParity(*Open(wave, i),
                     {FindMetric("adm"), {}, {width, height, depth}, kContents[i / 5 % 5], batch + 1, batch, i, ""});
      }
}

TEST(EmuParity, AdmShapes) {
  SweepShapes("adm", "adm_scale0");  // the other scales have the same
}

TEST(EmuParity, AdmOptions) {
  const OptionTexts all[] = {
      {{"adm_skip_scale0", "true"}},
      {{"adm_skip_aim", "true"}},
      {{"adm_skip_aim", "true"}, {"adm_skip_scale0", "true"}},
      {{"adm_enhn_gain_limit", "1"}},
      {{"adm_enhn_gain_limit", "1.2"}},
      {{"adm_enhn_gain_limit", "1.000001"}},
      {{"adm_enhn_gain_limit", "99.99"}},
      {{"adm_csf_mode", "1"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.02"}, {"adm_csf_diag_scale", "0.01"}},
      {{"adm_csf_mode", "1"}, {"adm_csf_scale", "50"}, {"adm_csf_diag_scale", "50"}, {"adm_enhn_gain_limit", "1"}},
      {{"adm_csf_mode", "2"}},
      {{"adm_csf_mode", "3"}, {"adm_ref_display_height", "720"}, {"adm_norm_view_dist", "5"}},
      {{"adm_norm_view_dist", "24"}, {"adm_ref_display_height", "4320"}},
      {{"adm_noise_weight", "3"}, {"adm_min_val", "0.5"}, {"adm_dlm_weight", "0.7"}},
  };
  uint32_t turn = 0;
  for (const OptionTexts& options : all)
    for (const Content content : {Content::kNoise, Content::kExtremes, Content::kFilm}) {
      const uint32_t i = ++turn;
      const PictureFormat format = {101, 67, kDepths[i % 4]};
      ExpectParity(*Open(kWaves[i % 5], i), {FindMetric("adm"), options, format, content, 2, 2, i, ""});
    }
}

TEST(EmuParity, ContentsAtAllDepths) {
  for (const char* metric : {"psnr", "motion", "float_motion", "vif", "adm"})
    for (const int depth : kDepths)
      for (const Content content : kContents)
        for (const uint64_t seed : {11, 12})
          ExpectParity(*Open(32, seed), {FindMetric(metric), {}, {67, 35, depth}, content, 4, 2, 3, ""});
}

TEST(EmuParity, NarrowAndFlatPictures) {
  for (const auto& [width, height] : {std::pair{3, 200}, {4, 5}, {300, 3}, {5, 4}, {61, 32}, {60, 33}})
    for (const char* metric : {"psnr", "motion", "float_motion"})
      ExpectParity(*Open(64, 3), {FindMetric(metric), {}, {width, height, 10}, Content::kNoise, 3, 3, 9, ""});
}

TEST(Parity, FindsADifference) {
  ParityCase which = {FindMetric("motion"), {}, {40, 30, 8}, Content::kNoise, 3, 1, 1, ""};
  Metric broken = *which.metric;
  broken.make_plan = [](const OptionValues& options, const PlanContext& context) {
    PlanContext wrong = context;
    wrong.inputs[0].format.width -= 1;
    return FindMetric("motion")->make_plan(options, wrong);
  };
  which.metric = &broken;
  const Status status = CheckParity(*Open(32, 1), which);
  EXPECT_NE(status.message().find("motion 40x30 420 8 bit, noise, 3 frames, batch 1, seed 1, video 0: frame 1: bits of output 0 is"),
            std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace acutance
