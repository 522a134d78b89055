#include "metric/vif/vif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "metric/testing/together.h"
#include "metric/vif/vif_math.h"
#include "simd/avx_vnni.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using Fill = std::function<int(int x, int y)>;
using Sums = std::vector<int64_t>;
using testing::HasSubstr;

Picture MakePicture(int width, int height, int bit_depth, const Fill& fill) {
  return MakeTestPicture({width, height, bit_depth, PixelFormat::k400}, [&](int, int x, int y) { return fill(x, y); });
}

struct Vif : TestMetric {
  explicit Vif(const PictureFormat& format, const OptionTexts& texts = {}) : TestMetric(kVifMetric, texts, format) {}

  std::vector<int64_t> SumsOf(const PicturePair& pair, const Split& split = OneBand) const {
    return Sums(pair.reference, pair.distorted, split);
  }
};

OptionValues Options(const OptionTexts& texts) { return OptionValues::Parse(kVifMetric.options, texts).value(); }

/// The sums by the plain loops, without the extractor.
Sums RefSums(const PicturePair& pair, double gain_limit, bool skip_scale0) {
  Sums sums(kVifScales * kVifSumsPerScale);
  std::array<std::vector<int16_t>, 2> images;
  const PictureFormat& format = pair.reference.format;
  for (int scale = 0; scale < kVifScales; ++scale) {
    const int width = format.width >> scale, height = format.height >> scale;
    VifJob job = {.scale = scale,
                  .bit_depth = scale == 0 ? format.bit_depth : 16,
                  .statistics = scale > 0 || !skip_scale0,
                  .gain_limit = gain_limit};
    std::array<std::vector<int16_t>, 2> next;
    for (int i = 0; i < 2; ++i) {
      job.images[i] = {(i == 0 ? pair.reference : pair.distorted).planes[0],
                       format.bit_depth == 8 ? VifSample::k8 : VifSample::k16};
      if (scale > 0)
        job.images[i] = {{reinterpret_cast<const std::byte*>(images[i].data()), ptrdiff_t{2} * width, width, height},
                         VifSample::kCentred};
      next[i].resize(static_cast<size_t>(width / 2) * (height / 2));
      if (scale + 1 < kVifScales) job.next[i] = next[i].data();
    }
    job.next_stride = width / 2;
    RunVifBandRef(job, {0, height}, std::span(sums).subspan(scale * kVifSumsPerScale).first<kVifSumsPerScale>());
    images = std::move(next);
  }
  return sums;
}

void ExpectEqualToRef(const PicturePair& pair, double gain_limit = 100, bool skip_scale0 = false) {
  const Sums expected = RefSums(pair, gain_limit, skip_scale0);
  OptionTexts texts = {{"vif_enhn_gain_limit", fmt::format("{}", gain_limit)}};
  if (skip_scale0) texts["vif_skip_scale0"] = "true";
  const Vif vif(pair.reference.format, texts);
  const auto check = [&] {
    EXPECT_EQ(vif.SumsOf(pair), expected) << pair.reference.format.width << "x" << pair.reference.format.height << " "
                                          << pair.reference.format.bit_depth << " bit, gain limit " << gain_limit;
  };
  ForEachTarget(check);
  if (!HasAvxVnni() || !(hwy::SupportedTargets() & HWY_AVX2)) return;
  SCOPED_TRACE("without AVX-VNNI");
  hides_avx_vnni = true;
  ForEachTarget(check, {HWY_AVX2});
  hides_avx_vnni = false;
}

PicturePair MakePair(int width, int height, int bit_depth, const Fill& reference, const Fill& distorted) {
  return {MakePicture(width, height, bit_depth, reference), MakePicture(width, height, bit_depth, distorted)};
}

PicturePair NoisePair(int width, int height, int bit_depth, unsigned seed) {
  std::mt19937 random(seed);
  const auto noise = [&](int, int) { return static_cast<int>(random() >> (32 - bit_depth)); };
  return MakePair(width, height, bit_depth, noise, noise);
}

