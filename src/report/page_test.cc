#include "report/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/image_files.h"
#include "report/page_encodes.h"
#include "report/page_parts.h"
#include "report/picture_image.h"
#include "report/run_page.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

using ParsedJson = nlohmann::json;

/// Not a matcher: a page that lacks something is too long to print.
bool Has(const std::string& page, std::string_view text) { return page.find(text) != page.npos; }

Picture Gray(int width, int height, int value, int spot = 0) {
  const MutablePicture picture = AllocatePicture({width, height, 8, PixelFormat::k420}).value();
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < picture.format.PlaneHeight(p); ++y)
      for (int x = 0; x < picture.format.PlaneWidth(p); ++x)
        picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(p > 0 ? 128 : x / 8 == spot && spot > 0 ? 235 : value);
  return picture.Share();
}

/// A run of one encode with a model and a feature.
struct ScoredPage {
  explicit ScoredPage(int64_t frames, const std::string& name = "encode.mp4", double loss = 40) {
    const int vmaf = *table.AddColumn("vmaf", "vmaf"), feature = *table.AddColumn("stored_cambi", "cambi");
    for (int64_t f = 0; f < frames; ++f) {
      EXPECT_TRUE(table.Set(vmaf, f, 90 - (f >= 50 && f < 75 ? loss : 0) + static_cast<double>(f % 7) / 10).ok());
      EXPECT_TRUE(table.Set(feature, f, static_cast<double>(f % 11)).ok());
    }
    summary.version = "1.2";
    summary.reference = "reference.mp4";
    summary.width = 640;
    summary.height = 360;
    summary.pixel_format = "420";
    summary.frame_count = frames;
    summary.seconds = 1;
    summary.models = {{"vmaf", "vmaf_v0.6.1"}};
    summary.videos = {{name, &table, nullptr}};
    page.summary = &summary;
    page.model_columns = {"vmaf"};
    page.quality_column = vmaf;
    page.frame_rate = 25;
    page.videos.resize(1);
  }

  ScoreTable table;
  Summary summary;
  Page page;
};

