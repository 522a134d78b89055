#include "metric/hdr/hdr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/recorder.h"
#include "metric/testing/together.h"
#include "simd/testing/targets.h"

namespace acutance {

#include "kernel/divide/float_via_fma.kernel.h"

namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const Metric* kMetrics[] = {&kPuPsnrMetric, &kPuSsimMetric, &kDeltaEItpMetric};

HdrSettings SettingsOf(const OptionTexts& texts) {
  const OptionValues options = OptionValues::Parse(kPuPsnrMetric.options, texts).value();
  return ReadHdrSettings("test", options).value();
}

// --- The functions of the definition (docs/spec/hdr.md 5.2)

struct KnownCode {
  float encoded;
  uint32_t light, encoded_again, pu;
};

TEST(HdrMath, KnownBitsOfPq) {
  for (const auto& [encoded, light, again, pu] : {KnownCode{0.0f, 0, 0x354436e4, 0},
                                                  {1e-6f, 0x206d7c5c, 0x358637c0, 0},
                                                  {0.001f, 0x31905b1a, 0x3a831270, 0},
                                                  {0.01f, 0x34780c94, 0x3c23d70b, 0},
                                                  {0.1f, 0x380821f1, 0x3dccccc9, 0x417d35ea},
                                                  {0.25f, 0x3a071d18, 0x3e800000, 0x42b9af0f},
                                                  {0.5f, 0x3c1722a6, 0x3f000000, 0x437b290c},
                                                  {0.58f, 0x3ca5347d, 0x3f147ae1, 0x4397ac45},
                                                  {0.75f, 0x3dc96554, 0x3f400001, 0x43d1689b},
                                                  {1.0f, 0x3f800000, 0x3f800000, 0x4414d936}}) {
    const float made = hdr::pq_light(encoded);
    EXPECT_EQ(std::bit_cast<uint32_t>(made), light) << encoded;
    EXPECT_EQ(std::bit_cast<uint32_t>(hdr::pq_encoded(made)), again) << encoded;
    EXPECT_EQ(std::bit_cast<uint32_t>(hdr::pu_encoded(made)), pu) << encoded;
  }
}

std::vector<uint32_t> BitsOf(const hdr::HdrColor& color) {
  return {std::bit_cast<uint32_t>(color.red), std::bit_cast<uint32_t>(color.green),
          std::bit_cast<uint32_t>(color.blue)};
}

TEST(HdrMath, KnownBitsOfHlg) {
  const uint32_t scenes[][2] = {{0x3dcccccd, 0x3b5a740f},
                                {0x3f000000, 0x3daaaaab},
                                {0x3f000001, 0x3daaaaaf},
                                {0x3f400000, 0x3e87a92d},
                                {0x3f800000, 0x3f800001}};
  for (const auto& [encoded, scene] : scenes)
    EXPECT_EQ(std::bit_cast<uint32_t>(hdr::hlg_scene(std::bit_cast<float>(encoded))), scene);
  const hdr::HdrCurve curve = SettingsOf({{"transfer", "hlg"}}).curve;
  const hdr::HdrColor light = hdr::hdr_light({0.2f, 0.5f, 0.9f}, curve), red = hdr::hdr_light({1, 0, 0}, curve);
  EXPECT_THAT(BitsOf(light), ElementsAre(0x3a5a0e9e, 0x3baa5b6b, 0x3d14ae25));
  EXPECT_THAT(BitsOf(hdr::hdr_cones(light, 1)), ElementsAre(0x3ee51404, 0x3ef89f75, 0x3f21df5e));
  EXPECT_THAT(BitsOf(red), ElementsAre(0x3d9cc156, 0, 0));
  EXPECT_THAT(BitsOf(hdr::hdr_cones(red, 1)), ElementsAre(0x3f208ff8, 0x3f0862ef, 0x3eb35b70));
}

TEST(HdrMath, KnownBitsOfAColor) {
  const HdrSettings settings = SettingsOf({{"transfer", "pq"}});
  const HdrWeights weights(settings);
  const hdr::HdrColor light = hdr::hdr_light({0.6f, 0.45f, 0.3f}, settings.curve);
  const float luminance = hdr::hdr_weighted(light, weights.red, weights.green, weights.blue);
  EXPECT_THAT(BitsOf(light), ElementsAre(0x3cc7e39c, 0x3bb56484, 0x3a8392b3));
  EXPECT_EQ(std::bit_cast<uint32_t>(luminance), 0x3c277d36u);
  EXPECT_EQ(std::bit_cast<uint32_t>(hdr::pu_encoded(luminance)), 0x4380e873u);
  EXPECT_THAT(BitsOf(hdr::hdr_cones(light, 1)), ElementsAre(0x3f08e84b, 0x3ef9d2fb, 0x3eb4c963));
}

// PU21 in double, and the published values (docs/spec/hdr.md 4.1).
TEST(HdrMath, Pu21IsNearTheFormula) {
  const double published[][2] = {{0.005, 0},          {0.1, 5.717073840},  {1, 36.54391114},
                                 {10, 123.6474836},   {100, 256.3838973},  {203, 303.8002263},
                                 {1000, 420.0969213}, {4000, 527.4939005}, {10000, 595.3939200}};
  for (const auto& [nits, value] : published)
    EXPECT_NEAR(static_cast<double>(hdr::pu_encoded(static_cast<float>(nits / 10000))), value, 2e-4) << nits;
}

// ITU-R BT.2124's example: 10 bits of full range.
TEST(HdrMath, KnownIctcp) {
  const auto at = [](int code) { return static_cast<float>(code) / 1023.0f; };
  const HdrSettings settings = SettingsOf({{"transfer", "pq"}});
  const hdr::HdrColor light = hdr::hdr_light({at(296), at(201), at(582)}, settings.curve);
  EXPECT_NEAR(static_cast<double>(light.blue) * 10000, 181.318, 1e-3);
  const hdr::HdrColor cones = hdr::hdr_cones(light, 1);
  const auto [l, m, s] = cones;
  EXPECT_NEAR(static_cast<double>((l + m) * 0.5f), 0.355721, 1e-6);
  EXPECT_NEAR(static_cast<double>(hdr::hdr_weighted(cones, 0.806884765625f, -1.6617431640625f, 0.8548583984375f)),
              0.134647, 1e-6);
  EXPECT_NEAR(static_cast<double>(hdr::hdr_weighted(cones, 4.378173828125f, -4.24560546875f, -0.132568359375f)),
              -0.161395, 1e-6);
  EXPECT_EQ(s, cones.blue);
}

/// Whether each estimate that a device may have of 1 / b leads to the quotient.
bool DividesByFused(float a, float b) {
  const auto nearest = std::bit_cast<uint32_t>(1.0f / b);
  for (const uint32_t step : {-2u, -1u, 0u, 1u, 2u})
    if (divide_tried_by_fused(a, b, std::bit_cast<float>(nearest + step)) != a / b) return false;
  return true;
}

// All divisions of kernels that include float_via_fma.kernel.h. Every 1009th float, for time; once, all 506 million
// have been tried.
TEST(HdrMath, DividesByFusedOperations) {
  const auto for_floats = [](float first, float last, const auto& check) {
    for (uint32_t bits = std::bit_cast<uint32_t>(first); bits <= std::bit_cast<uint32_t>(last); bits += 1009)
      ASSERT_TRUE(check(std::bit_cast<float>(bits))) << std::bit_cast<float>(bits);
  };
  for_floats(0x1p-21f, 1.0f, [](float encoded) {
    const FloatLog2 log2 = float_log2(encoded);
    const float h = float_exp2_less_1((log2.whole + log2.part) * bits_float(hdr::kHdrInverseM2));
    const float a = 0.1640625f + h, b = 0.1640625f - 18.6875f * h;
    return a / b < 0x1p-13f || DividesByFused(a, b);
  });
  for_floats(5e-7f, 1.0f, [](float light) {
    const float u = float_power(light, float_exponent(bits_float(hdr::kPuPower)));
    return DividesByFused(bits_float(hdr::kPuA1) * (u - bits_float(hdr::kPuU0)), 1.0f + bits_float(hdr::kPuP2) * u);
  });
  for_floats(0x1p-17f, 4.0f, [](float w) { return DividesByFused(0.1640625f * (1.0f - w), 1.0f + 18.6875f * w); });
  EXPECT_TRUE(DividesByFused(0.1640625f, 1.0f));
}

// --- The SIMD implementation against plain loops

using Row = std::array<std::vector<float>, 3>;

std::array<float*, 3> PointersTo(Row& row) { return {row[0].data(), row[1].data(), row[2].data()}; }

TEST(HdrLight, EqualsThePlainLoops) {
  std::mt19937 random(1);
  for (const OptionTexts& options : {OptionTexts{{"transfer", "pq"}},
                                     {{"transfer", "hlg"}},
                                     {{"transfer", "hlg"}, {"peak", "2000"}},
                                     {{"transfer", "sdr"}}}) {
    const hdr::HdrCurve curve = SettingsOf(options).curve;
    for (const int width : {1, 3, 8, 17, 64, 2000}) {
      Row row;
      for (auto& plane : row)
        for (int x = 0; x < width; ++x)
          plane.push_back(std::ldexp(static_cast<float>(random() % 65537) / 65536, -static_cast<int>(random() % 30)));
      if (width > 2) row[0][1] = row[1][1] = row[2][1] = 0.0f;
      Row expected = row;
      HdrLightRowRef(curve, width, PointersTo(expected));
      ForEachTarget([&] {
        Row made = row;
        HdrLightRow(curve, width, PointersTo(made), PointersTo(made));
        EXPECT_EQ(made, expected) << width;
      });
    }
  }
}

/// Light of two videos.
class LightPair {
 public:
  template <class Fill>  // () -> reference and distorted value
  LightPair(int width, int height, Fill fill) {
    for (FloatColors* colors : {&pair.reference, &pair.distorted}) {
      colors->width = width;
      colors->height = height;
    }
    for (int p = 0; p < 3; ++p) {
      for (auto& video : planes_) video[p].resize(static_cast<size_t>(width) * height);
      for (size_t i = 0; i < planes_[0][p].size(); ++i) std::tie(planes_[0][p][i], planes_[1][p][i]) = fill();
      pair.reference.planes[p] = planes_[0][p].data();
      pair.distorted.planes[p] = planes_[1][p].data();
      pair.reference.strides[p] = pair.distorted.strides[p] = width;
    }
  }
  LightPair(const LightPair&) = delete;