/// Flat and textured areas of all strengths; the distorted picture is the reference with lower contrast and noise.
PicturePair TexturePair(int width, int height, int bit_depth, double contrast, unsigned seed) {
  std::mt19937 random(seed);
  const int max = (1 << bit_depth) - 1;
  const auto reference = [&](int x, int y) {
    const double wave = 0.5 + 0.45 * std::sin(x * 0.11 + 3 * std::sin(y * 0.05)) * std::cos(y * 0.07);
    const double grain = (x / 40 + y / 30) % 3 == 0 ? 0 : (random() % 1000 / 1000.0 - 0.5) * 0.15 * ((x / 16) % 4);
    return std::clamp(static_cast<int>((wave + grain) * max), 0, max);
  };
  const Picture picture = MakePicture(width, height, bit_depth, reference);
  const VifImage image = {picture.planes[0], bit_depth == 8 ? VifSample::k8 : VifSample::k16};
  const auto distorted = [&](int x, int y) {
    const double noise = (random() % 1000 / 1000.0 - 0.5) * 0.04 * ((y / 16) % 3);
    return std::clamp(static_cast<int>(((image.At(x, y) / double(max) - 0.5) * contrast + 0.5 + noise) * max), 0, max);
  };
  return {picture, MakePicture(width, height, bit_depth, distorted)};
}

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(VifFast, NoiseOfManySizes) {
  const std::pair<int, int> sizes[] = {{16, 16},  {17, 16},  {16, 17},   {33, 19},   {31, 23},   {32, 18},
                                       {67, 41},  {130, 35}, {257, 64},  {255, 33},  {256, 20},  {272, 17},
                                       {289, 21}, {513, 18}, {1920, 16}, {1921, 19}, {1930, 17}, {3850, 18}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) ExpectEqualToRef(NoisePair(width, height, depth, width + height));
}

TEST(VifFast, TextureWithGainLimits) {
  for (const int depth : kDepths)
    for (const double contrast : {0.6, 1.0, 1.4})
      for (const double limit : {1.0, 1.3, 100.0}) ExpectEqualToRef(TexturePair(171, 70, depth, contrast, 7), limit);
}

TEST(VifFast, ExtremePictures) {
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    const auto flat = [](int value) { return [value](int, int) { return value; }; };
    const auto checker = [max](int x, int y) { return (x + y) % 2 * max; };
    const auto stripes = [max](int x, int) { return x % 2 * max; };
    const auto blocks = [max](int x, int y) { return (x / 9 + y / 7) % 2 * max; };
    const auto pixel = [max](int x, int y) { return x == 20 && y == 11 ? max : 0; };
    const auto hole = [max](int x, int y) { return x == 0 && y == 0 ? 0 : max; };
    const auto gradient = [max](int x, int y) { return (x * 3 + y * 5) * max / 400; };
    const Fill fills[] = {flat(0), flat(max), flat(max / 2), checker, stripes, blocks, pixel, hole, gradient};
    for (const Fill& reference : fills)
      for (const Fill& distorted : fills) ExpectEqualToRef(MakePair(50, 29, depth, reference, distorted));
  }
}

TEST(VifFast, SkipsScale0) {
  for (const int depth : kDepths) {
    const PicturePair pair = TexturePair(99, 58, depth, 0.8, 1);
    ExpectEqualToRef(pair, 100, true);
    EXPECT_EQ(RefSums(pair, 100, true)[kVifFlatCount], 0);
    EXPECT_GT(RefSums(pair, 100, false)[kVifDenLog], 0);
  }
}

