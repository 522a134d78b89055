#include "video/fit_videos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "video/filters.h"
#include "video/replay_buffer.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// A video of pictures of one value.
class FlatVideo : public VideoSource {
 public:
  FlatVideo(const PictureFormat& format, VideoColor color, int luma, int chroma)
      : format_(format), color_(color), values_{luma, chroma} {}
  const PictureFormat& format() const override { return format_; }
  VideoFacts facts() const override { return facts_; }
  void SetFacts(const VideoFacts& facts) { facts_ = facts; }
  /// Samples that count up, instead of one value.
  void MakeRamp() { ramp_ = true; }
  VideoColor color() const override { return color_; }
  Result<std::optional<Picture>> Next() override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture picture, AllocatePicture(format_));
    for (int p = 0; p < format_.PlaneCount(); ++p)
      for (int y = 0; y < format_.PlaneHeight(p); ++y)
        for (int x = 0; x < format_.PlaneWidth(p); ++x) {
          if (format_.bit_depth > 8) picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(values_[p > 0]);
          else picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(ramp_ ? y * format_.width + x : values_[p > 0]);
        }
    return std::optional(picture.Share());
  }

 private:
  const PictureFormat format_;
  const VideoColor color_;
  const int values_[2];
  VideoFacts facts_;
  bool ramp_ = false;
};

constexpr PictureFormat kFormat = {64, 36, 8, PixelFormat::k420};
constexpr PictureFormat kDeep = {64, 36, 10, PixelFormat::k420};
constexpr PictureFormat kTiny = {32, 18, 8, PixelFormat::k420};
constexpr VideoColor kFull = {.full_range = true}, kLimited = {.full_range = false};
constexpr VideoColor kPq = {.transfer = Transfer::kPq}, kHlg = {.transfer = Transfer::kHlg};
constexpr FitOptions kAll = {.size = CommonSize(), .raise_bit_depth = true, .heed_color = true};

PairReaderInput Flat(const char* name, const PictureFormat& format, VideoColor color = {}, int luma = 0,
                     int chroma = 128) {
  return {name, std::make_unique<FlatVideo>(format, color, luma, chroma)};
}

PairReaderInput WithFacts(PairReaderInput input, const VideoFacts& facts) {
  static_cast<FlatVideo&>(*input.video).SetFacts(facts);
  return input;
}

struct Fitted {
  Result<std::vector<std::string>> steps;
  PairReaderInput reference;
  std::vector<PairReaderInput> distorted;
  std::vector<std::pair<std::string, Change>> changes{};  // by name
};

Fitted Fit(const FitOptions& options, PairReaderInput reference, PairReaderInput distorted) {
  Fitted fitted{Status(), std::move(reference), {}};
  fitted.distorted.push_back(std::move(distorted));
  Result<std::vector<FitStep>> steps = FitVideos(options, fitted.reference, fitted.distorted);
  if (!steps.ok()) {
    fitted.steps = steps.status();
    return fitted;
  }
  fitted.steps = std::vector<std::string>();
  for (const FitStep& step : *steps) {
    fitted.steps->push_back(step.text);
    EXPECT_EQ(step.change == Change::kNone, step.input == nullptr) << step.text;
    fitted.changes.emplace_back(step.input ? step.input->name : "", step.change);
  }
  return fitted;
}

std::vector<std::string> Steps(const FitOptions& options, PairReaderInput reference, PairReaderInput distorted) {
  return Fit(options, std::move(reference), std::move(distorted)).steps.value();
}

std::string Refusal(const FitOptions& options, PairReaderInput reference, PairReaderInput distorted) {
  return Fit(options, std::move(reference), std::move(distorted)).steps.status().message();
}

std::vector<int> FirstSamples(VideoSource& video) {
  const Picture picture = video.Next().value().value();
  const auto first = [&](int plane) -> int {
    return picture.format.bit_depth > 8 ? picture.planes[plane].Row<uint16_t>(0)[0]
                                        : picture.planes[plane].Row<uint8_t>(0)[0];
  };
  return {first(0), first(1), first(2)};
}

TEST(FitVideos, LeavesVideosThatFitAlone) {
  EXPECT_THAT(Steps(kAll, Flat("a", kFormat), Flat("b", kFormat)), IsEmpty());
}