  HdrPair pair;

 private:
  std::array<std::array<std::vector<float>, 3>, 2> planes_;
};

void ExpectStripsEqualToRef(const HdrPair& pair) {
  const int width = pair.reference.width, height = pair.reference.height;
  const int strips = (height + kHdrStrip - 1) / kHdrStrip;
  const HdrWeights weights(SettingsOf({{"transfer", "pq"}}));
  const RowBand all = {0, strips};
  std::vector<int64_t> psnr(static_cast<size_t>(strips) * kPuPsnrWords), ssim(strips);
  std::array<std::vector<int64_t>, 2> itp;
  PuPsnrStripsRef(pair, weights, all, psnr);
  PuSsimStripsRef(pair, weights, all, ssim);
  for (const bool is_bt2020 : {false, true}) {
    itp[is_bt2020].resize(static_cast<size_t>(strips) * kDeltaEWords);
    DeltaEStripsRef(pair, is_bt2020, all, itp[is_bt2020], {});
  }
  HdrBuffers four(kPuPsnrWords, width), one(1, width);
  PuSsimBuffers rows(width);
  ForEachTarget([&] {
    SCOPED_TRACE(fmt::format("{}x{}", width, height));
    std::vector<int64_t> made(psnr.size());
    PuPsnrStrips(pair, weights, all, made, four);
    EXPECT_EQ(made, psnr);
    made.assign(ssim.size(), 0);
    for (const RowBand band : {RowBand{strips / 2, strips}, {0, strips / 2}})
      PuSsimStrips(pair, weights, band, made, rows);
    EXPECT_EQ(made, ssim);
    for (const bool is_bt2020 : {false, true}) {
      made.assign(itp[is_bt2020].size(), 0);
      DeltaEStrips(pair, is_bt2020, all, made, {}, one);
      EXPECT_EQ(made, itp[is_bt2020]);
    }
  });
}

TEST(HdrStrips, EqualThePlainLoops) {
  std::mt19937 random(2);
  const auto any = [&] {
    return std::ldexp(static_cast<float>(random() % 4097) / 4096, -static_cast<int>(random() % 40));
  };
  const auto noise = [&] { return std::tuple(any(), any()); };
  const auto near = [&] {
    const float value = any();
    return std::tuple(value, random() % 2 ? value : value * 1.001f);
  };
  int count = 0;
  const auto equal_for_long = [&] {
    const float value = any();
    return std::tuple(value, count++ / 40 % 2 ? value : any());
  };
  const auto extreme = [&] { return std::tuple(random() % 2 ? 1.0f : 0.0f, random() % 2 ? 1.0f : 0.0f); };
  const auto beyond = [&] { return std::tuple(2 * any() - 0.1f, 2 * any() - 0.1f); };
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 5}, {7, 3}, {16, 65}, {33, 130}, {129, 64}, {70, 200}}) {
    ExpectStripsEqualToRef(LightPair(width, height, noise).pair);
    ExpectStripsEqualToRef(LightPair(width, height, near).pair);
    ExpectStripsEqualToRef(LightPair(width, height, equal_for_long).pair);
    ExpectStripsEqualToRef(LightPair(width, height, extreme).pair);
    ExpectStripsEqualToRef(LightPair(width, height, beyond).pair);
  }
}