TEST(VifFast, AnySplitIntoBands) {
  std::mt19937 random(5);
  for (const int depth : {8, 10, 16}) {
    const PicturePair pair = TexturePair(75, 61, depth, 0.8, 2);
    const Vif vif(pair.reference.format);
    const Sums expected = RefSums(pair, 100, false);
    ForEachTarget(
        [&] {
          for (const int rows : {1, 2, 3, 4, 5, 7, 16, 60})
            EXPECT_EQ(vif.SumsOf(pair, BandsOf(rows)), expected) << rows << " rows a band";
          EXPECT_EQ(vif.SumsOf(pair, RandomBands(random, 9)), expected);
        },
        VifTargets());
  }
}

TEST(VifFast, BuffersCarryNothingOver) {
  const PicturePair first = NoisePair(41, 27, 16, 1), second = TexturePair(41, 27, 16, 0.7, 4);
  const Vif vif(second.reference.format);
  const Sums clean = vif.SumsOf(second);
  vif.SumsOf(first);
  EXPECT_EQ(vif.SumsOf(second), clean);
}

TEST(VifFast, VideosOfOneReferenceTogether) {
  const std::pair<int, int> sizes[] = {{16, 17}, {75, 61}, {962, 17}};
  for (const int depth : {8, 10, 16})
    for (const auto& [width, height] : sizes) {
      const Picture reference = TexturePair(width, height, depth, 1, 3).reference;
      std::vector<Picture> distorted = {reference, NoisePair(width, height, depth, 9).distorted};
      for (const double contrast : {0.6, 0.9, 1.2, 1.5})
        distorted.push_back(TexturePair(width, height, depth, contrast, 3).distorted);
      for (const char* limit : {"1.3", "100"})
        ForEachTarget(
            [&] {
              for (const int rows : {3, kMaxDimension})
                ExpectTogetherAsAlone(kVifMetric, {{"vif_enhn_gain_limit", limit}}, reference, distorted, rows);
            },
            VifTargets());
    }
}

// ---- the logarithm

/// The sums of columns of an image of noise, some of it flat, and the images of the next scale.
struct ColumnSums {
  ColumnSums(int scale, int width, int height, RowBand rows, int columns, bool by_plain_loops)
      : sums(size_t{1} * ((width + columns - 1) / columns) * kVifSumsPerScale) {
    std::mt19937 random(static_cast<unsigned>(scale + width));
    std::array<std::vector<int16_t>, 2> samples;
    VifJob job{.scale = scale, .bit_depth = scale == 0 ? 10 : 16, .next_stride = VifPaddedWidth(width / 2)};
    const int noise = scale == 0 ? 8 : 1024, middle = scale == 0 ? 512 : 0;
    for (int i = 0; i < 2; ++i) {
      for (int at = 0; at < width * height; ++at)
        samples[i].push_back(static_cast<int16_t>(middle + (at % width / 7 % 3 == 0 ? 0 : random() % noise)));
      job.images[i] = {{reinterpret_cast<const std::byte*>(samples[i].data()), ptrdiff_t{2} * width, width, height},
                       scale == 0 ? VifSample::k16 : VifSample::kCentred};
      next[i].resize(static_cast<size_t>(job.next_stride) * (height / 2 + 1));
      if (scale + 1 < kVifScales) job.next[i] = next[i].data();
    }
    std::vector<VifSums> pieces;
    for (size_t at = 0; at < sums.size(); at += kVifSumsPerScale)
      pieces.push_back(std::span(sums).subspan(at).first<kVifSumsPerScale>());
    const auto buffers = std::make_unique<VifBuffers>();
    if (by_plain_loops) RunVifColumnsRef(job, rows, columns, pieces);
    else RunVifColumns(job, rows, columns, *buffers, pieces);
    for (int i = 0; i < 2; ++i)  // vectors also store beyond the end of a row
      for (size_t at = 0; at < next[i].size(); ++at)
        if (static_cast<int>(at % job.next_stride) >= width / 2) next[i][at] = 0;
  }

  Sums sums;
  std::array<std::vector<int16_t>, 2> next;
};

