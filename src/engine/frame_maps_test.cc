#include "engine/frame_maps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "devices/test_picture.h"
#include "metric/block_sums.h"
#include "metric/offline_frames.h"
#include "metric/registry.h"

namespace acutance {
namespace {

struct Case {
  const char* metric;
  OptionTexts options;
};

std::vector<Case> Cases() {
  return {{"vif", {}},
          {"vif", {{"vif_enhn_gain_limit", "1"}}},
          {"vif", {{"vif_skip_scale0", "true"}}},
          {"adm", {}},
          {"adm", {{"adm_csf_mode", "2"}, {"adm_enhn_gain_limit", "1"}}},
          {"adm", {{"adm_skip_scale0", "true"}, {"adm_skip_aim", "true"}}},
          {"psnr", {{"enable_mse", "true"}}}};
}

Picture TestPicture(const PictureFormat& format, int salt) { return MakeTestPicture(format, 1, salt).value(); }

/// A metric of one frame: its extractor, whole sums and outputs.
struct Scored {
  Scored(const Case& c, const PictureFormat& format)
      : metric(*FindMetric(c.metric)),
        options(OptionValues::Parse(metric.options, c.options).value()),
        reference(TestPicture(format, 1)),
        distorted(TestPicture(format, 2)),
        extractor(MakeExtractor(metric, options, format).value()),
        clip(metric, options, {&reference, 1}, {&distorted, 1}),
        frame(ComputeFrame(metric, *extractor, clip, 0).value()) {}

