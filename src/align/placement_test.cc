// Videos of which one shows a part of the other's picture.
#include "align/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "align/align_tracks.h"

namespace acutance {
namespace {

using testing::HasSubstr;

constexpr Placement kMiddle{0.03, 0.03, 0.94, 0.94};
constexpr Placement kCrop{0.03, 0.02, 0.94, 0.95};

double Waves(double x, double y) {
  return 120 + 30 * std::sin(23 * x + 5 * y) + 25 * std::sin(31 * y - 7 * x) + 20 * std::sin(17 * x * y + 1) +
         15 * std::sin(40 * x) * std::sin(28 * y);
}

/// A picture that rotates, in steps of 8 bits.
double Film(double x, double y, double t) {
  const double c = std::cos(0.02 * t), s = std::sin(0.02 * t), dx = x - 0.4, dy = y - 0.6;
  return Waves(c * dx - s * dy, s * dx + c * dy);
}

/// A camera that pans evenly over what stands.
double Pan(double x, double y, double t) { return Waves(x + 0.012 * t, y); }

/// What a quarter of a cell shows is sampled once: the film is smooth.
template <class Show>
FrameFingerprint Draw(Show show, const Placement& part, double t) {
  const auto at = [&](int x, int y) {
    return show(part.left + part.width * (x + 0.5) / 64, part.top + part.height * (y + 0.5) / 36, t);
  };
  FrameFingerprint fingerprint;
  for (int cell = 0; cell < FrameFingerprint::kCells; ++cell) {
    const int x = 2 * (cell % 32), y = 2 * (cell / 32);
    const double a = at(x, y), b = at(x + 1, y), c = at(x, y + 1), d = at(x + 1, y + 1);
    const auto c0 = static_cast<size_t>(cell);
    fingerprint.cells[c0] = static_cast<uint16_t>(std::lround(64 * (a + b + c + d)));
    const double details[] = {a - b + c - d, a + b - c - d, a - b - c + d};
    for (size_t k = 0; k < 3; ++k)
      fingerprint.details[3 * c0 + k] = static_cast<int8_t>(std::clamp(std::lround(2 * details[k]), -127L, 127L));
  }
  return fingerprint;
}

template <class Show>
FrameTrack FilmOf(Show show, const Placement& part, int first, int end, int dropped = -1) {
  FrameTrack track;
  for (int t = first; t < end; ++t)
    if (t != dropped) track.fingerprints.push_back(Draw(show, part, t));
  track.rate = 25;
  return track;
}

void ExpectNear(const Placement& found, const Placement& expected) {
  EXPECT_LT(found.DistanceFrom(expected), 0.001)
      << found.left << " " << found.top << " " << found.width << " " << found.height;
}

TEST(RefinePlacement, FindsWhereAPictureLies) {
  const LumaGrid whole = Smooth(QuartersOf(Draw(Film, {}, 5))), cropped = Smooth(QuartersOf(Draw(Film, kCrop, 5)));
  const std::vector<std::pair<const LumaGrid*, const LumaGrid*>> pairs{{&whole, &cropped}};
  const PlacementFit fit = RefinePlacement(pairs, {}, 6);
  ExpectNear(fit.placement, kCrop);
  EXPECT_LT(fit.error, 0.01 * FitOf(pairs, {}).error);
}

TEST(RefinePlacement, IgnoresGainAndBrightness) {
  const LumaGrid whole = QuartersOf(Draw(Film, {}, 5));
  LumaGrid cropped = QuartersOf(Draw(Film, kCrop, 5));
  for (float& sample : cropped.samples) sample = 0.86F * sample + 16;
  const std::vector<std::pair<const LumaGrid*, const LumaGrid*>> pairs{{&whole, &cropped}};
  ExpectNear(RefinePlacement(pairs, {}, 6).placement, kCrop);
}

TEST(CropTo, ShowsWhatTheCropShows) {
  const FrameTrack cropped = CropTo(FilmOf(Film, {}, 3, 4), kCrop);
  const LumaGrid made = QuartersOf(cropped.fingerprints[0]), drawn = QuartersOf(Draw(Film, kCrop, 3));
  for (size_t k = 0; k < made.samples.size(); ++k) EXPECT_NEAR(made.samples[k], drawn.samples[k], 3) << k;
}

TEST(PartsInCommon, AreThoseOfBoth) {
  const auto [part, own] = PartsInCommon({0.1, -0.1, 0.8, 1.25});
  EXPECT_LT(part.DistanceFrom({0.1, 0, 0.8, 1}), 1e-12);
  EXPECT_LT(own.DistanceFrom({0, 0.08, 1, 0.8}), 1e-12);
}

TEST(FindPlacement, FindsCropsBothWaysAtAnyOffset) {
  const FrameTrack whole = FilmOf(Film, {}, 0, 120), cropped = FilmOf(Film, kCrop, 17, 120);
  auto found = FindPlacement(whole, cropped, {});
  ASSERT_TRUE(found);
  ExpectNear(found->placement, kCrop);
  EXPECT_TRUE(found->is_sure);
  found = FindPlacement(cropped, whole, {});
  ASSERT_TRUE(found);
  ExpectNear(PartsInCommon(found->placement).second, kCrop);
}

TEST(FindPlacement, FindsNoneWhereVideosFit) {
  const FrameTrack film = FilmOf(Film, {}, 0, 120);
  EXPECT_FALSE(FindPlacement(film, film, {}));
  EXPECT_FALSE(FindPlacement(film, FilmOf(Film, {}, 30, 100), {}));
  const auto zoom = [](double x, double y, double t) {
    const double scale = 1 + 0.002 * t;
    return Waves((x - 0.5) * scale + 0.5, (y - 0.5) * scale + 0.5);
  };
  EXPECT_FALSE(FindPlacement(FilmOf(zoom, {}, 0, 120), FilmOf(zoom, {}, 20, 120), {}));
}

TEST(FindPlacement, TakesTheMiddleWhereACameraPansEvenly) {
  const auto found = FindPlacement(FilmOf(Pan, {}, 0, 120), FilmOf(Pan, kMiddle, 10, 120), {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_sure);
  EXPECT_LT(found->placement.DistanceFrom(kMiddle), 0.002);
}

TEST(AlignPlaced, PairsFramesOfACrop) {
  const PlacedAlignment placed = AlignPlaced(FilmOf(Film, {}, 0, 150), FilmOf(Film, kCrop, 12, 150, 80));
  ASSERT_TRUE(placed.alignment.ok()) << placed.alignment.status().message();
  ASSERT_TRUE(placed.placement);
  ASSERT_EQ(placed.alignment->pairs.size(), 137u);
  for (const auto& [i, j] : placed.alignment->pairs) EXPECT_EQ(i, j + (j < 68 ? 12 : 13));
}

TEST(AlignPlaced, PairsVideosOfOneLengthInStepWhereACameraPansSlowly) {
  // Crops that lie a few frames of the pan aside are as near to the middle.
  const auto pan = [](double x, double y, double t) { return Waves(x + 0.003 * t, y); };
  const PlacedAlignment placed = AlignPlaced(FilmOf(pan, {}, 0, 150), FilmOf(pan, kMiddle, 0, 150));
  ASSERT_TRUE(placed.alignment.ok()) << placed.alignment.status().message();
  EXPECT_TRUE(placed.alignment->is_identity()) << placed.alignment->Describe();
  ASSERT_TRUE(placed.placement);
  EXPECT_TRUE(placed.placement->is_sure);
  EXPECT_LT(placed.placement->placement.DistanceFrom(kMiddle), 0.002);
  EXPECT_FALSE(AlignPlaced(FilmOf(pan, {}, 0, 150), FilmOf(pan, kMiddle, 20, 150)).alignment.ok());
}

TEST(FindPlacement, SearchesAmongCropsAloneWhereAFastPanFitsBetterBesides) {
  // In the sampled frames the whole picture has a spot. Those next to them fit better, but show more than the crop on
  // one side and less on the other.
  const auto pan = [](double x, double y, double t) { return Waves(x + 0.07 * t, y); };
  const auto spotted = [&](double x, double y, double t) {
    const bool has_spot = std::lround(t) % 10 == 5 && std::abs(x - 0.5) < 0.09 && std::abs(y - 0.5) < 0.09;
    return pan(x, y, t) + (has_spot ? 40 : 0);
  };
  PairList path;
  for (int64_t k = 0; k < 120; ++k) path.emplace_back(k, k);
  const auto found = FindPlacement(FilmOf(spotted, {}, 0, 120), FilmOf(pan, kMiddle, 0, 120), path);
  ASSERT_TRUE(found);
  EXPECT_LT(found->placement.DistanceFrom(kMiddle), 0.003);
}

TEST(FindPlacement, TriesTheStepOfVideosFarFromAPathOfASlowPan) {
  const auto pan = [](double x, double y, double t) { return Waves(x + 0.0004 * t, y); };
  PairList path;
  for (int64_t k = 0; k < 150; ++k) path.emplace_back(k + 45, k);
  const auto found = FindPlacement(FilmOf(pan, {}, 0, 200), FilmOf(pan, kMiddle, 0, 200), path);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_sure);
  ExpectNear(found->placement, kMiddle);
}

TEST(AlignPlaced, HasFadesShowWhichFrameACropShows) {
  const auto pan = [](double x, double y, double t) {
    const double light = t > 50 && t < 90 ? std::abs(t - 70) / 20 : 1;
    return 20 + light * (Waves(x + 0.003 * t, y) - 20);
  };
  const PlacedAlignment placed = AlignPlaced(FilmOf(pan, {}, 0, 150), FilmOf(pan, kMiddle, 20, 150));
  ASSERT_TRUE(placed.alignment.ok()) << placed.alignment.status().message();
  ASSERT_GE(placed.alignment->pairs.size(), 120u);
  for (const auto& [i, j] : placed.alignment->pairs) EXPECT_EQ(i, j + 20);
}

TEST(AlignPlaced, ReportsNoPlacementWhereVideosFit) {
  const FrameTrack film = FilmOf(Film, {}, 0, 120);
  EXPECT_FALSE(AlignPlaced(film, film).placement);
  EXPECT_FALSE(AlignPlaced(film, FilmOf(Film, {}, 12, 120)).placement);
}

TEST(AlignPlaced, RefusesBarsWhereFramesFitToo) {
  const FrameTrack film = FilmOf(Film, {}, 0, 120);
  FrameTrack boxed = film;
  for (FrameFingerprint& frame : boxed.fingerprints)
    for (size_t c = 0; c < 64; ++c) frame.cells[c] = 16 * 256, frame.details[3 * c] = frame.details[3 * c + 1] = 0;
  EXPECT_THAT(AlignPlaced(film, boxed).alignment.status().message(), HasSubstr("--crop auto"));
  EXPECT_TRUE(NeedsCropSearch(film, boxed));
  EXPECT_FALSE(NeedsCropSearch(film, film));
  EXPECT_TRUE(NeedsCropSearch(film, FilmOf(Film, kCrop, 0, 120)));
}

TEST(AlignForDiagnosis, FindsCropsThatScoresRefuse) {
  const FrameTrack whole = FilmOf(Film, {}, 0, 100);
  for (const Placement& part :
       {Placement{0.15, 0.15, 0.7, 0.7}, Placement{0, 0.25, 0.7, 0.7}, Placement{0.2, 0, 0.65, 1}}) {
    const FrameTrack cropped = FilmOf(Film, part, 0, 100);
    EXPECT_FALSE(AlignPlaced(whole, cropped).placement);
    const PlacedAlignment found = AlignForDiagnosis(whole, cropped), inverse = AlignForDiagnosis(cropped, whole);
    ASSERT_TRUE(found.placement) << part.left << " " << part.width;
    ASSERT_TRUE(inverse.placement) << part.left << " " << part.width;
    EXPECT_LT(found.placement->placement.DistanceFrom(part), 0.004);
    EXPECT_TRUE(found.alignment.ok() && found.alignment->is_identity());
    EXPECT_LT(PartsInCommon(inverse.placement->placement).second.DistanceFrom(part), 0.004);
  }
}

TEST(AlignForDiagnosis, FindsNoCropWhereVideosFitOrDiffer) {
  const FrameTrack film = FilmOf(Film, {}, 0, 100);
  EXPECT_FALSE(AlignForDiagnosis(film, FilmOf(Film, {}, 12, 100)).placement);
  const auto other = [](double x, double y, double t) { return Film(1 - y, x, 3 * t + 40); };
  const PlacedAlignment found = AlignForDiagnosis(film, FilmOf(other, {}, 0, 100));
  EXPECT_FALSE(found.alignment.ok());
  EXPECT_FALSE(found.placement);
}

TEST(AlignForDiagnosis, TriesRatesThatNoStreamDeclares) {
  FrameTrack half = FilmOf(Film, {}, 0, 0);
  for (int t = 0; t < 160; t += 2) half.fingerprints.push_back(Draw(Film, {}, t));
  const PlacedAlignment found = AlignForDiagnosis(FilmOf(Film, {}, 0, 160), half);
  ASSERT_TRUE(found.alignment.ok()) << found.alignment.status().message();
  ASSERT_GT(found.alignment->pairs.size(), 70u);
  for (const auto& [i, j] : found.alignment->pairs) EXPECT_EQ(i, 2 * j);
}

TEST(PartsOf, SaysWhatToType) {
  const ShownPicture ref{"a", {480, 270}}, dis{"b", {480, 270}};
  const PlacedParts cropped = PartsOf({10.3 / 480, 4.6 / 270, 459.5 / 480, 260.3 / 270}, ref, dis);
  EXPECT_EQ(cropped.options, "--crop 460:260:10:4,480:270:0:0");
  EXPECT_EQ(cropped.sentence, "b shows only the part 460:260:10:4 of a");
  const PlacedParts squashed = PartsOf({0.05, 0, 0.9, 1}, ref, dis);
  EXPECT_EQ(squashed.options, "--crop 432:270:24:0,480:270:0:0 --force");
  const PlacedParts more = PartsOf({-0.05, -0.05, 1 / 0.9, 1 / 0.9}, ref, {"b", {432, 240, 8, 10}});
  EXPECT_EQ(more.reference, (Rectangle{480, 270}));
  EXPECT_EQ(more.sentence, "a shows only the part 388:216:28:20 of b");
}

}  // namespace
}  // namespace acutance