TEST(VifFast, SumsOfColumns) {
  constexpr std::pair<int, int> kSizes[] = {{67, 35}, {240, 19}, {2003, 21}};
  for (int scale = 0; scale < kVifScales; ++scale)
    for (const auto& [width, height] : kSizes)
      for (const int columns : {4, 6, 8, 16, 32, 50, 1920})
        for (const RowBand rows : {RowBand{0, height}, RowBand{6, 13}}) {
          const ColumnSums expected(scale, width, height, rows, columns, true);
          ForEachTarget([&] {
            const ColumnSums got(scale, width, height, rows, columns, false);
            EXPECT_EQ(got.sums, expected.sums)
                << "scale " << scale << ", " << width << "x" << height << ", " << columns << " columns";
            EXPECT_EQ(got.next, expected.next) << "scale " << scale << ", " << width << "x" << height;
          });
        }
}

TEST(VifLog, TableIsLibvmafs) {
  const auto& table = VifLogTable();
  EXPECT_EQ(table[0], 30720);
  EXPECT_EQ(table[40000 - 32768], 31309);
  EXPECT_EQ(table[50000 - 32768], 31969);
  EXPECT_EQ(table[65535 - 32768], 32768);
  int64_t sum = 0;
  uint32_t crc = ~0u;
  const auto add_byte = [&](unsigned byte) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  };
  for (const uint16_t entry : table) {
    sum += entry;
    add_byte(entry & 255);
    add_byte(entry >> 8);
  }
  EXPECT_EQ(sum, 1044032097);
  EXPECT_EQ(~crc, 0x42ad4d4fu);
}

TEST(VifLog, VectorsGiveEveryEntry) {
  ForEachTarget([] {
    std::vector<uint16_t> table(32768);
    for (const bool of_doubles : {false, true}) {
      VifLogTableByVectors(of_doubles, std::span(table).first<32768>());
      EXPECT_TRUE(std::ranges::equal(table, VifLogTable())) << (of_doubles ? "doubles" : "floats");
    }
  });
}

TEST(VifLog, QuadraticsGiveEveryEntry) {
  for (uint32_t i = 0; i < 32768; ++i)
    ASSERT_EQ(kVifLogFirst + kVifLogFit[i / 1024].At(i % 1024), VifLogTable()[i]) << i;
}

// ---- known answers of docs/spec/core.md 5

std::vector<double> Values(const PicturePair& pair, const OptionTexts& texts) {
  return Vif(pair.reference.format, texts).Values(pair.reference, pair.distorted);
}

PicturePair KnownPair(int bit_depth) {
  const PictureFormat format = {64, 48, bit_depth, PixelFormat::k400};
  return {FilmPicture(format, 0), FilmPicture(format, 0, true)};
}

double Value(const std::vector<double>& values, std::string_view name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (kVifMetric.outputs[i].name == name) return values[i];
  ADD_FAILURE() << "no output " << name;
  return 0;
}

struct KnownScale {
  double score, num, den;
};

void ExpectKnown(int bit_depth, const KnownScale (&scales)[kVifScales]) {
  const std::vector<double> values = Values(KnownPair(bit_depth), {{"debug", "true"}});
  double num = 0, den = 0;
  for (int s = 0; s < kVifScales; ++s) {
    EXPECT_EQ(Value(values, fmt::format("VMAF_integer_feature_vif_scale{}_score", s)), scales[s].score);
    EXPECT_EQ(Value(values, fmt::format("integer_vif_num_scale{}", s)), scales[s].num);
    EXPECT_EQ(Value(values, fmt::format("integer_vif_den_scale{}", s)), scales[s].den);
    num += scales[s].num;
    den += scales[s].den;
  }
  EXPECT_EQ(Value(values, "integer_vif_num"), num);
  EXPECT_EQ(Value(values, "integer_vif_den"), den);
  EXPECT_EQ(Value(values, "integer_vif"), num / den);
}

