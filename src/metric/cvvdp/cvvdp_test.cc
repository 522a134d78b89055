#include "metric/cvvdp/cvvdp.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <random>

#include "base/temp_dir.h"
#include "metric/blocks/words.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/recorder.h"
#include "metric/testing/together.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

uint32_t PowBits(uint32_t x, uint32_t exponent) {
  const FloatExponent parts = float_exponent(std::bit_cast<float>(exponent));
  return std::bit_cast<uint32_t>(float_power(std::bit_cast<float>(x), parts));
}

// docs/spec/cvvdp.md 5.1
TEST(CvvdpMath, KnownBits) {
  const uint32_t powers[][3] = {{0x3727c5ac, 0x4010eb32, 0x2ca7b73c}, {0x4640e6b6, 0x4010eb32, 0x4edb41c0},
                                {0x3c23d70a, 0x3fa6bc57, 0x3b22a488}, {0x3fc00000, 0x4038deac, 0x404e75b8},
                                {0x42c80000, 0x406b91c2, 0x4baf66bb}, {0x3f800000, 0x4065aeb1, 0x3f800000}};
  for (const auto& [x, exponent, power] : powers) EXPECT_EQ(PowBits(x, exponent), power);
  for (const auto& [x, power] : {std::pair{0xc0533333u, 0x3dcfefc6u},
                                 {0xbf000000u, 0x3f3504f4u},
                                 {0x3e800000u, 0x3f9837f0u},
                                 {0x40f66666u, 0x434fefc4u}})
    EXPECT_EQ(std::bit_cast<uint32_t>(float_exp2(std::bit_cast<float>(x))), power);
  EXPECT_EQ(cvvdp::cvvdp_soft_pow(0.0f, cvvdp::cvvdp_exponent(2.5f)), 0.0f);
  EXPECT_EQ(cvvdp::cvvdp_soft_pow(0.0f, cvvdp::cvvdp_difference_exponent()), 0.0f);
  for (int c = 0; c < kCvvdpChannels; ++c)
    EXPECT_EQ(cvvdp::cvvdp_soft_pow(0.0f, cvvdp::cvvdp_masking_exponent(c)), 0.0f);
}

// docs/spec/cvvdp.md 5.5
TEST(CvvdpVision, KnownSensitivity) {
  const CvvdpScales scales(1920, 1080, FindDisplay({.name = "standard_4k"}).value().pixels_per_degree);
  ASSERT_EQ(scales.bands(), 8);
  const auto at = [&](int band, int channel) {
    std::vector<uint32_t> bits;
    for (const float light : {0.01f, 0.5f, 37.5f, 180.0f})
      bits.push_back(std::bit_cast<uint32_t>(
          float_exp2(CvvdpSensitivityAt(MakeCvvdpSensitivity(scales, band), channel, cvvdp::cvvdp_node(light)))));
    return bits;
  };
  EXPECT_THAT(at(0, 0), ElementsAre(0x3a8f2c29u, 0x3e01b1c2u, 0x40a0896au, 0x40fffbe5u));
  EXPECT_THAT(at(1, 1), ElementsAre(0x4086c6e2u, 0x41e0c1a2u, 0x43242c43u, 0x4350f651u));
  EXPECT_THAT(at(4, 3), ElementsAre(0x41192215u, 0x4288adc8u, 0x43cbf4f4u, 0x4445aa75u));
  EXPECT_THAT(at(8, 2), ElementsAre(0x3fba2bb6u, 0x40d56967u, 0x41f409e6u, 0x4221f1deu));
}

TEST(CvvdpVision, FramesInASecondMakeTheFilter) {
  const auto length = [](double rate) { return CvvdpVideoFilter(rate).length(); };
  EXPECT_THAT((std::array{length(1), length(24000.0 / 1001), length(25), length(50), length(60), length(120)}),
              ElementsAre(3, 7, 9, 15, 17, 31));
  const CvvdpFilter filter = CvvdpVideoFilter(25);
  EXPECT_FLOAT_EQ(filter.taps[0][4], 0.25191468f);
  EXPECT_FLOAT_EQ(filter.taps[1][8], 0.012168535f);
  EXPECT_FLOAT_EQ(filter.taps[2][1], 0.034513623f);
  EXPECT_FLOAT_EQ(filter.taps[3][2], -0.15660876f);
}

