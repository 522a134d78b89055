// Tests of ColorVideoVDP on whole clips: known answers, splits, maps and refusals.
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

struct ClipScores {
  std::vector<double> running, alone;
  double clip = 0;
  bool operator==(const ClipScores&) const = default;
};

ClipScores ScoreClip(const OptionTexts& options, const std::vector<Picture>& reference,
                     const std::vector<Picture>& distorted, const Split& split = OneBand) {
  const TestMetric metric(kCvvdpMetric, options, reference[0].format);
  const auto sequence = metric.extractor().MakeSequence();
  ScoreRecorder recorder;
  for (size_t t = 1; t <= reference.size(); ++t) {
    ComputedFrame frame =
        metric.Run({reference.begin(), reference.begin() + t}, {distorted.begin(), distorted.begin() + t}, split);
    sequence->Push(static_cast<int64_t>(t) - 1, {frame.values, frame.kept}, recorder);
  }
  sequence->Flush(recorder);
  EXPECT_EQ(recorder.aggregates().size(), 1u);
  return {recorder.Column(0), recorder.Column(1),
          recorder.aggregates().at("cvvdp_clip" + metric.options().KeySuffix())};
}

std::vector<Picture> KnownClip(int depth, int frames, bool distorted) {
  std::vector<Picture> clip;
  for (int t = 0; t < frames; ++t) clip.push_back(KnownPicture(depth, t, distorted));
  return clip;
}

ClipScores ScoreKnown(const OptionTexts& options, int depth, int frames, const Split& split = OneBand) {
  return ScoreClip(options, KnownClip(depth, frames, false), KnownClip(depth, frames, true), split);
}

auto Near(std::initializer_list<double> values, double error = 1e-12) {
  return testing::Pointwise(testing::DoubleNear(error), values);
}

// docs/spec/cvvdp.md 9
TEST(Cvvdp, KnownAnswers) {
  const ClipScores by_default = ScoreKnown({}, 8, 3);
  EXPECT_THAT(by_default.running, Near({9.94666388316988, 9.94864695618016, 9.95100271635026}));
  EXPECT_THAT(by_default.alone, Near({9.94666388316988, 9.95072203739158, 9.95615332064634}));
  EXPECT_EQ(by_default.clip, by_default.running[2]);
  EXPECT_NEAR(ScoreKnown({{"display", "standard_fhd"}}, 10, 3).clip, 9.7942332583443, 1e-12);
  const OptionTexts pq = {{"transfer", "pq"}, {"conversion", "common"}},
                    hlg = {{"transfer", "hlg"}, {"conversion", "common"}};
  EXPECT_NEAR(ScoreKnown(pq, 10, 3).clip, 9.71032290615674, 1e-12);
  EXPECT_NEAR(ScoreKnown(hlg, 10, 2).clip, 9.8265893845241, 1e-12);
  EXPECT_NEAR(ScoreKnown({{"display", "standard_fhd"}, {"fps", "24000/1001"}}, 8, 2).clip, 9.79102795154228, 1e-12);
  EXPECT_NEAR(ScoreKnown({{"display", "standard_fhd"}, {"fps", "60"}}, 8, 2).clip, 9.78333551823174, 1e-12);
}

TEST(Cvvdp, AClipOfOneFrameIsAnImage) {
  const ClipScores one = ScoreKnown({}, 8, 1);
  EXPECT_NEAR(one.clip, 9.96789739030001, 1e-12);
  EXPECT_THAT(one.running, ElementsAre(one.clip));
  EXPECT_THAT(one.alone, ElementsAre(one.clip));
  EXPECT_NEAR(ScoreKnown({{"display", "iphone_14_pro_hdr"}, {"conversion", "common"}}, 10, 1).clip, 9.96066223106839,
              1e-12);
  const ClipScores images = ScoreKnown({{"temporal", "false"}}, 8, 2);
  EXPECT_EQ(images.running[0], one.clip);
  EXPECT_EQ(images.clip, (images.alone[0] + images.alone[1]) / 2);
}