TEST(VifKnownAnswers, EightBit) {
  ExpectKnown(8, {{0.5439751148223877, 13710.2890625, 25203.890625},
                  {0.67211383581161499, 3225.60546875, 4799.1953125},
                  {0.80508869886398315, 980.1357421875, 1217.42578125},
                  {0.9158327579498291, 291.40966796875, 318.19091796875}});
}

TEST(VifKnownAnswers, TenBit) {
  ExpectKnown(10, {{0.54180926084518433, 13655.462890625, 25203.451171875},
                   {0.67218315601348877, 3225.5625, 4798.63623046875},
                   {0.8051026463508606, 979.95263671875, 1217.17724609375},
                   {0.91584652662277222, 291.4404296875, 318.2197265625}});
}

TEST(VifKnownAnswers, SkippedScale0) {
  const std::vector<double> values = Values(KnownPair(8), {{"debug", "true"}, {"vif_skip_scale0", "true"}});
  EXPECT_EQ(Value(values, "VMAF_integer_feature_vif_scale0_score"), 0.0);
  EXPECT_EQ(Value(values, "VMAF_integer_feature_vif_scale1_score"), 0.67211383581161499);
  EXPECT_EQ(Value(values, "integer_vif_num_scale0"), 0.0);
  EXPECT_EQ(Value(values, "integer_vif_den_scale0"), -1.0);
  EXPECT_EQ(Value(values, "integer_vif_num"), 3225.60546875 + 980.1357421875 + 291.40966796875);
  EXPECT_EQ(Value(values, "integer_vif_den"), 4799.1953125 + 1217.42578125 + 318.19091796875);
}

TEST(VifMetric, IdenticalPicturesScoreOne) {
  const PicturePair pair = TexturePair(90, 64, 8, 1, 9);
  const std::vector<double> values = Values({pair.reference, pair.reference}, {});
  for (int s = 0; s < kVifScales; ++s) EXPECT_NEAR(values[s], 1.0, 1e-3) << "scale " << s;
  EXPECT_TRUE(std::isnan(Value(values, "integer_vif"))) << "a disabled output must be left alone";
}

TEST(VifMetric, RefusesSmallPictures) {
  for (const auto& [width, height] : {std::pair(15, 16), {16, 15}, {1, 1}}) {
    EXPECT_THAT(RefusalOf(kVifMetric, {}, {width, height, 8, PixelFormat::k400}), HasSubstr("at least 16x16"));
  }
  EXPECT_EQ(RefusalOf(kVifMetric, {}, {16, 16, 8, PixelFormat::k400}), "");
}

TEST(VifMetric, KeysShowOptions) {
  const OutputSpec& output = kVifMetric.outputs[0];
  EXPECT_EQ(MakeOutputKey(output, Options({})).shown, "integer_vif_scale0");
  EXPECT_EQ(MakeOutputKey(output, Options({{"vif_enhn_gain_limit", "1.0"}})).stored, "integer_vif_scale0_egl_1");
  EXPECT_EQ(MakeOutputKey(output, Options({{"egl", "1.3"}, {"ssclz", "true"}})).stored,
            "integer_vif_scale0_egl_1.3_ssclz");
  EXPECT_FALSE(OptionValues::Parse(kVifMetric.options, {{"egl", "0.5"}}).ok());
}

// --- The plan

Result<Plan> MakePlan(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShapes[] = {{"vif_scale0", "", "128x1r8"}, {"vif_scale1", "", "64x1r8"}};
  return MakeTestPlan(kVifMetric, texts, format, frames, videos, kShapes);
}