// --- Displays

TEST(Display, Geometry) {
  const auto ppd = [](const DisplayChoice& choice) { return FindDisplay(choice).value().pixels_per_degree; };
  EXPECT_DOUBLE_EQ(ppd({.name = "standard_4k"}), 75.40244934516305);
  EXPECT_DOUBLE_EQ(ppd({.name = "standard_fhd"}), 37.842503853602885);
  EXPECT_DOUBLE_EQ(ppd({.name = "standard_phone"}), 120.56081547997547);
  EXPECT_DOUBLE_EQ(ppd({.name = "standard_hmd"}), 13.153262507309297);
  EXPECT_EQ(ppd({.name = "standard_4k", .pixels_per_degree = 60}), 60);
  EXPECT_DOUBLE_EQ(ppd({.name = "standard_4k", .distance = 0.7472}), 75.40244934516305);
  EXPECT_GT(ppd({.name = "standard_4k", .distance = 1}), 100);
  for (const std::string& name : DisplayNames()) EXPECT_TRUE(FindDisplay({.name = name}).ok()) << name;
}

/// A file of displays, for as long as it lives.
class DisplayFile {
 public:
  explicit DisplayFile(const std::string& text) { std::ofstream(path()) << text; }
  std::string path() const { return folder_ / "displays.json"; }

 private:
  test::TempDir folder_;
};

TEST(Display, OwnFiles) {
  const DisplayFile file(
      R"({"mine": {"resolution": [1920, 1080], "viewing_distance_inches": 23.62204724409449, "diagonal_size_meters":
      0.6096, "max_luminance": 100, "min_luminance": 0.5, "colorspace": "BT.2020-PQ", "E_ambient": 10}})");
  const Display mine = FindDisplay({.name = "", .file = file.path()}).value();
  EXPECT_EQ(mine.name, "mine");
  EXPECT_DOUBLE_EQ(mine.pixels_per_degree, 37.842503853602885);
  EXPECT_DOUBLE_EQ(mine.black, 0.5);
  EXPECT_TRUE(mine.is_bt2020);
  EXPECT_TRUE(FindDisplay({.name = "standard_fhd", .file = file.path()}).ok());
}

TEST(Display, PartsOfABuiltInOne) {
  const Display known = FindDisplay({.name = "standard_fhd"}).value();
  const auto changed = [](const std::string& entry) {
    const DisplayFile file("{\"standard_fhd\": " + entry + "}");
    return FindDisplay({.name = "standard_fhd", .file = file.path()}).value();
  };
  const Display brighter = changed(R"({"max_luminance": 350})");
  EXPECT_EQ(brighter.peak, 350);
  EXPECT_EQ(brighter.pixels_per_degree, known.pixels_per_degree);
  EXPECT_EQ(brighter.ambient, known.ambient);
  EXPECT_DOUBLE_EQ(brighter.peak / brighter.black, known.peak / known.black);
  const Display nearer = changed(R"({"viewing_distance_inches": 12, "min_luminance": 0.25})");
  EXPECT_LT(nearer.pixels_per_degree, known.pixels_per_degree / 1.5);
  EXPECT_DOUBLE_EQ(nearer.black, 0.25);
  EXPECT_EQ(changed(R"({"pixels_per_degree": 50})").pixels_per_degree, 50);
  // A whole display has defaults instead.
  const Display whole = changed(R"({"max_luminance": 350, "pixels_per_degree": 50})");
  EXPECT_EQ(whole.ambient, 0);
  EXPECT_GT(known.ambient, 0);
}

std::string RefusalOfDisplay(const std::string& text) {
  const DisplayFile file(text);
  const auto display = FindDisplay({.name = "", .file = file.path()});
  return display.ok() ? "" : display.status().message();
}