// --- The metrics as the engine sees them

struct Scores {
  std::vector<std::vector<double>> frames;  // by output
  std::map<std::string, double> clip{};
};

/// The first two of the known pictures.
Scores ScoreKnown(const Metric& metric, const OptionTexts& options, int depth) {
  const TestMetric test(metric, options, KnownPicture(depth, 0, false).format);
  Scores scores = {std::vector<std::vector<double>>(metric.outputs.size())};
  const auto sequence = test.extractor().MakeSequence();
  ScoreRecorder recorder;
  for (int t = 0; t < 2; ++t) {
    ComputedFrame frame = test.Run({KnownPicture(depth, t, false)}, {KnownPicture(depth, t, true)});
    for (size_t i = 0; i < scores.frames.size(); ++i) scores.frames[i].push_back(frame.values[i]);
    if (sequence) sequence->Push(t, {frame.values, frame.kept}, recorder);
  }
  if (sequence) sequence->Flush(recorder);
  scores.clip = recorder.aggregates();
  return scores;
}

auto Near(std::initializer_list<double> values) { return testing::Pointwise(DoubleNear(1e-12), values); }

struct KnownScores {
  OptionTexts options;
  int depth;
  std::string suffix;
  std::initializer_list<double> psnr_y, psnr_rgb, ssim, difference, most;
  double clip_y, clip_rgb;
};