ParsedJson DataOf(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  return ParsedJson::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(Page, SaysWhatItComesTo) {
  ScoredPage run(100);
  const std::string page = MakePage(run.page);
  EXPECT_TRUE(Has(page, "<strong>encode.mp4</strong> has vmaf <strong>80.30, good"));
  EXPECT_TRUE(Has(page, "Its worst second, from 0:02.00, has 50."));
  EXPECT_TRUE(Has(page, "data-frame=\"50\""));
  EXPECT_EQ(DataOf(page)["curves"].size(), 2);
}

TEST(Page, DoubtsPairsThatNothingLookedAt) {
  const char* const doubt = "If the worst frames below show different frames";
  EXPECT_FALSE(Has(MakePage(ScoredPage(100).page), doubt));  // its worst second has 50
  ScoredPage low(100, "encode.mp4", 80);
  EXPECT_TRUE(Has(MakePage(low.page), doubt));
  const Alignment pairs;
  low.summary.videos[0].alignment = &pairs;
  EXPECT_FALSE(Has(MakePage(low.page), doubt));
}

TEST(Page, HasEncodesSideBySide) {
  ScoredPage run(10);
  EXPECT_FALSE(Has(MakePage(run.page), "side by side"));
  Comparison comparison{.score = "vmaf", .encodes = {{.name = "a<b", .bytes = 100}, {.name = "c"}}, .differences = {}};
  comparison.differences.push_back({.a = 0, .b = 1, .mean = 3, .interval = {}});
  run.page.encodes_part = EncodesPart(comparison);
  const std::string page = MakePage(run.page);
  EXPECT_TRUE(Has(page, "<th scope=\"row\">a&lt;b</th><td>100</td>"));
  EXPECT_TRUE(Has(page, "a&lt;b is 3.00 - above c, which may be chance"));
}

TEST(Comparison, SaysDistancesWithoutSigns) {
  Comparison comparison{.score = "butteraugli", .better = ScoreDirection::kLower, .common_frames = {}, .encodes = {}};
  comparison.encodes.resize(2);
  comparison.encodes[0].name = "a";
  comparison.encodes[1].name = "b";
  const auto text = [&](double mean, Interval interval) {
    return DifferenceText(comparison, {0, 1, mean, interval}, 2);
  };
  EXPECT_EQ(text(-19.77, {-26, -15}), "a is 19.77 [15.00, 26.00] below b");
  EXPECT_EQ(text(-3, {-7, 1}), "a is 3.00 [-1.00, 7.00] below b, which may be chance");
  EXPECT_EQ(text(3, {1, 7}), "a is 3.00 [1.00, 7.00] above b");
}

TEST(Page, DrawsRatesAndQualities) {
  Ladder ladder{.score = "vmaf", .curves = {}, .differences = {}};
  ladder.curves.push_back({.name = "x", .points = {{1000, 50}, {4000, 90}}, .encodes = {"x1", "x4"}, .hull = {1}});
  ladder.curves.push_back({.name = "y", .points = {{2000, 70}}, .encodes = {"y2"}, .hull = {}});
  ladder.differences.push_back({"x", "y", "y has one point", {}, {}});
  const std::string part = EncodesPart(ladder);
  EXPECT_TRUE(Has(part, "points=\"60.0,290.0 680.0,20.0 \""));
  EXPECT_TRUE(Has(part, "points=\"370.0,155.0 \""));
  EXPECT_TRUE(Has(part, "y against x: not computed, because y has one point"));
  EXPECT_TRUE(
      Has(part, "<th scope=\"row\">x4</th><td>-</td><td>4.0 kbit/s</td><td>90.0000</td><td>90.0000</td><td>yes</td>"));
}

TEST(Page, LabelsRungsByTheirSizes) {
  Ladder ladder{.score = "vmaf", .curves = {}, .differences = {}};
  ladder.curves.push_back({.name = "x",
                           .points = {{1000, 50}, {4000, 90}},
                           .encodes = {"low.mp4", "high.mp4"},
                           .hull = {},
                           .sizes = {"640x360", "1280x720"}});
  const std::string part = EncodesPart(ladder);
  EXPECT_TRUE(Has(part, ">low, 640x360</text>"));
  EXPECT_TRUE(Has(part, "<title>x high: 1280x720, 4.0 kbit/s, 90.00</title>"));
  EXPECT_TRUE(Has(part, "<th scope=\"row\">high.mp4</th><td>1280x720</td><td>4.0 kbit/s</td>"));
  ladder.curves[0].sizes = {"640x360", "640x360"};
  EXPECT_TRUE(Has(EncodesPart(ladder), ">low</text>"));  // all have that size
}

TEST(Page, TellsWhatDamageLooksLike) {
  ScoredPage run(100);
  run.page.videos[0].lost = LostPoints{{0, 12, 0, 3, 0}, 100, 85};
  run.page.videos[0].lost_frames = 50;
  const std::string page = MakePage(run.page);
  EXPECT_TRUE(Has(page, "the encode has 85.0, the mean of 50 frames."));
  EXPECT_TRUE(Has(page, "contours, blocks, ringing, noise"));
  EXPECT_TRUE(Has(page, "smooth areas in visible steps"));
  EXPECT_FALSE(Has(page, "colors differ"));
}

TEST(Page, NamesWhatElseAnnoysInTheWorstSecond) {
  ScoredPage run(100);
  const auto cause = [&](Damage most, double from) {
    LostPoints lost;
    lost.points[static_cast<int>(most)] = 10;
    run.page.videos[0].lost_at = [lost](int64_t) { return lost; };
    run.page.annoyances = {{"stored_cambi", Damage::kBanding, from}};
    const std::string page = MakePage(run.page);
    const size_t at = page.find(", mostly for ");
    return page.substr(at, page.find("</p>", at) - at);
  };
  // The worst frame, 56, has 1 of the feature.
  EXPECT_EQ(cause(Damage::kDetail, 1), ", mostly for detail lost, and banding is visible.");
  EXPECT_EQ(cause(Damage::kDetail, 1.5), ", mostly for detail lost.");
  EXPECT_EQ(cause(Damage::kBanding, 1), ", mostly for banding.");
}

TEST(Page, NamesFilesOfOneNameByTheirPaths) {
  ScoredPage run(10, "a/encode.mp4");
  run.summary.videos.push_back({"b/encode.mp4", &run.table, nullptr});
  run.page.videos.resize(2);
  const std::string page = MakePage(run.page);
  EXPECT_TRUE(Has(page, "<title>a/encode.mp4, b/encode.mp4 against reference.mp4"));
  EXPECT_EQ(DataOf(page)["videos"], ParsedJson({"a/encode.mp4", "b/encode.mp4"}));
}

TEST(Page, BeginsWithTheNumberOfTheClipWhereOneStandsForTheMean) {
  ScoredPage run(100);
  run.page.model_columns.clear();
  run.page.clip_score = "vmaf_clip";
  EXPECT_TRUE(Has(MakePage(run.page), "on average"));  // the run had none
  run.table.SetAggregate("vmaf_clip", 8.5);
  const std::string page = MakePage(run.page);
  EXPECT_TRUE(Has(page, "has vmaf_clip <strong>8.5</strong>. Its worst second, from 0:02.00, has vmaf 50."));
  EXPECT_FALSE(Has(page, "on average"));
}

TEST(Page, ShowsWhereShotsBegin) {
  ScoredPage run(100);
  EXPECT_EQ(DataOf(MakePage(run.page))["shots"], ParsedJson::array());
  EXPECT_FALSE(Has(MakePage(run.page), "from shot to shot"));
  run.summary.videos[0].shots = {{0, 30}, {30, 55}, {55, 100}};
  const std::string page = MakePage(run.page);
  EXPECT_EQ(DataOf(page)["shots"], ParsedJson({30, 55}));
  EXPECT_TRUE(Has(page, "from shot to shot"));
}

TEST(Page, NeedsNoOtherFile) {
  ScoredPage run(10);
  const std::string page = MakePage(run.page);
  for (const char* word : {"http:", "https:", "src=\"/", "@import", "url(http"})
    EXPECT_FALSE(Has(page.substr(0, page.find("<script")), word)) << word;
  EXPECT_TRUE(Has(page, "default-src 'none'"));
}

TEST(Page, NamesAreTextWhateverTheyHold) {
  ScoredPage run(3, "a<script>alert(1)<!--&\xff.mp4");
  const std::string page = MakePage(run.page);
  EXPECT_FALSE(Has(page, "<script>alert"));
  EXPECT_EQ(DataOf(page)["videos"].size(), 1);
}

TEST(Page, ShowsFramesWithTheirPictures) {
  ScoredPage run(60);
  LostPoints lost;
  lost.points[static_cast<int>(Damage::kBanding)] = 12.5;
  run.page.videos[0].worst = {{50, 50.0, lost, Gray(1920, 1080, 100), Gray(1920, 1080, 100, 100)}};
  const std::string page = MakePage(run.page);
  EXPECT_TRUE(Has(page, "points lost: banding 12.5"));
  EXPECT_TRUE(Has(page, "around (8"));  // the bar is at x = 800
  const auto count = [&](std::string_view text) {
    size_t found = 0;
    for (size_t at = 0; (at = page.find(text, at)) != page.npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("<img src=\"data:image/jpeg;base64,/9j/"), 3u);
  EXPECT_EQ(count("<img src=\"data:image/png;base64,iVBOR"), 2u) << "the crops are lossless";
}

TEST(Page, StaysSmall) {
  constexpr int64_t kFrames = 100'000;
  ScoredPage run(kFrames);
  for (int c = 0; c < 24; ++c) {
    const int column = *run.table.AddColumn(fmt::format("f{}", c), fmt::format("f{}", c));
    for (int64_t f = 0; f < kFrames; ++f)
      ASSERT_TRUE(run.table.Set(column, f, std::sin(static_cast<double>(f * (c + 1)))).ok());
  }
  MutablePicture noise = AllocatePicture({1280, 720, 8, PixelFormat::k420}).value();
  uint32_t state = 1;
  for (int y = 0; y < 720; ++y)
    for (int x = 0; x < 1280; ++x)
      noise.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  const Picture picture = noise.Share();
  run.page.videos[0].worst.assign(6, {7, 50.0, std::nullopt, picture, Gray(1280, 720, 90)});
  EXPECT_LT(MakePage(run.page).size(), 5'000'000);
}

TEST(PackCurve, GivesEveryFrameOfAShortClip) {
  const PackedCurve curve = PackCurve({1.0, std::nullopt, 3.0}, 3, StepOf(3, 2, 600'000));
  EXPECT_EQ(curve.step, 1);
  EXPECT_EQ(curve.low, 1);
  EXPECT_EQ(curve.high, 3);
  EXPECT_EQ(curve.minimum, Base64(std::string("\0\0\xff\xff\xfe\xff", 6)));
  EXPECT_EQ(curve.maximum, "");
}

TEST(PackCurve, GivesTheRangeOfEachStep) {
  const PackedCurve curve = PackCurve({0.0, 65534.0, 256.0, std::nullopt, 1.0}, 6, 2);
  EXPECT_EQ(curve.minimum, Base64(std::string("\0\0\0\1\1\0", 6)));
  EXPECT_EQ(curve.maximum, Base64(std::string("\xfe\xff\0\1\1\0", 6)));
}

TEST(WorstSeconds, FollowTheRate) {
  ScoredPage run(100);
  const std::vector<WorstSecond> seconds = FindWorstSeconds(run.page, 0, 9);
  ASSERT_EQ(seconds.size(), 4);
  EXPECT_EQ(seconds[0].first, 50);
  EXPECT_EQ(seconds[0].frames, 25);
  EXPECT_EQ(seconds[0].worst, 56);
  run.page.frame_rate = 24000.0 / 1001;
  EXPECT_EQ(FindWorstSeconds(run.page, 0, 9)[0].frames, 24);
  EXPECT_EQ(Clock(run.page, 24 * 3700), "1:01:43.70");
  run.page.frame_rate = std::nullopt;
  EXPECT_EQ(Clock(run.page, 7), "frame 7");
}

// The pooling worst_second; a part of a second at the end is none.
TEST(WorstSeconds, BeginAnywhere) {
  ScoredPage run(61);
  run.page.frame_rate = 20;
  std::vector<double> scores;
  for (const auto& score : run.table.columns()[0].scores) scores.push_back(*score);
  double worst = 100;
  for (size_t begin = 0; begin + 20 <= scores.size(); ++begin)
    worst = std::min(worst, Mean(std::span(scores).subspan(begin, 20)));
  const std::vector<WorstSecond> seconds = FindWorstSeconds(run.page, 0, 9);
  EXPECT_EQ(seconds[0].score, worst);
  EXPECT_EQ(seconds[0].first, 41);
  ASSERT_EQ(seconds.size(), 3);
  for (const WorstSecond& second : seconds) EXPECT_EQ(second.frames, 20);
}

TEST(Images, HaveTheColorsOfVideo) {
  const RgbImage gray = ToImage(Gray(64, 32, 126), false, 32);
  EXPECT_EQ(gray.width, 32);
  EXPECT_EQ(gray.height, 16);
  EXPECT_EQ(gray.rgb[0], 128);
  EXPECT_EQ(gray.rgb[1], 128);
  EXPECT_EQ(ToImage(Gray(64, 32, 126), true, 64).rgb[2], 126);
  const RgbImage same = DifferenceImage(Gray(64, 32, 50), Gray(64, 32, 50), 64);
  EXPECT_EQ(same.rgb[0], 0);
  const CropWindow spot = WorstSpot(Gray(640, 320, 50), Gray(640, 320, 50, 40), 64);  // columns 320 to 327
  EXPECT_EQ(spot.x, 352);
  EXPECT_EQ(CropImage(Gray(20, 10, 60), false, 3, 3, 320, 240).width, 20);
  EXPECT_EQ(Png(gray).substr(1, 3), "PNG");
}

/// Samples that differ from place to place, the same at any depth.
Picture Colored(int width, int height, int bit_depth, PixelFormat pixel_format, int more = 0) {
  const MutablePicture picture = AllocatePicture({width, height, bit_depth, pixel_format}).value();
  for (int p = 0; p < picture.format.PlaneCount(); ++p)
    for (int y = 0; y < picture.format.PlaneHeight(p); ++y)
      for (int x = 0; x < picture.format.PlaneWidth(p); ++x) {
        const int value = (x * (17 + 5 * p) + y * 31 + p * 100 + more) % 256;
        if (bit_depth == 8) picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(value);
        else picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(value << (bit_depth - 8));
      }
  return picture.Share();
}

TEST(Images, AreTheSameOfEightBitsAsOfMore) {
  for (const PixelFormat format : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const int width : {1, 37, 200})
      for (const int height : {1, 45}) {
        SCOPED_TRACE(testing::Message() << width << "x" << height << " format " << static_cast<int>(format));
        const Picture eight = Colored(width, height, 8, format), ten = Colored(width, height, 10, format);
        for (const int most : {1000, 100, 60})
          EXPECT_EQ(ToImage(eight, false, most).rgb, ToImage(ten, false, most).rgb);
        for (const int at : {3, 20, 37, 44})
          EXPECT_EQ(CropImage(eight, true, at, at, 32, 24).rgb, CropImage(ten, true, at, at, 32, 24).rgb);
        EXPECT_EQ(DifferenceImage(eight, Colored(width, height, 8, format, 9), 60).rgb,
                  DifferenceImage(ten, Colored(width, height, 10, format, 9), 60).rgb);
      }
}

TEST(Images, OfDifferencesAreWhiteFrom32Steps) {
  for (const int most : {64, 32, 20}) {
    const RgbImage image = DifferenceImage(Gray(64, 32, 50), Gray(64, 32, 82), most);
    EXPECT_EQ(image.rgb, std::vector<uint8_t>(image.rgb.size(), 255));
    uint8_t half[3];
    HeatColor(0.5, half);
    const RgbImage less = DifferenceImage(Gray(64, 32, 50), Gray(64, 32, 66), most);
    EXPECT_TRUE(std::equal(half, half + 3, less.rgb.begin()));
  }
}

TEST(Base64, PadsItsEnd) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
}

TEST(SampledFrames, AreAllOfAShortVideo) {
  EXPECT_EQ(SampledFrames(4, 1, 4), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(SampledFrames(8, 3, 4), (std::vector<int64_t>{0, 3, 6}));
  EXPECT_TRUE(SampledFrames(0, 1, 4).empty());
}

TEST(SampledFrames, LieInOrderAndAreScored) {
  const std::vector<int64_t> frames = SampledFrames(100'001, 7, 400);
  EXPECT_EQ(frames.size(), 400u);
  EXPECT_TRUE(std::ranges::is_sorted(frames));
  EXPECT_LT(frames.back(), 100'001);
  for (const int64_t frame : frames) EXPECT_EQ(frame % 7, 0);
}

// Samples at equal distances saw key frames alone, or none.
TEST(SampledFrames, SeeKeyFramesAsOftenAsTheyAre) {
  for (const int period : {2, 5, 10, 12, 24, 25, 48, 50, 125, 250})
    for (const int64_t length : {10'000, 50'000, 100'000}) {
      const std::vector<int64_t> frames = SampledFrames(length, 1, 400);
      const auto keys = std::ranges::count_if(frames, [&](int64_t frame) { return frame % period == 0; });
      EXPECT_NEAR(static_cast<double>(keys) / std::ssize(frames), 1.0 / period, 0.03) << period << " of " << length;
    }
}

}  // namespace
}  // namespace acutance