TEST(FitVideos, ScalesAndExpandsAndReportsIt) {
  Fitted fitted = Fit(kAll, Flat("a", kDeep), Flat("b", kTiny, {}, 200, 90));
  EXPECT_THAT(fitted.steps.value(),
              ElementsAre("b is scaled from 32x18 to 64x36 (bicubic)", "b is expanded from 8 to 10 bits"));
  EXPECT_THAT(fitted.changes, ElementsAre(Pair("b", Change::kScale), Pair("b", Change::kBitDepth)));
  EXPECT_EQ(fitted.distorted[0].video->format(), kDeep);
  EXPECT_THAT(FirstSamples(*fitted.distorted[0].video), ElementsAre(800, 360, 360));
}

TEST(FitVideos, ScalesTheReferenceWhereAsked) {
  FitOptions options = kAll;
  options.size->of = CommonSize::Of::kDistorted;
  EXPECT_EQ(Fit(options, Flat("a", kFormat), Flat("b", kTiny)).reference.video->format(), kTiny);
  *options.size = {CommonSize::Of::kGiven, 40, 20, ScaleFilter::kArea};
  const Fitted fitted = Fit(options, Flat("a", kFormat), Flat("b", kTiny));
  EXPECT_EQ(fitted.reference.video->format().width, 40);
  EXPECT_EQ(fitted.distorted[0].video->format().height, 20);
}

TEST(FitVideos, ConvertsTheRangeWithinItsBounds) {
  const auto converted = [](int luma, int chroma, VideoColor from, VideoColor to) {
    Fitted fitted = Fit(kAll, Flat("a", kFormat, to), Flat("b", kFormat, from, luma, chroma));
    EXPECT_THAT(fitted.steps.value(), ElementsAre(HasSubstr("b is converted from ")));
    return FirstSamples(*fitted.distorted[0].video);
  };
  EXPECT_THAT(converted(255, 255, kFull, kLimited), ElementsAre(235, 240, 240));
  EXPECT_THAT(converted(0, 0, kFull, kLimited), ElementsAre(16, 16, 16));
  EXPECT_THAT(converted(100, 128, kFull, kLimited), ElementsAre(102, 128, 128)) << "16 + 85.88";
  EXPECT_THAT(converted(235, 240, kLimited, kFull), ElementsAre(255, 255, 255));
  EXPECT_THAT(converted(16, 16, kLimited, kFull), ElementsAre(0, 0, 0)) << "128 - 127.5, rounded away from 0";
  EXPECT_THAT(converted(4, 250, kLimited, kFull), ElementsAre(0, 255, 255)) << "beyond the range";
}

TEST(FitVideos, TakesAnUndeclaredRangeAsLimited) {
  EXPECT_THAT(Steps(kAll, Flat("a", kFormat), Flat("b", kFormat, kFull)),
              ElementsAre("b is converted from full to limited range (an undeclared range is taken as limited)"));
  EXPECT_THAT(Steps(kAll, Flat("a", kFormat), Flat("b", kFormat, kLimited)), IsEmpty());
}

TEST(FitVideos, RefusesOtherColors) {
  const VideoColor hd = {.matrix = Matrix::kBt709, .primaries = Primaries::kBt709},
                   sd = {.matrix = Matrix::kBt601, .primaries = Primaries::kPal},
                   wide = {.primaries = Primaries::kBt2020};
  EXPECT_THAT(Refusal(kAll, Flat("a", kFormat, hd), Flat("b", kFormat, sd)),
              HasSubstr("a has the matrix of BT.709 and b that of BT.601: their samples mean different colors"));
  EXPECT_THAT(Refusal(kAll, Flat("a", kFormat, hd), Flat("b", kFormat, wide)), HasSubstr("b those of BT.2020"));
  FitOptions forced = kAll;
  forced.force = true;
  EXPECT_THAT(Steps(forced, Flat("a", kFormat, hd), Flat("b", kFormat, sd)),
              ElementsAre(HasSubstr("different colors")));
  EXPECT_THAT(Steps(kAll, Flat("a", kFormat, hd), Flat("b", kFormat)), IsEmpty());
  EXPECT_THAT(Steps(kAll, Flat("a", kFormat, hd), Flat("b", kFormat, {.primaries = Primaries::kPal})),
              ElementsAre(HasSubstr("colors differ a little")));
}