// Of an independent implementation of docs/spec/hdr.md 5.
TEST(Hdr, KnownAnswers) {
  const KnownScores known[] = {
      {{{"transfer", "pq"}},
       10,
       "",
       {33.647079231028194, 33.33786689449836},
       {32.868463751676614, 32.56503079471563},
       {0.9253305694304605, 0.9221238286793693},
       {6.916603405910674, 7.186033825160436},
       {44.770502150058746, 51.640602350234985},
       33.48972170151234,
       32.71409777952962},
      {{{"transfer", "hlg"}},
       10,
       "",
       {38.73336547321682, 38.41840513390456},
       {36.33566686016016, 36.05038977728814},
       {0.9498728983005267, 0.9470637893940427},
       {4.532714145616171, 4.703385578579812},
       {39.54835921525955, 40.640662014484406},
       38.57303072308912,
       36.19068634829424},
      {{{"transfer", "hlg"}, {"peak", "2000"}},
       10,
       "_peak_2000",
       {37.55372507700544, 37.23947856914964},
       {35.29120833097002, 35.0121970684},
       {0.9428671547143787, 0.9398445379684818},
       {4.86992874666278, 5.052950538004373},
       {36.32571458816528, 38.3822500705719},
       37.39376016446401,
       35.149462459944665},
      {{{"transfer", "sdr"}},
       8,
       "",
       {42.61480103737519, 42.577259787463184},
       {39.72903937093987, 39.72366955148968},
       {0.9689963209385769, 0.9691932156149575},
       {2.7614853122734155, 2.770592821337044},
       {18.565517216920853, 20.789494961500168},
       42.595989848322816,
       39.72635363127794},
      {{{"transfer", "pq"}, {"range", "full"}, {"chroma_location", "center"}},
       10,
       "",
       {34.83766745521844, 34.5263961600303},
       {33.85351822081676, 33.581253892389554},
       {0.9311704533522289, 0.927759566200054},
       {6.351349661426453, 6.574272609662359},
       {33.57479810714722, 39.377985298633575},
       34.679243691153644,
       33.71525283445217},
  };
  for (const KnownScores& each : known) {
    const Scores psnr = ScoreKnown(kPuPsnrMetric, each.options, each.depth);
    EXPECT_THAT(psnr.frames[0], Near(each.psnr_y));
    EXPECT_THAT(psnr.frames[1], Near(each.psnr_rgb));
    EXPECT_NEAR(psnr.clip.at("pu_apsnr_y" + each.suffix), each.clip_y, 1e-12);
    EXPECT_NEAR(psnr.clip.at("pu_apsnr_rgb" + each.suffix), each.clip_rgb, 1e-12);
    EXPECT_THAT(ScoreKnown(kPuSsimMetric, each.options, each.depth).frames[0], Near(each.ssim));
    const Scores difference = ScoreKnown(kDeltaEItpMetric, each.options, each.depth);
    EXPECT_THAT(difference.frames[0], Near(each.difference));
    EXPECT_THAT(difference.frames[1], Near(each.most));
  }
}