  const Metric& metric;
  const OptionValues options;
  const Picture reference, distorted;
  const std::unique_ptr<Extractor> extractor;
  const OfflineFrames clip;
  const ComputedFrame frame;
};

TEST(BlockSums, AddUpToTheFeatureToTheBit) {
  for (const Case& c : Cases())
    for (const PictureFormat& format : {PictureFormat{320, 176, 8, PixelFormat::k420},
                                        {131, 77, 10, PixelFormat::k422},
                                        {97, 50, 16, PixelFormat::k444},
                                        {33, 33, 8, PixelFormat::k420}}) {
      const Scored scored(c, format);
      const auto* blocks = dynamic_cast<const BlockSums*>(scored.extractor.get());
      ASSERT_NE(blocks, nullptr);
      for (const int size : {32, 64}) {
        const BlockGrid grid(format, size);
        std::vector<int64_t> sums(scored.frame.sums.size() * grid.count());
        blocks->AddBlocks(scored.clip.at(0), grid, sums);
        ComputedFrame again{.sums = AddUp(grid, sums), .words = {}, .kept = {}, .values = {}, .artifacts = {}};
        EXPECT_EQ(again.sums, scored.frame.sums) << c.metric << " " << format.width;
        ASSERT_TRUE(FinishFrame(scored.metric, *scored.extractor, 0, again).ok());
        ASSERT_EQ(again.values.size(), scored.frame.values.size());
        for (size_t i = 0; i < again.values.size(); ++i)
          EXPECT_TRUE(again.values[i] == scored.frame.values[i] || std::isnan(again.values[i])) << c.metric << i;
      }
    }
}

double Sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// The score of the output of that name.
double ValueOf(const Scored& scored, std::string_view name) {
  for (size_t i = 0; i < scored.metric.outputs.size(); ++i)
    if (scored.metric.outputs[i].name.find(name) != std::string_view::npos) return scored.frame.values[i];
  ADD_FAILURE() << name;
  return 0;
}

TEST(BlockSums, TellWhatTheFeatureLacks) {
  const PictureFormat format{320, 176, 8, PixelFormat::k420};
  for (const Case& c : Cases()) {
    const Scored scored(c, format);
    const BlockGrid grid(format, 32);
    std::vector<int64_t> sums(scored.frame.sums.size() * grid.count());
    const auto* blocks = dynamic_cast<const BlockSums*>(scored.extractor.get());
    blocks->AddBlocks(scored.clip.at(0), grid, sums);
    for (const LossMap& map : blocks->Losses(grid, sums)) {
      ASSERT_EQ(map.losses.size(), 60);
      const double value = ValueOf(scored, map.feature);
      const bool is_loss = map.feature == "aim" || map.feature.starts_with("mse");
      EXPECT_NEAR(Sum(map.losses), is_loss ? value : 1 - value, 1e-5 * std::max(1.0, value)) << map.feature;
    }
  }
}

std::vector<FrameMap> MapsOf(const char* name, const Picture& reference, const Picture& distorted) {
  const Metric& metric = *FindMetric(name);
  return MakeFrameMaps({&metric, OptionValues(metric.options), {}}, reference, distorted).value();
}

/// The maps of a metric where one square of a flat picture is damaged.
std::vector<FrameMap> MapsOfASpot(const char* metric) {
  const PictureFormat format{256, 160, 8, PixelFormat::k420};
  const Picture reference = TestPicture(format, 1);
  const MutablePicture spoilt = AllocatePicture(format).value();
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const int luma_x = p ? 2 * x : x, luma_y = p ? 2 * y : y;
        const bool is_spot = luma_x >= 140 && luma_x < 150 && luma_y >= 72 && luma_y < 88;
        spoilt.Row<uint8_t>(p, y)[x] = is_spot ? 100 : reference.planes[p].Row<uint8_t>(y)[x];
      }
  return MapsOf(metric, reference, spoilt.Share());
}

TEST(FrameMaps, ShowWhereTheDamageIs) {
  for (const char* metric : {"vif", "adm", "psnr", "ciede", "float_ssim"})
    for (const FrameMap& map : MapsOfASpot(metric)) {
      ASSERT_EQ(map.columns, 8);
      ASSERT_EQ(map.losses.size(), 40);
      const auto worst = std::ranges::max_element(map.losses) - map.losses.begin();
      EXPECT_EQ(worst, 2 * 8 + 4) << map.name;  // (128, 64) to (159, 95)
    }
}

TEST(FrameMaps, HaveTheirKindOfDamage) {
  const auto kinds = [](const char* metric) {
    std::vector<std::pair<std::string, std::optional<Damage>>> found;
    for (const FrameMap& map : MapsOfASpot(metric)) found.emplace_back(map.name, map.damage);
    return found;
  };
  using Kinds = std::vector<std::pair<std::string, std::optional<Damage>>>;
  EXPECT_EQ(kinds("adm"), (Kinds{{"adm2", Damage::kDetail}, {"aim", Damage::kAddedDetail}}));
  EXPECT_EQ(kinds("vif").front(), (Kinds::value_type{"vif_scale0", Damage::kTexture}));
  EXPECT_EQ(kinds("cambi"), (Kinds{{"cambi", Damage::kBanding}}));
  EXPECT_EQ(kinds("float_ssim"), (Kinds{{"float_ssim", std::nullopt}}));
}

TEST(Declarations, AreWhatTheExtractorsHave) {
  std::vector<Damage> detected;
  for (const Metric* metric : AllMetrics()) {
    SCOPED_TRACE(metric->name);
    const OptionValues options(metric->options);
    const auto extractor = MakeExtractor(*metric, options, {640, 360, 8, PixelFormat::k420}).value();
    EXPECT_EQ(metric->map.source == MapSource::kBlockSums, dynamic_cast<const BlockSums*>(extractor.get()) != nullptr);
    EXPECT_EQ(metric->map.source == MapSource::kPartScores, metric->map.loss != nullptr);
    EXPECT_TRUE(metric->map.source != MapSource::kFirstArtifact || !extractor->spec().artifacts.empty());
    for (const OutputSpec& output : metric->outputs) {
      EXPECT_TRUE(output.rank == 0 || output.better != ScoreDirection::kNeither) << output.name;
      if (const auto& part = output.damage.part) {
        EXPECT_EQ(std::ranges::count(metric->outputs, part->output, &OutputSpec::name), 1) << output.name;
        EXPECT_GE(part->weight(options), 0);
      }
    }
    const auto& [kind, option, value] = metric->detects;
    if (!kind) continue;
    EXPECT_TRUE(OptionValues::Parse(metric->options, {{std::string(option), std::string(value)}}).ok());
    EXPECT_EQ(std::ranges::count(detected, *kind), 0) << "another metric detects it";
    detected.push_back(*kind);
  }
  EXPECT_EQ(detected, std::vector{Damage::kBanding});
}

TEST(FrameMaps, OfBandingAreItsHeat) {
  const PictureFormat format{256, 160, 8, PixelFormat::k400};
  const MutablePicture flat = AllocatePicture(format).value();
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x)
      flat.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(x < 128 ? 60 : 60 + x / 16 % 8);
  const auto maps = MapsOf("cambi", flat.Share(), flat.Share());
  ASSERT_EQ(maps.size(), 1);
  EXPECT_EQ(maps[0].losses[8], 0);
  EXPECT_GT(*std::ranges::max_element(maps[0].losses), 0);
}

TEST(FrameMaps, OfVisibleDifferencesAreTheirHeat) {
  const PictureFormat format{256, 160, 8, PixelFormat::k420};
  const auto picture = [&](int noise) {
    const MutablePicture made = AllocatePicture(format).value();
    for (int p = 0; p < 3; ++p)
      for (int y = 0; y < format.PlaneHeight(p); ++y)
        for (int x = 0; x < format.PlaneWidth(p); ++x)
          made.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(p == 0 && x < 32 && y < 32 ? 100 + noise * (x & 1) : 100);
    return made.Share();
  };
  for (const char* name : {"butteraugli", "cvvdp"}) {
    const auto maps = MapsOf(name, picture(0), picture(90));
    ASSERT_EQ(maps.size(), 1);
    EXPECT_EQ(maps[0].name, name);
    const std::vector<double>& losses = maps[0].losses;
    EXPECT_EQ(std::ranges::max_element(losses) - losses.begin(), 0);
    EXPECT_LT(losses.back(), losses[0] / 10);
  }
}

TEST(FrameMaps, AreNoneOfMotion) {
  const PictureFormat format{64, 64, 8, PixelFormat::k420};
  EXPECT_TRUE(MapsOf("motion", TestPicture(format, 1), TestPicture(format, 2)).empty());
}

}  // namespace
}  // namespace acutance