TEST(FitVideos, BringsChromaToTheReferences) {
  FitOptions options = kAll;
  options.fit_chroma = true;
  const PictureFormat full = {64, 36, 8, PixelFormat::k444}, gray = {64, 36, 8, PixelFormat::k400};
  Fitted fitted = Fit(options, Flat("a", kFormat), Flat("b", full, {}, 90, 70));
  EXPECT_THAT(fitted.steps.value(), ElementsAre("the chroma of b is brought from 4:4:4 to 4:2:0 (bicubic)"));
  EXPECT_THAT(FirstSamples(*fitted.distorted[0].video), ElementsAre(90, 70, 70));
  EXPECT_THAT(Steps(options, Flat("a", full), Flat("b", gray)),
              ElementsAre("b has no chroma, and gets 4:4:4 without color"));
  EXPECT_THAT(Steps(options, Flat("a", gray), Flat("b", full)),
              ElementsAre("the chroma of b is left out, for a has none"));
  EXPECT_THAT(Steps(kAll, Flat("a", gray), Flat("b", full)), IsEmpty()) << "unasked";
}

/// Pictures whose planes are red, green and blue.
PairReaderInput Rgb(const char* name, int red, int others) {
  PairReaderInput input = WithFacts(Flat(name, {64, 36, 8, PixelFormat::k444}, {}, red, others), {.is_rgb = true});
  input.video = ConvertRgb(std::move(input.video));
  return input;
}

TEST(FitVideos, MakesYuvOfRgbByTheOthersMatrix) {
  const PictureFormat full = {64, 36, 8, PixelFormat::k444};
  Fitted told = Fit(kAll, Flat("a", full, {.full_range = false, .matrix = Matrix::kBt709}), Rgb("b", 255, 0));
  EXPECT_THAT(told.steps.value(),
              ElementsAre("b is RGB, and converted to 4:4:4 of limited range by BT.709 (that of a)"));
  EXPECT_THAT(FirstSamples(*told.distorted[0].video), ElementsAre(63, 102, 240));
  Fitted untold = Fit(kAll, Flat("a", full), Rgb("b", 255, 0));
  EXPECT_THAT(untold.steps.value(), ElementsAre(HasSubstr("by BT.601 (a declares no matrix")));
  EXPECT_THAT(FirstSamples(*untold.distorted[0].video), ElementsAre(81, 90, 240));
  Fitted both = Fit(kAll, Rgb("a", 0, 255), Rgb("b", 255, 0));
  EXPECT_THAT(both.steps.value(), ElementsAre(HasSubstr("a is RGB"), HasSubstr("b is RGB")));
  EXPECT_THAT(FirstSamples(*both.distorted[0].video), ElementsAre(63, 102, 240));
}

/// The largest value of full range stays the largest, also where the range is converted: in one step, rounded once.
TEST(FitVideos, PreservesTheEndsOfFullRangeAtMoreBits) {
  const PictureFormat deep = {64, 36, 10, PixelFormat::k420};
  Fitted both = Fit(kAll, Flat("a", deep, kFull), Flat("b", kFormat, kFull, 255, 255));
  EXPECT_THAT(both.steps.value(), ElementsAre("b is expanded from 8 to 10 bits"));
  EXPECT_THAT(FirstSamples(*both.distorted[0].video), ElementsAre(1023, 1021, 1021));
  Fitted narrowed = Fit(kAll, Flat("a", deep, kLimited), Flat("b", kFormat, kFull, 100, 128));
  EXPECT_THAT(narrowed.steps.value(), ElementsAre(HasSubstr("expanded"), HasSubstr("from full to limited range")));
  EXPECT_THAT(FirstSamples(*narrowed.distorted[0].video), ElementsAre(408, 512, 512)) << "64 + 876 * 100 / 255";
  Fitted widened = Fit(kAll, Flat("a", deep, kFull), Flat("b", kFormat, kLimited, 100, 128));
  EXPECT_THAT(FirstSamples(*widened.distorted[0].video), ElementsAre(392, 512, 512)) << "1023 * 84 / 219";
  Fitted limited = Fit(kAll, Flat("a", deep), Flat("b", kFormat, {}, 100, 128));
  EXPECT_THAT(FirstSamples(*limited.distorted[0].video), ElementsAre(400, 512, 512));
  Fitted reference = Fit(kAll, Flat("a", kFormat, kFull, 255, 255), Flat("b", deep, kFull));
  EXPECT_THAT(reference.steps.value(), ElementsAre("a is expanded from 8 to 10 bits"));
  EXPECT_THAT(FirstSamples(*reference.reference.video), ElementsAre(1023, 1021, 1021));
}