// Of the same: a display in place of the reference, and its command's reader.
TEST(Hdr, KnownAnswersOnDisplays) {
  const auto expect = [](const OptionTexts& options, int depth, const std::string& suffix,
                         std::initializer_list<double> psnr_y, std::initializer_list<double> psnr_rgb,
                         std::initializer_list<double> ssim, double clip_y) {
    const Scores psnr = ScoreKnown(kPuPsnrMetric, options, depth);
    EXPECT_THAT(psnr.frames[0], Near(psnr_y));
    EXPECT_THAT(psnr.frames[1], Near(psnr_rgb));
    EXPECT_NEAR(psnr.clip.at("pu_apsnr_y" + suffix), clip_y, 1e-12);
    EXPECT_THAT(ScoreKnown(kPuSsimMetric, options, depth).frames[0], Near(ssim));
  };
  expect({{"transfer", "pq"}, {"display", "standard_hdr_pq"}}, 10, "_display_standard_hdr_pq",
         {35.13088093552064, 34.79880697528344}, {33.684860144072715, 33.39676492564233},
         {0.9328461887050395, 0.9296401636839275}, 34.96167081290243);
  expect({{"transfer", "pq"}, {"display", "65inch_hdr_pq_1Knit"}, {"conversion", "reader"}}, 10,
         "_conversion_reader_display_65inch_hdr_pq_1Knit", {36.084757513657365, 35.76540411059038},
         {35.01430821540722, 34.76958382450739}, {0.9401440404952235, 0.9373947048725024}, 35.922146063039705);
  expect({{"transfer", "hlg"}, {"display", "standard_hdr_hlg"}}, 10, "_display_standard_hdr_hlg",
         {38.12283101723335, 37.8075013266878}, {35.707571843687184, 35.426668091866496},
         {0.9463101139955598, 0.9433845452623064}, 37.962304893951085);
  expect({{"transfer", "sdr"}, {"display", "standard_4k"}}, 8, "_display_standard_4k",
         {42.61963862269848, 42.58225555377049}, {39.27217000957334, 39.27695028394331},
         {0.9690440033782063, 0.9692345821584797}, 42.60090686525254);
}

TEST(Hdr, IdenticalPictures) {
  for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const auto& [width, height] : {std::pair{2, 2}, {33, 17}, {64, 130}}) {
      const Picture picture = FilmPicture({width, height, 10, chroma}, 0);
      const auto value = [&](const Metric& metric) {
        return TestMetric(metric, {{"transfer", "pq"}}, picture.format).Values(picture, picture);
      };
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      EXPECT_THAT(value(kPuPsnrMetric), ElementsAre(kInfinity, kInfinity));
      EXPECT_THAT(value(kPuSsimMetric), ElementsAre(1.0));
      EXPECT_THAT(value(kDeltaEItpMetric), ElementsAre(0.0, 0.0));
    }
}

