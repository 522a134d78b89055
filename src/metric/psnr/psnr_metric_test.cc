// The metric as the engine sees it: planes, bands, limits and the sums over a clip.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "metric/clip_frames.h"
#include "base/exact_math.h"
#include "metric/psnr/psnr.h"

namespace acutance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// spec/siblings.md B.1: the sample of the known answers. `t`: frame number.
int FilmSample(int plane, int column, int y, int t, bool distorted, int bit_depth) {
  const int x = column + 3 * t;
  int a = 20 + ((2 * x + 3 * y + ((x * y) >> 6) + 11 * plane * y) >> 3) % 160 +
          ((x >> 4) * 7 + (y >> 4) * 13 + 5 * plane) % 9 * 3 + ((5 * x * x + 3 * y * y + 7 * x * y + 13 * t) >> 4) % 5;
  if (distorted) a = (a >> 2) * 4 + ((3 * x * x + 5 * y + x * y + 3 * plane + 29 * t) >> 3) % 4;
  a = std::clamp(a, 0, 255);
  if (bit_depth == 8) return a;
  return (a << 2) + (7 * x + 11 * y + plane + (distorted ? 2 * t : t)) % 4;
}

template <class Fill>  // (plane, x, y) -> sample
Picture MakePicture(const PictureFormat& format, Fill fill) {
  MutablePicture picture = AllocatePicture(format).value();
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        std::byte* row = picture.data[p] + y * picture.stride[p];
        if (format.bit_depth == 8) row[x] = static_cast<std::byte>(fill(p, x, y));
        else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(fill(p, x, y));
      }
  return picture.Share();
}

class RecordingSink : public ScoreSink {
 public:
  void Set(int output, int64_t, double) override { ADD_FAILURE() << "output " << output; }
  void SetAggregate(std::string_view name, double value) override { aggregates[std::string(name)] = value; }
  std::map<std::string, double> aggregates;
};

class Psnr {
 public:
  Psnr(const OptionTexts& texts, const PictureFormat& format)
      : format_(format), options_(OptionValues::Parse(kPsnrMetric.options, texts).value()) {
    auto made = MakeExtractor(kPsnrMetric, options_, format);
    EXPECT_TRUE(made.ok()) << made.status().message();
    extractor_ = std::move(made).value();
  }

  std::vector<int64_t> Sums(const Picture& reference, const Picture& distorted, int band_rows = 1 << 20) const {
    const ExtractorSpec& spec = extractor_->spec();
    std::vector<int64_t> sums(spec.sums);
    const ClipFrames clip(kPsnrMetric, options_, {&reference, 1}, {&distorted, 1});
    for (int stage = 0; stage < std::ssize(spec.stages); ++stage)
      for (int y = 0, rows = spec.stages[stage].rows; y < rows; y += band_rows)
        extractor_->RunBand(clip.at(0), stage, {y, std::min(rows, y + band_rows)}, {}, {.sums = sums});
    return sums;
  }

  /// Value by output name; outputs that Finish left alone are absent, and must be the disabled ones.
  std::map<std::string, double> Values(std::span<const int64_t> sums) const {
    constexpr double kUntouched = -12345;
    std::vector<double> values(kPsnrMetric.outputs.size(), kUntouched);
    std::vector<int64_t> kept(extractor_->spec().kept);
    EXPECT_TRUE(extractor_->Finish({.sums = sums}, {values, kept}).ok());
    std::map<std::string, double> result;
    for (size_t i = 0; i < values.size(); ++i) {
      const OutputSpec& output = kPsnrMetric.outputs[i];
      EXPECT_EQ(output.enabled(options_, format_), values[i] != kUntouched) << output.name;
      if (values[i] != kUntouched) result[std::string(output.name)] = values[i];
    }
    return result;
  }

  std::map<std::string, double> Values(const Picture& reference, const Picture& distorted) const {
    return Values(Sums(reference, distorted));
  }

  std::map<std::string, double> Aggregates(const std::vector<std::vector<int64_t>>& frames) const {
    const auto sequence = extractor_->MakeSequence();
    RecordingSink sink;
    for (size_t i = 0; i < frames.size(); ++i) {
      std::vector<double> values(kPsnrMetric.outputs.size());
      std::vector<int64_t> kept(extractor_->spec().kept);
      EXPECT_TRUE(extractor_->Finish({.sums = frames[i]}, {values, kept}).ok());
      sequence->Push(static_cast<int64_t>(i), {values, kept}, sink);
    }
    sequence->Flush(sink);
    return sink.aggregates;
  }