TEST(FitVideos, MakesYuvOfRgbWithTheBitsOfTheDeepest) {
  const PictureFormat deep = {64, 36, 10, PixelFormat::k444};
  Fitted fitted = Fit(kAll, Flat("a", deep, {.full_range = false, .matrix = Matrix::kBt709}), Rgb("b", 100, 0));
  EXPECT_THAT(fitted.steps.value(), ElementsAre("b is expanded from 8 to 10 bits", HasSubstr("b is RGB")));
  EXPECT_THAT(FirstSamples(*fitted.distorted[0].video), ElementsAre(137, 472, 688)) << "not 34, 118 and 172 times 4";
  PairReaderInput cropped = Rgb("b", 100, 0);
  cropped.crop = Rectangle{.width = 32, .height = 16, .x = 8, .y = 4};
  PairReaderInput part = Flat("a", {32, 16, 10, PixelFormat::k444}, {.full_range = false, .matrix = Matrix::kBt709});
  Fitted small = Fit(kAll, std::move(part), std::move(cropped));
  EXPECT_THAT(FirstSamples(*small.distorted[0].video), ElementsAre(137, 472, 688));
}

/// What was read for alignment had BT.709; each reading has the matrix that its own run requests.
TEST(FitVideos, CachesPicturesOfRgbForAnyMatrix) {
  const PictureFormat full = {64, 36, 8, PixelFormat::k444};
  ReplayBuffer buffer(Rgb("b", 255, 0).video, size_t{1} << 20);
  ASSERT_TRUE(buffer.Open().value()->Next().ok());
  const auto samples = [&](Matrix matrix) {
    PairReaderInput again = {"b", buffer.Open().value()};
    Fitted fitted = Fit(kAll, Flat("a", full, {.full_range = false, .matrix = matrix}), std::move(again));
    EXPECT_TRUE(fitted.steps.ok());
    return FirstSamples(*fitted.distorted[0].video);
  };
  EXPECT_THAT(samples(Matrix::kBt601), ElementsAre(81, 90, 240));
  EXPECT_THAT(samples(Matrix::kBt709), ElementsAre(63, 102, 240));
  EXPECT_EQ(buffer.bytes(), size_t{3} * 64 * 36);
}

TEST(FitVideos, DeinterlacesNextToProgressiveVideo) {
  FitOptions options = kAll;
  options.deinterlace = Deinterlacing::kAuto;
  const auto fields = [](const char* name) { return WithFacts(Flat(name, kFormat), {.is_interlaced = true}); };
  const Fitted fitted = Fit(options, fields("a"), Flat("b", kFormat));
  EXPECT_THAT(fitted.steps.value(), ElementsAre(HasSubstr("a is deinterlaced: the top field")));
  EXPECT_FALSE(fitted.reference.video->facts().is_interlaced);
  EXPECT_THAT(Steps(options, fields("a"), fields("b")), ElementsAre(HasSubstr("compared as they are")));
  EXPECT_THAT(Steps(kAll, fields("a"), Flat("b", kFormat)), IsEmpty());
  options.deinterlace = Deinterlacing::kDistorted;
  EXPECT_THAT(Steps(options, Flat("a", kFormat), Flat("b", kFormat)), ElementsAre(HasSubstr("b is deinterlaced")));
  options.deinterlace = Deinterlacing::kOn;
  EXPECT_EQ(Fit(options, fields("a"), fields("b")).steps->size(), 2u);
}