TEST(Hdr, NoSplitIntoBandsChangesABit) {
  const PictureFormat format = {61, 333, 10};
  for (const Metric* metric : kMetrics)
    ExpectNoSplitShows({*metric, {{"transfer", "hlg"}}, format}, {FilmPicture(format, 0)},
                       {FilmPicture(format, 0, true)}, {1, 2, 5});
}

TEST(Hdr, SeveralVideosTogetherAsAlone) {
  const PictureFormat format = {70, 130, 10};
  const Picture reference = FilmPicture(format, 0);
  const std::vector<Picture> distorted = {FilmPicture(format, 0, true), FilmPicture(format, 1), reference};
  for (const Metric* metric : kMetrics)
    for (const int rows : {1, 2, 100}) ExpectTogetherAsAlone(*metric, {{"transfer", "pq"}}, reference, distorted, rows);
}

TEST(Hdr, TheMapIsTheDifference) {
  const PictureFormat format = {50, 70, 10};
  const OptionValues options = OptionValues::Parse(kDeltaEItpMetric.options, {{"transfer", "pq"}}).value();
  const auto extractor = MakeExtractor(kDeltaEItpMetric, options, format).value();
  const std::vector<Picture> reference = {FilmPicture(format, 0)}, distorted = {FilmPicture(format, 0, true)};
  const OfflineFrames clip(kDeltaEItpMetric, options, reference, distorted);
  const ComputedFrame computed = ComputeFrame(kDeltaEItpMetric, *extractor, clip, 0, 3).value();
  double sum = 0, most = 0;
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      const double value = static_cast<double>(computed.artifacts[0].Row<float>(0, y)[x]);
      sum += value;
      most = std::max(most, value);
    }
  EXPECT_NEAR(sum / (format.width * format.height), computed.values[0], 1e-6);
  EXPECT_NEAR(most, computed.values[1], 1e-5);
}

TEST(Hdr, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const OptionTexts& texts) { return RefusalOf(kPuPsnrMetric, texts, {64, 64, 10}); };
  EXPECT_THAT(refusal({{"transfer", "gamma"}}), HasSubstr("transfer=gamma is none of auto, pq, hlg, sdr"));
  EXPECT_THAT(refusal({{"transfer", "pq"}, {"peak", "1000"}}), HasSubstr("peak=1000: PQ codes light itself"));
  EXPECT_THAT(refusal({{"transfer", "hlg"}, {"peak", "399"}}), HasSubstr("from 400 to 2000 cd/m2"));
  EXPECT_THAT(refusal({{"transfer", "sdr"}, {"peak", "bright"}}), HasSubstr("from 1 to 10000 cd/m2"));
  EXPECT_THAT(refusal({{"range", "all"}}), HasSubstr("range=all is none of auto, limited, full"));
  EXPECT_THAT(refusal({{"matrix", "rgb"}}), HasSubstr("matrix=rgb needs pictures in 444"));
  EXPECT_EQ(refusal({{"transfer", "sdr"}, {"peak", "203"}}), "");
  const OptionTexts pq = {{"transfer", "pq"}, {"display", "standard_4k"}};
  EXPECT_THAT(refusal(pq), HasSubstr("display=standard_4k has another curve than transfer=pq"));
  EXPECT_THAT(refusal({{"transfer", "hlg"}, {"display", "standard_hdr_hlg"}, {"peak", "1000"}}),
              HasSubstr("leave out peak=1000"));
  EXPECT_THAT(refusal({{"display", "crt"}}), HasSubstr("no such display 'crt'"));
  EXPECT_THAT(refusal({{"conversion", "none"}}), HasSubstr("conversion=none is none of common, reader"));
  for (const Metric* metric : kMetrics) {
    EXPECT_EQ(metric->must_be_declared, "transfer");
    EXPECT_THAT(RefusalOf(*metric, {}, {1, 8, 10}), HasSubstr(std::string(metric->name) + ": a 1x8 picture in 420"));
  }
}

}  // namespace
}  // namespace acutance