  const Extractor& extractor() const { return *extractor_; }

 private:
  PictureFormat format_;
  OptionValues options_;
  std::unique_ptr<Extractor> extractor_;
};

using Scores = std::map<std::string, double>;

Picture FilmPicture(int bit_depth, int t, bool distorted) {
  return MakePicture({400, 360, bit_depth, PixelFormat::k420},
                     [&](int p, int x, int y) { return FilmSample(p, x, y, t, distorted, bit_depth); });
}

TEST(PsnrMetric, KnownAnswers) {
  const Psnr psnr({{"enable_mse", "true"}}, {400, 360, 8});
  EXPECT_EQ(psnr.Values(FilmPicture(8, 0, false), FilmPicture(8, 0, true)), (Scores{{"psnr_y", 44.19726992010097},
                                                                                    {"psnr_cb", 44.24150691578298},
                                                                                    {"psnr_cr", 44.20217379829428},
                                                                                    {"mse_y", 2.473736111111111},
                                                                                    {"mse_cb", 2.4486666666666665},
                                                                                    {"mse_cr", 2.4709444444444446}}));
  EXPECT_EQ(psnr.Values(FilmPicture(8, 1, false), FilmPicture(8, 1, true))["psnr_y"], 44.21064052107309);
  EXPECT_EQ(psnr.Values(FilmPicture(8, 2, false), FilmPicture(8, 2, true))["psnr_y"], 44.084093451713365);
}

TEST(PsnrMetric, KnownAnswersAt10Bit) {
  const Psnr psnr({{"enable_mse", "true"}}, {400, 360, 10});
  EXPECT_EQ(psnr.Values(FilmPicture(10, 0, false), FilmPicture(10, 0, true)), (Scores{{"psnr_y", 44.222779159105826},
                                                                                      {"psnr_cb", 44.26701615478783},
                                                                                      {"psnr_cr", 44.22768303729914},
                                                                                      {"mse_y", 39.57977777777778},
                                                                                      {"mse_cb", 39.178666666666665},
                                                                                      {"mse_cr", 39.535111111111114}}));
  EXPECT_EQ(psnr.Values(FilmPicture(10, 1, false), FilmPicture(10, 1, true))["psnr_y"], 43.928858888870714);
  EXPECT_EQ(psnr.Values(FilmPicture(10, 2, false), FilmPicture(10, 2, true))["psnr_y"], 43.8018509840468);
}

TEST(PsnrMetric, BandsCoverEachRowOfEachPlaneOnce) {
  for (const PixelFormat pixel_format : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const int height : {2, 3, 7, 16, 33}) {
      const PictureFormat format = {11, height, 8, pixel_format};
      const Picture film = MakePicture(format, [](int p, int x, int y) { return FilmSample(p, x, y, 0, false, 8); });
      const Picture black = MakePicture(format, [](int, int, int) { return 0; });
      const Psnr psnr({}, format);
      std::vector<int64_t> expected(3);
      for (int p = 0; p < format.PlaneCount(); ++p)
        for (int y = 0; y < format.PlaneHeight(p); ++y)
          for (int x = 0; x < format.PlaneWidth(p); ++x) expected[p] += std::pow(FilmSample(p, x, y, 0, false, 8), 2);
      for (const int rows : {1, 2, 3, 5, 32, 64})
        EXPECT_EQ(psnr.Sums(film, black, rows), expected)
            << PixelFormatName(pixel_format) << " " << height << " " << rows;
    }
}

TEST(PsnrMetric, LumaAlone) {
  const Picture film = FilmPicture(8, 0, false), distorted = FilmPicture(8, 0, true);
  const Psnr without_chroma({{"enable_chroma", "false"}}, {400, 360, 8});
  EXPECT_EQ(without_chroma.Values(film, distorted), (Scores{{"psnr_y", 44.19726992010097}}));
  const auto planes = [](const OptionTexts& texts) {
    return InputsOf(kPsnrMetric, *OptionValues::Parse(kPsnrMetric.options, texts)).front().planes;
  };
  EXPECT_EQ(planes({{"enable_chroma", "false"}}), kLuma);
  EXPECT_EQ(planes({}), kAllPlanes);
  const Psnr mono({}, {400, 360, 8, PixelFormat::k400});
  EXPECT_EQ(mono.Values(film, distorted), (Scores{{"psnr_y", 44.19726992010097}}));
}