TEST(FitVideos, RefusesOtherLight) {
  EXPECT_THAT(Refusal(kAll, Flat("a", kFormat), Flat("b", kFormat, kPq)),
              HasSubstr("a is unknown and b HDR by PQ: their transfer functions differ"));
  EXPECT_FALSE(Fit(kAll, Flat("a", kFormat, kHlg), Flat("b", kFormat, kPq)).steps.ok());
  FitOptions forced = kAll;
  forced.force = true;
  EXPECT_THAT(Steps(forced, Flat("a", kFormat), Flat("b", kFormat, kPq)),
              ElementsAre(HasSubstr("transfer functions differ")));
  EXPECT_THAT(Steps(kAll, Flat("a", kFormat, kPq), Flat("b", kFormat, kPq)), ElementsAre(HasSubstr("models know SDR")));
}

constexpr FitOptions kShown = {.size = CommonSize(), .heed_display = true};

TEST(FitVideos, RotatesPicturesAsDisplayed) {
  const PictureFormat lying = {36, 64, 8, PixelFormat::k420};
  const VideoFacts facts = {.orientation = {.transposed = true, .mirrored_x = true}};
  const Fitted fitted = Fit(kShown, Flat("a", kFormat), WithFacts(Flat("b", lying), facts));
  EXPECT_THAT(fitted.steps.value(), ElementsAre("b is rotated as displayed, from 36x64 to 64x36"));
  EXPECT_EQ(fitted.distorted[0].video->format(), kFormat);
}