TEST(Cvvdp, IdenticalClipsAre10) {
  for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k422, PixelFormat::k444})
    for (const auto& [width, height] : {std::pair{2, 2}, {3, 3}, {4, 4}, {64, 48}, {14, 300}}) {
      const std::vector<Picture> clip = {FilmPicture({width, height, 8, chroma}, 0),
                                         FilmPicture({width, height, 8, chroma}, 1)};
      const ClipScores scores = ScoreClip({}, clip, clip);
      EXPECT_THAT(scores.running, ElementsAre(10.0, 10.0)) << width << "x" << height;
      EXPECT_EQ(scores.clip, 10.0);
    }
}

TEST(Cvvdp, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(6);
  const ClipScores whole = ScoreKnown({}, 8, 2);
  EXPECT_EQ(ScoreKnown({}, 8, 2, RandomBands(random, 3)), whole);
  EXPECT_EQ(ScoreKnown({}, 8, 2, BandsOf(1)), whole);
}

TEST(Cvvdp, SeveralVideosTogetherAsAlone) {
  const PictureFormat format = {70, 66, 8, PixelFormat::k420};
  const Picture reference = FilmPicture(format, 0);
  const std::vector<Picture> distorted = {FilmPicture(format, 0, true), FilmPicture(format, 1), reference};
  for (const int band_rows : {1, 5, 100}) ExpectTogetherAsAlone(kCvvdpMetric, {}, reference, distorted, band_rows);
}

TEST(Cvvdp, HeatMaps) {
  const auto heat = [](const OptionTexts& texts, int frames) {
    const OptionValues options = OptionValues::Parse(kCvvdpMetric.options, texts).value();
    const std::vector<Picture> reference = KnownClip(8, frames, false), distorted = KnownClip(8, frames, true);
    const auto extractor = MakeExtractor(kCvvdpMetric, options, reference[0].format).value();
    const OfflineFrames clip(kCvvdpMetric, options, reference, distorted);
    const ComputedFrame computed = ComputeFrame(kCvvdpMetric, *extractor, clip, frames - 1, 3).value();
    const MutablePicture& map = computed.artifacts[0];
    return std::vector<double>{map.Row<float>(0, 0)[0], map.Row<float>(0, 100)[37], map.Row<float>(0, 359)[399]};
  };
  EXPECT_THAT(heat({}, 3), Near({0.0199048066, 0.000282670732, 0.00223656363}, 1e-6));
  EXPECT_THAT(heat({{"temporal", "false"}}, 1), Near({0.0153188498, 3.4216251e-05, 0.00125629078}, 1e-6));
}

TEST(Cvvdp, ReadsAsManyFramesAsItsFilterHas) {
  const auto history = [](const OptionTexts& texts) {
    return InputsOf(kCvvdpMetric, OptionValues::Parse(kCvvdpMetric.options, texts).value())[1].history;
  };
  EXPECT_EQ(history({}), 8);
  EXPECT_EQ(history({{"fps", "23.976"}}), 6);
  EXPECT_EQ(history({{"fps", "60000/1001"}}), 16);
  EXPECT_EQ(history({{"temporal", "false"}}), 0);
}

TEST(Cvvdp, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const OptionTexts& texts) { return RefusalOf(kCvvdpMetric, texts, {64, 64}); };
  EXPECT_THAT(refusal({{"display", "crt"}}), HasSubstr("standard_4k"));
  EXPECT_THAT(refusal({{"conversion", "none"}}), HasSubstr("reader, common"));
  EXPECT_THAT(refusal({{"matrix", "bt470"}}), HasSubstr("bt601"));
  EXPECT_THAT(refusal({{"transfer", "gamma"}}), HasSubstr("sdr, pq, hlg"));
  for (const char* rate : {"0", "-1", "301", "a", "24000/0", "24/", "/1"})
    EXPECT_THAT(refusal({{"fps", rate}}), HasSubstr("fps=")) << rate;
  EXPECT_THAT(refusal({{"ppd", "0"}}), HasSubstr("ppd=0"));
  EXPECT_THAT(refusal({{"ppd", "0.5"}}), HasSubstr("pixels per degree"));
  EXPECT_THAT(refusal({{"distance", "far"}}), HasSubstr("distance=far"));
  EXPECT_THAT(RefusalOf(kCvvdpMetric, {}, {1, 64}), HasSubstr("2x2"));
}

}  // namespace
}  // namespace acutance