TEST(PsnrMetric, IdenticalPicturesReachTheLimit) {
  const std::vector<int64_t> none(3);
  for (const auto& [depth, limit] : {std::pair{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}}) {
    const PictureFormat format = {480, 270, depth};
    EXPECT_EQ(Psnr({}, format).Values(none), (Scores{{"psnr_y", limit}, {"psnr_cb", limit}, {"psnr_cr", limit}}));
  }
  // ceil(10 log10(255^2 / (0.5 / (480 * 270)))) and the same of 240 * 135
  EXPECT_EQ(Psnr({{"min_sse", "0.5"}}, {480, 270, 8}).Values(none),
            (Scores{{"psnr_y", 103}, {"psnr_cb", 97}, {"psnr_cr", 97}}));
}

TEST(PsnrMetric, ReducedPeakCountsAbove8Bit) {
  const OptionTexts reduced = {{"reduced_hbd_peak", "true"}, {"enable_chroma", "false"}};
  const std::vector<int64_t> sums = {10 * 400 * 360, 0, 0};
  const PictureFormat ten_bit = {400, 360, 10};
  EXPECT_EQ(Psnr({{"enable_chroma", "false"}}, ten_bit).Values(sums)["psnr_y"], 10 * Log10(1023.0 * 1023 / 10));
  EXPECT_EQ(Psnr(reduced, ten_bit).Values(sums)["psnr_y"], 10 * Log10(1020.0 * 1020 / 10));
  EXPECT_EQ(Psnr(reduced, {400, 360, 8}).Values(sums)["psnr_y"], 10 * Log10(255.0 * 255 / 10));
}

TEST(PsnrMetric, NoChromaSamplesAreRefused) {
  for (const auto& [width, height] : {std::pair{1, 8}, {8, 1}, {1, 1}}) {
    const auto made = kPsnrMetric.make(OptionValues(kPsnrMetric.options), {width, height, 8});
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.status().message().find("enable_chroma=false"), std::string::npos) << made.status().message();
    Psnr({{"enable_chroma", "false"}}, {width, height, 8});
    Psnr({}, {width, height, 8, PixelFormat::k444});
  }
}

TEST(AveragePsnr, IsTakenOverAllFrames) {
  const Psnr psnr({{"enable_apsnr", "true"}}, {400, 360, 8});
  const double luma = 10 * (Log10(65025.0) + Log10(2.0 * 400 * 360) - Log10(3000.0));
  const double chroma = 10 * (Log10(65025.0) + Log10(2.0 * 200 * 180) - Log10(50.0));
  EXPECT_EQ(psnr.Aggregates({{1000, 20, 0}, {2000, 30, 50}}),
            (Scores{{"apsnr_y", luma}, {"apsnr_cb", chroma}, {"apsnr_cr", chroma}}));
}

TEST(AveragePsnr, IdenticalClipsReachTheLimit) {
  const Psnr psnr({{"enable_apsnr", "true"}}, {480, 270, 10});
  const std::vector<std::vector<int64_t>> frames(5, std::vector<int64_t>(3));
  EXPECT_EQ(psnr.Aggregates(frames), (Scores{{"apsnr_y", 122}, {"apsnr_cb", 116}, {"apsnr_cr", 116}}));
}

TEST(AveragePsnr, PlanesLeftOutAreMinusInfinity) {
  const OptionTexts luma_alone = {{"enable_apsnr", "true"}, {"enable_chroma", "false"}};
  const double luma = 10 * (Log10(65025.0) + Log10(1.0 * 400 * 360) - Log10(1000.0));
  const Scores expected = {{"apsnr_y", luma}, {"apsnr_cb", -kInfinity}, {"apsnr_cr", -kInfinity}};
  EXPECT_EQ(Psnr(luma_alone, {400, 360, 8}).Aggregates({{1000, 0, 0}}), expected);
  EXPECT_EQ(Psnr({{"enable_apsnr", "true"}}, {400, 360, 8, PixelFormat::k400}).Aggregates({{1000, 0, 0}}), expected);
}

TEST(AveragePsnr, IsThereOnlyOnRequest) { EXPECT_EQ(Psnr({}, {64, 64, 8}).extractor().MakeSequence(), nullptr); }

}  // namespace
}  // namespace acutance