TEST(VifPlan, HasALaunchForEachScale) {
  const auto plan = MakePlan({}, {1920, 1080, 8}, 1, 3);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->sum_count(), 16);
  EXPECT_EQ(plan->launches().size(), 5u);
  EXPECT_TRUE(plan->ReadsInput(0) && plan->ReadsInput(1));
  const std::string text = plan->Print();
  // 128 - 2 * 8 columns and 8 rows a workgroup.
  EXPECT_THAT(text, HasSubstr("launch: vif_scale0 u8_128x1r8, 18x135x3 workgroups of 128x1 items, border: mirror 8\n"
                              "  buffer 1: reference y\n"
                              "  buffer 2: distorted y\n"
                              "  buffer 3: reference of scale 1\n"
                              "  buffer 4: distorted of scale 1\n"
                              "  buffer 5: parts of the logarithm\n"
                              "  buffer 6: partial sums\n"));
  // 960 x 540 pixels, 64 - 2 * 4 columns a workgroup. Rows of 960 samples, later 480 (no padding), 256 and 128.
  EXPECT_THAT(text, HasSubstr("launch: vif_scale1 64x1r8, 18x68x3 workgroups of 64x1 items, border: mirror 4\n"
                              "  buffer 1: reference of scale 1\n"
                              "  buffer 2: distorted of scale 1\n"
                              "  buffer 3: reference of scale 2\n"));
  EXPECT_THAT(text, HasSubstr("scratch: reference of scale 1, 3110400 bytes\n"));
  EXPECT_THAT(text, HasSubstr("launch: vif_scale2 128x1r8, 4x34x3 workgroups of 128x1 items, border: mirror 2\n"));
  EXPECT_THAT(text, HasSubstr("launch: vif_scale3 128x1r8, 2x17x3 workgroups of 128x1 items, border: mirror 1\n"));
  EXPECT_THAT(text, HasSubstr("launch: sum_partials 256x1, 16x1x3 workgroups"));
}

TEST(VifPlan, DeepSamplesHaveTheirOwnVariant) {
  EXPECT_THAT(MakePlan({}, {1920, 1080, 10}, 1, 1)->Print(), HasSubstr("launch: vif_scale0 u16_128x1r8, "));
}

TEST(VifPlan, PassesTheGainLimitOn) {
  const auto square_at = [](const Plan& plan, int launch) {
    // VifGainLimit, the last member: mantissa, its square's mantissa, and both exponents.
    const auto& args = plan.launches()[launch].args;
    uint64_t mantissa;
    int32_t exponent;
    std::memcpy(&mantissa, args.data() + args.size() - 16, sizeof(mantissa));
    std::memcpy(&exponent, args.data() + args.size() - 4, sizeof(exponent));
    return std::ldexp(static_cast<double>(mantissa), exponent);
  };
  const auto plan = MakePlan({{"vif_enhn_gain_limit", "1.3"}}, {1920, 1080, 8}, 1, 1);
  const auto unlimited = MakePlan({}, {1920, 1080, 8}, 1, 1);
  for (int launch = 0; launch < 4; ++launch) {
    EXPECT_EQ(square_at(*plan, launch), 1.3 * 1.3);
    EXPECT_EQ(square_at(*unlimited, launch), 10000.0);
  }
}

/// Whether a SPIR-V module declares the capability Float64.
bool UsesDoubles(std::span<const std::byte> code) {
  constexpr uint32_t kOpCapability = 17, kFloat64 = 10;
  std::vector<uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  for (size_t at = 5; at < words.size() && (words[at] & 0xFFFF) == kOpCapability; at += words[at] >> 16)
    if (words[at + 1] == kFloat64) return true;
  return false;
}

TEST(VifPlan, NeedsNoDoubles) {
  for (const int depth : {8, 10}) {
    const auto plan = MakePlan({}, {1920, 1080, depth}, 1, 1);
    for (const Plan::Launch& launch : plan->launches())
      for (const KernelBinary& binary : launch.kernel->binaries)
        if (binary.target == "spirv") {
          EXPECT_FALSE(UsesDoubles(binary.code)) << launch.kernel->symbol;
        }
  }
}

}  // namespace
}  // namespace acutance