TEST(Display, RefusesWhatIsNone) {
  EXPECT_THAT(FindDisplay({.name = "standard_fdh"}).status().message(), HasSubstr("did you mean 'standard_fhd'?"));
  EXPECT_THAT(FindDisplay({.name = "x", .file = "/nowhere.json"}).status().message(), HasSubstr("/nowhere.json"));
  EXPECT_THAT(RefusalOfDisplay("{"), HasSubstr("displays.json"));
  EXPECT_THAT(RefusalOfDisplay("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(RefusalOfDisplay("{}"), HasSubstr("0 displays"));
  EXPECT_THAT(RefusalOfDisplay(R"({"a": {}, "b": {}})"), HasSubstr("display=NAME"));
  EXPECT_THAT(RefusalOfDisplay(R"({"a": 1})"), HasSubstr("not an object"));
  const std::pair<const char*, const char*> entries[] = {
      {R"("max_luminance": 100, "pixels_per_degree": 50, "E_ambiant": 9)",
       "display 'a': unknown key 'E_ambiant'; did you mean 'E_ambient'? (there are colorspace, max_"},
      {R"("max_luminance": -1)", "'max_luminance'"},
      {R"("max_luminance": 100)", "'resolution'"},
      {R"("max_luminance": 100, "resolution": [1, "2"])", "'resolution'"},
      {R"("max_luminance": 100, "resolution": [640, 480])", "'viewing_distance_meters' is missing"},
      {R"("max_luminance": 100, "colorspace": "BT.601")", "BT.2020-PQ"},
      {R"("max_luminance": 2000, "colorspace": "BT.2020-HLG")", "E_ambient"},
      {R"("max_luminance": 1, "min_luminance": 2)", "black"}};
  for (const auto& [entry, refusal] : entries)
    EXPECT_THAT(RefusalOfDisplay(fmt::format(R"({{"a": {{{}}}}})", entry)), HasSubstr(refusal));
  EXPECT_EQ(RefusalOfDisplay(R"({"a": {"max_luminance": 100, "pixels_per_degree": 50, "source": "none"}})"), "");
}

// --- Rows

struct FloatRows {
  explicit FloatRows(int width) {
    for (auto& row : rows) row.resize(width);
  }
  std::array<float*, 3> pointers() { return {rows[0].data(), rows[1].data(), rows[2].data()}; }
  bool operator==(const FloatRows&) const = default;

  std::array<std::vector<float>, 3> rows;
};

TEST(CvvdpInput, ReadsAsThePlainLoopsDo) {
  std::mt19937 random(1);
  for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const int depth : {8, 10, 16})
      for (const auto& [width, height] : {std::pair{2, 2}, {3, 3}, {17, 5}, {34, 6}, {67, 4}}) {
        const PictureFormat format = {width, height, depth, chroma};
        const Picture picture =
            MakeTestPicture(format, [&](int, int, int) { return static_cast<int>(random() & ((1u << depth) - 1)); });
        const ReaderRgb reader(format, depth == 10);
        for (int y = 0; y < height; ++y) {
          FloatRows expected(width), rows(width);
          ReaderRgbRowRef(reader, picture, y, expected.pointers());
          ForEachTarget([&] {
            ReaderRgbRow(reader, picture, y, rows.pointers());
            EXPECT_EQ(rows, expected) << width << "x" << height << " " << PixelFormatName(chroma) << " row " << y;
          });
        }
      }
}

TEST(CvvdpInput, MakesChannelsAsThePlainLoopsDo) {
  std::mt19937 random(2);
  for (const char* name :
       {"standard_4k", "standard_hdr_pq", "standard_hdr_hlg", "iphone_14_pro_hdr", "standard_hdr_linear"})
    for (const double exposure : {1.0, 1.5}) {
      Display display = FindDisplay({.name = name}).value();
      display.exposure = exposure;
      const CvvdpLight light(display);
      FloatRows encoded(77);
      for (auto& row : encoded.rows)
        for (float& value : row) value = static_cast<float>(random() % 1300) / 1000.0f - 0.15f;
      for (int c = 0; c < 3; ++c) encoded.rows[c][0] = 0.0f, encoded.rows[c][1] = 1.0f, encoded.rows[c][2] = -0.0f;
      FloatRows expected = encoded;
      CvvdpChannelRowRef(light, 77, expected.pointers());
      ForEachTarget([&] {
        FloatRows rows = encoded;
        CvvdpChannelRow(light, 77, rows.pointers());
        EXPECT_EQ(rows, expected) << name;
      });
    }
}

// docs/spec/cvvdp.md 5.2
TEST(CvvdpInput, KnownChannels) {
  const auto channels = [](const char* name) {
    FloatRows row(1);
    row.rows = {{{0.2f}, {0.5f}, {0.8f}}};
    CvvdpChannelRow(CvvdpLight(FindDisplay({.name = name}).value()), 1, row.pointers());
    std::vector<uint32_t> bits;
    for (const auto& plane : row.rows) bits.push_back(std::bit_cast<uint32_t>(plane[0]));
    return bits;
  };
  EXPECT_THAT(channels("standard_4k"), ElementsAre(0x42304e58u, 0xc0ea0d41u, 0x42950a89u));
  EXPECT_THAT(channels("standard_hdr_pq"), ElementsAre(0x43323586u, 0xc2b36898u, 0x44aebfeeu));
  EXPECT_THAT(channels("standard_hdr_hlg"), ElementsAre(0x428a51e4u, 0xc1b3d936u, 0x435a4f17u));
}

// --- Resizing

std::vector<float> Resized(CvvdpResizing::Filter filter, PictureSize from, PictureSize to) {
  std::vector<float> plane(static_cast<size_t>(from.width) * from.height),
      out(static_cast<size_t>(to.width) * to.height);
  for (size_t i = 0; i < plane.size(); ++i) plane[i] = static_cast<float>(i);
  CvvdpResizer resizer(filter, from, to);
  for (int y = 0; y < to.height; ++y) resizer.MakeRow(plane, y, out.data() + static_cast<size_t>(y) * to.width);
  return out;
}

// docs/spec/cvvdp.md 1.2
TEST(CvvdpResizer, Filters) {
  using enum CvvdpResizing::Filter;
  EXPECT_THAT(Resized(kNearest, {3, 1}, {6, 1}), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(Resized(kBilinear, {3, 1}, {6, 1}), ElementsAre(0, 0.25, 0.75, 1.25, 1.75, 2));
  EXPECT_THAT(Resized(kBilinear, {2, 2}, {2, 4}), ElementsAre(0, 1, 0.5, 1.5, 1.5, 2.5, 2, 3));
  EXPECT_THAT(Resized(kArea, {6, 1}, {3, 1}), ElementsAre(0.5, 2.5, 4.5));
  EXPECT_THAT(Resized(kArea, {3, 1}, {2, 1}), ElementsAre(0.5, 1.5));
  EXPECT_THAT(Resized(kBicubic, {4, 1}, {4, 1}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Resized(kBicubic, {4, 1}, {2, 1}), ElementsAre(0.40625, 2.59375));
}

TEST(CvvdpResizer, KeepsTheAspect) {
  CvvdpResizing resizing = {.filter = CvvdpResizing::Filter::kBicubic, .display = {1920, 1080}, .keeps_aspect = true};
  const auto size = [&](int width, int height) {
    const PictureSize made = resizing.SizeOf({width, height});
    return std::pair(made.width, made.height);
  };
  EXPECT_EQ(size(1280, 720), std::pair(1920, 1080));
  EXPECT_EQ(size(720, 576), std::pair(1350, 1080));
  EXPECT_EQ(size(1920, 800), std::pair(1920, 800));
  resizing.keeps_aspect = false;
  EXPECT_EQ(size(720, 576), std::pair(1920, 1080));
  resizing.filter = CvvdpResizing::Filter::kNone;
  EXPECT_EQ(size(720, 576), std::pair(720, 576));
}

/// Planes of one size, with the padding that rows have.
class Planes {
 public:
  template <class Fill>  // (channel) -> sample
  Planes(int width, int height, Fill fill) {
    const ptrdiff_t stride = (width + 2 * kCvvdpPadding - 1) / kCvvdpPadding * kCvvdpPadding;
    for (int v = 0; v < 2; ++v)
      for (int c = 0; c < kCvvdpChannels; ++c) {
        std::vector<float>& samples = samples_[v][c];
        samples.resize(static_cast<size_t>(stride) * height);
        scale[v][c] = {samples.data(), stride, width, height};
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) scale[v][c].Row(y)[x] = fill(c);
      }
  }

  CvvdpScale scale;

 private:
  std::array<std::array<std::vector<float>, kCvvdpChannels>, 2> samples_;
};

constexpr std::pair<int, int> kSizes[] = {{4, 4},   {5, 6},   {6, 200}, {7, 7},    {8, 13},  {33, 9},
                                          {64, 64}, {71, 65}, {30, 70}, {97, 131}, {129, 77}};

TEST(CvvdpPyramid, ReducesAsThePlainLoopsDo) {
  std::mt19937 random(3);
  for (const auto& [width, height] : kSizes) {
    const Planes from(width, height, [&](int) { return static_cast<float>(random() % 2000) / 7.0f; });
    const Planes expected((width + 1) / 2, (height + 1) / 2, [](int) { return 0.0f; });
    for (int y = 0; y < (height + 1) / 2; ++y) CvvdpReduceRowRef(from.scale[0][0], y, expected.scale[0][0]);
    CvvdpBuffers buffers(width);
    ForEachTarget([&] {
      const CvvdpPlane& to = expected.scale[1][0];
      for (int y = 0; y < to.height; ++y) {
        CvvdpReduceRow(from.scale[0][0], y, to, buffers);
        for (int x = 0; x < to.width; ++x)
          EXPECT_EQ(to.Row(y)[x], expected.scale[0][0].Row(y)[x]) << width << "x" << height << " at " << x << ", " << y;
      }
    });
  }
}

// The right edge follows the number of rows (docs/spec/cvvdp.md 4.1).
TEST(CvvdpPyramid, KnownEdges) {
  const auto last = [](int width, int height) {
    Planes from(width, height, [](int) { return 0.0f; }),
        to((width + 1) / 2, (height + 1) / 2, [](int) { return 0.0f; });
    for (int y = 0; y < height; ++y) from.scale[0][0].Row(y)[width - 1] = 1.0f;
    CvvdpBuffers buffers(width);
    CvvdpReduceRow(from.scale[0][0], 1, to.scale[0][0], buffers);
    return to.scale[0][0].Row(1)[(width - 1) / 2];
  };
  EXPECT_NEAR(last(8, 8), 0.25 + 0.05, 1e-6);
  EXPECT_NEAR(last(8, 9), 2 * 0.25, 1e-6);
  EXPECT_NEAR(last(9, 8), 0.4 + 0.05, 1e-6);
  EXPECT_NEAR(last(9, 9), 0.4 + 0.25, 1e-6);
}

TEST(CvvdpFilter, EqualsThePlainLoops) {
  std::mt19937 random(4);
  for (const CvvdpFilter& filter : {CvvdpImageFilter(), CvvdpVideoFilter(25), CvvdpVideoFilter(60)})
    for (const int width : {1, 8, 37}) {
      std::vector<std::vector<float>> samples;
      std::vector<std::array<const float*, 3>> rows(filter.length());
      for (int i = 0; i < 3 * filter.length(); ++i) {
        std::vector<float>& row = samples.emplace_back(width);
        for (float& value : row) value = static_cast<float>(random() % 1000) / 3.0f - 100.0f;
      }
      for (int i = 0; i < 3 * filter.length(); ++i) rows[i / 3][i % 3] = samples[i].data();
      std::array<std::vector<float>, kCvvdpChannels> expected, made;
      for (int c = 0; c < kCvvdpChannels; ++c) expected[c].resize(width), made[c].resize(width);
      const auto pointers = [](auto& planes) {
        return std::array<float*, kCvvdpChannels>{planes[0].data(), planes[1].data(), planes[2].data(),
                                                  planes[3].data()};
      };
      CvvdpFilterRowRef(filter, rows, width, pointers(expected));
      ForEachTarget([&] {
        CvvdpFilterRow(filter, rows, width, pointers(made));
        EXPECT_EQ(made, expected) << width;
      });
    }
}

/// All strips at once, and in two runs; alone, and next to the reference as a second and a third video.
void ExpectStripsEqualToRef(const CvvdpScale& scale, const CvvdpScale& next, int channels) {
  const CvvdpSensitivity sensitivity = MakeCvvdpSensitivity(CvvdpScales(640, 480, 75), 1);
  const int width = scale[0][0].width, height = scale[0][0].height;
  const int strips = (height + kCvvdpStrip - 1) / kCvvdpStrip;
  const Planes heat(width, height, [](int) { return 0.0f; });
  CvvdpBand band = {.scale = scale,
                    .next = next,
                    .channels = channels,
                    .sensitivity = &sensitivity,
                    .heat_weights = {1.0f, 0.5f, 1.0f, 0.8f},
                    .heat = &heat.scale[0][0]};
  std::vector<int64_t> expected(static_cast<size_t>(strips) * kCvvdpChannels), of_same(expected.size());
  CvvdpStripsRef(band, expected);
  CvvdpBand same = band;
  same.scale[1] = scale[0];
  same.next[1] = next[0];
  same.heat = nullptr;
  CvvdpStripsRef(same, of_same);
  band.heat = &heat.scale[1][0];
  CvvdpBuffers buffers(width);
  ForEachTarget([&] {
    for (const size_t count : {1, 3, 1}) {
      const std::vector<CvvdpBand> bands = count == 1 ? std::vector{band} : std::vector{same, band, same};
      std::vector<std::vector<int64_t>> words(count, std::vector<int64_t>(expected.size()));
      const auto run = [&](int begin, int end) {
        std::vector<std::span<int64_t>> to;
        for (auto& each : words) to.push_back(std::span(each).subspan(size_t{kCvvdpChannels} * begin));
        CvvdpStrips(bands, begin, end, to, buffers);
      };
      const auto expect_equal = [&] {
        for (size_t i = 0; i < count; ++i)
          EXPECT_EQ(words[i], i == count / 2 ? expected : of_same) << width << "x" << height << " " << i;
      };
      run(0, strips);
      expect_equal();
      for (auto& each : words) std::ranges::fill(each, 0);
      run(strips / 2, strips);
      run(0, strips / 2);
      expect_equal();
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) EXPECT_EQ(heat.scale[0][0].Row(y)[x], heat.scale[1][0].Row(y)[x]);
    }
  });
}

TEST(CvvdpStrips, EqualThePlainLoops) {
  std::mt19937 random(5);
  const auto noise = [&](int c) { return static_cast<float>(random() % 2000) / 10.0f - (c == 0 ? 0.0f : 100.0f); };
  const auto extreme = [&](int c) { return random() % 2 ? 10000.0f : c == 0 ? 0.005f : -10000.0f; };
  const auto dark = [&](int) { return static_cast<float>(random() % 100) * 1e-5f; };
  const auto flat = [&](int c) { return c == 0 ? 50.0f : 0.0f; };
  for (const auto& [width, height] : kSizes) {
    const int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    const auto expect = [&](const auto& fill, int channels) {
      const Planes scale(width, height, fill), next(half_width, half_height, fill);
      ExpectStripsEqualToRef(scale.scale, next.scale, channels);
    };
    expect(noise, kCvvdpChannels);
    expect(noise, 3);
    expect(extreme, kCvvdpChannels);
    expect(dark, kCvvdpChannels);
    expect(flat, kCvvdpChannels);
  }
}

// --- The metric as the engine sees it

}  // namespace
}  // namespace acutance