TEST(AutoRotate, PutsSamplesWhereTheyAreDisplayed) {
  const auto turned = [](Orientation orientation) {
    PairReaderInput input = WithFacts(Flat("a", {4, 2, 8, PixelFormat::k400}), {.orientation = orientation});
    static_cast<FlatVideo&>(*input.video).MakeRamp();
    const std::unique_ptr<VideoSource> video = AutoRotate(std::move(input.video)).value();
    const Picture picture = video->Next().value().value();
    std::vector<int> samples;
    for (int y = 0; y < picture.format.height; ++y)
      for (int x = 0; x < picture.format.width; ++x) samples.push_back(picture.planes[0].Row<uint8_t>(y)[x]);
    return samples;
  };
  EXPECT_THAT(turned({true, true, false}), ElementsAre(4, 0, 5, 1, 6, 2, 7, 3)) << "clockwise";
  EXPECT_THAT(turned({true, false, true}), ElementsAre(3, 7, 2, 6, 1, 5, 0, 4)) << "the other way";
  EXPECT_THAT(turned({false, true, true}), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

TEST(FitVideos, MakesPixelsSquareAndRefusesOtherShapes) {
  const PictureFormat narrow = {48, 36, 8, PixelFormat::k420};
  const VideoFacts wide = {.pixel_aspect = 4.0 / 3};
  EXPECT_THAT(Steps(kShown, Flat("a", kFormat), WithFacts(Flat("b", narrow), wide)),
              ElementsAre("b is scaled from 48x36 with pixels 1.333 times as wide as high to 64x36 (bicubic)"));
  const Fitted both = Fit(kShown, WithFacts(Flat("a", narrow), wide), WithFacts(Flat("b", narrow), wide));
  EXPECT_EQ(both.reference.video->format(), kFormat);
  EXPECT_THAT(Refusal(kShown, Flat("a", kFormat), Flat("b", narrow)),
              HasSubstr("a is 64x36, shown 1.778 times as wide as high, and b 48x36, shown 1.333 times: scaling"));
  FitOptions forced = kShown;
  forced.force = true;
  EXPECT_TRUE(Fit(forced, Flat("a", kFormat), Flat("b", narrow)).steps.ok());
}

TEST(FitVideos, RefusesASizeThatSquashes) {
  FitOptions scaled = kShown;
  scaled.size = ParseCommonSize("128x128", "bicubic");
  EXPECT_THAT(
      Refusal(scaled, Flat("a", kFormat), Flat("b", kFormat)),
      HasSubstr("--scale 128x128 would squash a, which is shown 1.778 times as wide as high; --scale 128x72 keeps"));
  scaled.force = true;
  EXPECT_TRUE(Fit(scaled, Flat("a", kFormat), Flat("b", kFormat)).steps.ok());
  scaled.force = false;
  scaled.size = ParseCommonSize("128x72", "bicubic");
  EXPECT_TRUE(Fit(scaled, Flat("a", kFormat), Flat("b", kFormat)).steps.ok());
}

TEST(FitVideos, AssumesTheOtherSidesPixelAspect) {
  const PictureFormat stored = {352, 240, 8, PixelFormat::k420};
  EXPECT_EQ(AssumedPixelAspect(stored, stored, 40.0 / 33), 40.0 / 33);
  EXPECT_EQ(AssumedPixelAspect({426, 240, 8, PixelFormat::k420}, stored, 40.0 / 33), std::nullopt) << "square pixels";
  EXPECT_EQ(AssumedPixelAspect({352, 180, 8, PixelFormat::k420}, stored, 40.0 / 33), std::nullopt) << "another shape";
  EXPECT_EQ(AssumedPixelAspect(stored, stored, 1), std::nullopt);
}

TEST(FitVideos, RefusesPixelsOfAnyShape) {
  for (const double aspect : {1e282, 2e9, 101.0, 0.009, 1e-300, 0.0, -1.0, double{INFINITY}, double{NAN}}) {
    const VideoFacts facts = {.pixel_aspect = aspect};
    EXPECT_THAT(Refusal(kShown, WithFacts(Flat("a", kFormat), facts), WithFacts(Flat("b", kFormat), facts)),
                HasSubstr("a: implausible pixel aspect ratio"))
        << aspect;
    EXPECT_TRUE(Fit(kAll, WithFacts(Flat("a", kFormat), facts), Flat("b", kFormat)).steps.ok())
        << "shapes are not fitted";
  }
  const VideoFacts wide = {.pixel_aspect = 90};
  EXPECT_EQ(Fit(kShown, WithFacts(Flat("a", {640, 36, 8, PixelFormat::k420}), wide),
                WithFacts(Flat("b", {640, 36, 8, PixelFormat::k420}), wide))
                .steps.status()
                .code(),
            StatusCode::kInvalidArgument)
      << "57600 samples wide";
}

TEST(FitVideos, CropsBeforeItScales) {
  PairReaderInput barred = Flat("b", {64, 48, 8, PixelFormat::k420});
  barred.crop = Rectangle{64, 36, 0, 6};
  const Fitted fitted = Fit(kShown, Flat("a", kFormat), std::move(barred));
  EXPECT_THAT(fitted.steps.value(), ElementsAre("b is cropped to 64:36:0:6"));
  for (const Rectangle wrong : {Rectangle{64, 50, 0, 0}, Rectangle{10, 10, 60, 0}, Rectangle{10, 10, 1, 0}}) {
    PairReaderInput input = Flat("b", kFormat);
    input.crop = wrong;
    EXPECT_FALSE(Fit(kShown, Flat("a", kFormat), std::move(input)).steps.ok()) << ToText(wrong);
  }
}

TEST(FitVideos, RefusesDolbyVisionWithoutAYuvLayer) {
  EXPECT_THAT(Refusal(kAll, Flat("a", kFormat), WithFacts(Flat("b", kFormat), {.dolby_vision_profile = 5})),
              HasSubstr("profile 5"));
  EXPECT_THAT(Refusal(kAll, Flat("a", kFormat),
                      WithFacts(Flat("b", kFormat), {.dolby_vision_profile = 10, .has_dolby_base = false})),
              HasSubstr("profile 10, whose samples are no YUV"));
  const Fitted fitted = Fit(kAll, Flat("a", kFormat), WithFacts(Flat("b", kFormat), {.dolby_vision_profile = 8}));
  ASSERT_TRUE(fitted.steps.ok());
  EXPECT_THAT(fitted.steps->back(), HasSubstr("its base layer is scored"));
}

TEST(FitVideos, DoesNothingUnasked) {
  Fitted fitted = Fit({}, Flat("a", kDeep, kPq), Flat("b", kTiny, kFull));
  EXPECT_THAT(fitted.steps.value(), IsEmpty());
  EXPECT_EQ(fitted.distorted[0].video->format(), kTiny);
}

}  // namespace
}  // namespace acutance
