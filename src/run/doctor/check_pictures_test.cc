#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "align/input_checks.h"
#include "run/doctor/checks.h"
#include "run/doctor/testing/probes.h"

namespace acutance {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(CheckOrientation, IsOfPicturesThatAreUnlike) {
  Probe probe = EqualPair();
  probe.distorted.facts.orientation.mirrored_x = true;
  EXPECT_FALSE(CheckOrientation(probe)) << "rotated pictures are alike";
  probe.are_unlike = true;
  EXPECT_THAT(CheckOrientation(probe)->sentence, HasSubstr("dis is rotated as its stream declares, and ref is not"));
  EXPECT_THAT(CheckOrientation(probe)->command, HasSubstr("-noautorotate -i dis"));
  probe.alignment = IdentityOf();
  EXPECT_FALSE(CheckOrientation(probe));
}

TEST(CheckRotatedStill, NamesTheRotationThatOthersIgnore) {
  Probe probe = EqualPair();
  probe.reference.frames = probe.distorted.frames = 1;
  EXPECT_FALSE(CheckRotatedStill(probe));
  probe.reference.facts.orientation = {.transposed = true, .mirrored_x = true};
  EXPECT_THAT(CheckRotatedStill(probe)->sentence, HasSubstr("dis is stored upright"));
  probe.distorted.frames = 2;
  EXPECT_FALSE(CheckRotatedStill(probe)) << "a video";
}

TEST(CheckCrop, BarsOfOneVideo) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckCrop(probe));
  probe.distorted.content = Rectangle{640, 270, 0, 45};
  const Finding finding = CheckCrop(probe).value();
  EXPECT_THAT(finding.sentence, HasSubstr("640:270:0:45 within 640x360: black bars differ"));
  EXPECT_THAT(finding.command, EndsWith(" --crop 640:360:0:0,640:270:0:45 --force")) << "squashed";
  probe.reference.content = Rectangle{640, 274, 0, 43};  // 1.5 % of the height are 5.4 rows
  EXPECT_FALSE(CheckCrop(probe)) << "nearly the same bars";
}

TEST(CheckCrop, BarsThatOnlyNeedToBeCutOff) {
  Probe probe = EqualPair();
  probe.reference = VideoOf("ref", SceneTrack(80), 640, 270);
  probe.distorted.content = Rectangle{640, 270, 0, 45};
  EXPECT_THAT(CheckCrop(probe)->command, EndsWith(" --crop auto"));
}

TEST(CheckCrop, RowsThatOneShapeLacks) {
  Probe probe = EqualPair();
  probe.shape_parts = ShapeParts{{640, 348, 0, 6}, {640, 360, 0, 0}};
  EXPECT_EQ(CheckCrop(probe)->sentence, "dis shows only the part 640:348:0:6 of ref.");
  EXPECT_THAT(CheckCrop(probe)->command, EndsWith(" --crop 640:348:0:6,640:360:0:0"));
}

TEST(CheckCrop, APlacementThatFingerprintsShow) {
  Probe probe = EqualPair();
  probe.placement = FoundPlacement{{0.05, 0.05, 0.9, 0.9}};
  EXPECT_EQ(CheckCrop(probe)->sentence, "dis shows only the part 576:324:32:18 of ref.");
  EXPECT_EQ(CheckCrop(probe)->confidence, 0.92);
  probe.placement->is_sure = false;
  EXPECT_EQ(CheckCrop(probe)->confidence, 0.6);
}

TEST(CheckCrop, ShapesThatNothingExplains) {
  Probe probe = EqualPair();
  probe.distorted.facts.pixel_aspect = 1.25;
  EXPECT_THAT(CheckCrop(probe)->sentence, HasSubstr("aspect ratio of 1.778 and dis with 2.222: one was cropped or"));
  EXPECT_THAT(CheckCrop(probe)->command, EndsWith(" --crop auto"));
  probe.alignment = IdentityOf();
  EXPECT_THAT(CheckCrop(probe)->sentence, HasSubstr("declares a wrong pixel aspect ratio"));
  EXPECT_THAT(CheckCrop(probe)->command, EndsWith(" --force"));
}

TEST(CheckSize, IsSaidWhereNothingIsCropped) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckSize(probe));
  probe.distorted = VideoOf("dis", SceneTrack(80), 320, 180);
  EXPECT_EQ(CheckSize(probe)->sentence, "ref is 640x360 and dis 320x180; acutance score scales that.");
  probe.placement = FoundPlacement{{0.05, 0.05, 0.9, 0.9}};
  EXPECT_FALSE(CheckSize(probe));
}

TEST(CheckInterlacing, IsSeenInOneVideoAlone) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckInterlacing(probe));
  probe.distorted.combing = 0.3;
  EXPECT_EQ(CheckInterlacing(probe)->sentence, "dis is interlaced and the other video is not.");
  EXPECT_NEAR(CheckInterlacing(probe)->confidence, 0.92, 1e-9);
  probe.reference.combing = 0.3;
  EXPECT_FALSE(CheckInterlacing(probe)) << "both are combed: fine lines";
  probe.reference.combing = 0, probe.distorted.combing = 0.2;
  probe.distorted.format.height = 180;
  EXPECT_NEAR(CheckInterlacing(probe)->confidence, 0.5, 1e-9) << "scaled lines look like combs";
}

TEST(CheckInterlacing, TakesTheStreamsWordWhereNothingShowsIt) {
  Probe probe = EqualPair();
  probe.reference.facts.is_interlaced = true;
  EXPECT_THAT(CheckInterlacing(probe)->sentence, HasSubstr("ref is interlaced and the other video is not, as its"));
  EXPECT_NEAR(CheckInterlacing(probe)->confidence, 0.7, 1e-9);
}

/// The distorted video's luma is changed, and both are compared.
Probe Changed(const std::function<double(double)>& change) {
  Probe probe = EqualPair();
  probe.distorted = VideoOf("dis", SceneTrack(80, {}, change));
  Compare(probe);
  return probe;
}

double ToLimited(double luma) { return 16 + luma * 219 / 255; }

/// PQ of limited range, for a display of 200 cd/m2.
double ToPq(double luma) {
  const double light = std::pow(200.0 / 10000 * std::pow(std::max(luma - 16, 0.0) / 219, 2.4), 0.1593017578125);
  return 16 + 219 * std::pow((0.8359375 + 18.8515625 * light) / (1 + 18.6875 * light), 78.84375);
}

TEST(CheckRange, FindsARangeThatNoStreamDeclares) {
  const Finding finding = CheckRange(Changed(ToLimited)).value();
  EXPECT_THAT(finding.sentence, HasSubstr("ref uses the full range of samples and dis the limited one (brightness"));
  EXPECT_THAT(finding.command, HasSubstr("-i ref -vf scale=in_range=full"));
  const auto widen = [](double luma) { return std::max(0.0, (luma - 16) * 255 / 219); };
  EXPECT_THAT(CheckRange(Changed(widen))->sentence, HasSubstr("dis uses the full range"));
  EXPECT_FALSE(CheckRange(Changed([](double luma) { return luma; })));
}

TEST(CheckRange, LeavesDeclaredRangesToScore) {
  Probe probe = Changed(ToLimited);
  probe.reference.color.full_range = true;
  EXPECT_EQ(CheckRange(probe)->sentence, "ref has full range and dis limited; acutance score converts that.");
  probe = Changed([](double luma) { return luma; });
  probe.reference.color.full_range = true;
  EXPECT_THAT(CheckRange(probe)->sentence, HasSubstr("ref declares the full range"));
  EXPECT_THAT(CheckRange(probe)->sentence, HasSubstr("but the pictures have one range"));
}

/// Every finding above 0.5 comes with a warning of `acutance score`, and the other way round.
TEST(CheckRange, AgreesWithTheWarningOfScore) {
  for (const bool declares_full : {false, true})
    for (double slope = 0.78; slope < 1.25; slope += 0.01)
      for (const double shift : {-24.0, -18.6, -13.0, -5.0, 0.0, 5.0, 12.0, 16.0, 20.0}) {
        Probe probe = EqualPair();
        probe.distorted = VideoOf("dis", SceneTrack(80, {}, [&](double luma) { return slope * luma + shift; }));
        probe.alignment = IdentityOf();
        probe.reference.color.full_range = declares_full;
        std::tie(probe.reference_frames, probe.distorted_frames) =
            SamplePairs(probe.reference.track, probe.distorted.track, probe.alignment->pairs);
        const auto warning =
            CheckSampleRange({"ref", probe.reference_frames, declares_full}, {"dis", probe.distorted_frames, false});
        const std::optional<Finding> finding = CheckRange(probe);
        EXPECT_EQ(warning.has_value(), finding && finding->confidence > 0.5) << slope << " " << shift;
      }
}

TEST(CheckTransfer, FindsACurveThatNoStreamDeclares) {
  const Finding finding = CheckTransfer(Changed(ToPq)).value();
  EXPECT_THAT(finding.sentence, HasSubstr("The brightness of dis lies on a curve of that of ref"));
  EXPECT_THAT(finding.command, HasSubstr("smpte2084"));
  EXPECT_FALSE(CheckTransfer(Changed([](double luma) { return 0.8 * luma + 25; })));
}

TEST(CheckTransfer, TakesDeclaredTransfers) {
  Probe probe = Changed([](double luma) { return luma; });
  probe.reference.color.transfer = Transfer::kPq;
  EXPECT_THAT(CheckTransfer(probe)->sentence, HasSubstr("dis has the same brightness, though its stream does not"));
  probe.distorted.color.transfer = Transfer::kSdr;
  EXPECT_EQ(CheckTransfer(probe)->sentence, "ref is HDR by PQ and dis SDR: one of them was tone-mapped.");
  probe.distorted.color.transfer = Transfer::kPq;
  EXPECT_FALSE(CheckTransfer(probe));
}

TEST(CheckColor, IsWhatTheStreamsDeclare) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckColor(probe));
  probe.reference.color.matrix = Matrix::kBt709;
  EXPECT_FALSE(CheckColor(probe)) << "one declares none";
  probe.distorted.color.matrix = Matrix::kBt601;
  EXPECT_THAT(CheckColor(probe)->sentence, HasSubstr("ref declares the matrix of BT.709 and dis that of BT.601"));
  EXPECT_THAT(CheckColor(probe)->command, HasSubstr("in_color_matrix=smpte170m:out_color_matrix=bt709"));
  probe.distorted.color.matrix = Matrix::kBt709;
  probe.reference.color.primaries = Primaries::kBt709, probe.distorted.color.primaries = Primaries::kPal;
  EXPECT_FALSE(CheckColor(probe)) << "these lie close together";
  probe.distorted.color.primaries = Primaries::kP3;
  EXPECT_THAT(CheckColor(probe)->sentence, HasSubstr("primaries of BT.709 and dis those of P3"));
}

TEST(CheckColor, IsNotSaidOfWhatWasToneMapped) {
  Probe probe = EqualPair();
  probe.reference.color = {.transfer = Transfer::kPq, .matrix = Matrix::kBt2020};
  probe.distorted.color = {.transfer = Transfer::kSdr, .matrix = Matrix::kBt709};
  EXPECT_FALSE(CheckColor(probe));
  EXPECT_TRUE(CheckTransfer(probe));
}

/// Blocks of 8 x 8 samples that change in each frame, all of them or 96 x 80 samples at (16, 8) in full range.
VideoProbe BlocksOf(const std::string& name, bool is_whole) {
  const int width = is_whole ? 128 : 96, height = is_whole ? 96 : 80;
  VideoProbe video = VideoOf(name, FrameTrack{.rate = 25}, width, height);
  for (uint32_t frame = 0; frame < 40; ++frame) {
    std::minstd_rand random(frame + 1);
    std::array<std::array<double, 16>, 12> blocks{};
    for (auto& row : blocks)
      for (double& luma : row) luma = 30 + static_cast<double>(random() % 190);
    const MutablePicture picture = AllocatePicture(video.format).value();
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double luma = blocks[static_cast<size_t>((y + (is_whole ? 0 : 8)) / 8)]
                                  [static_cast<size_t>((x + (is_whole ? 0 : 16)) / 8)];
        picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(std::lround(is_whole ? luma : (luma - 16) * 255 / 219));
      }
    video.track.fingerprints.push_back(FingerprintOf(picture.Share()));
    if (frame % 12 != 0) continue;
    video.pictures.push_back(picture.Share());
    video.picture_frames.push_back(frame);
  }
  video.frames = video.track.size();
  return video;
}

TEST(CheckRange, IsReadFromPicturesWhereOneIsCropped) {
  Probe probe;
  probe.reference = BlocksOf("ref", true);
  probe.distorted = BlocksOf("dis", false);
  Compare(probe);
  ASSERT_TRUE(probe.placement);
  EXPECT_THAT(CheckRange(probe).value().sentence, HasSubstr("dis uses the full range"));
}

TEST(CheckRange, IsNotReadFromOtherColors) {
  Probe probe = Changed(ToLimited);
  probe.reference.color.matrix = Matrix::kBt709, probe.distorted.color.matrix = Matrix::kBt601;
  EXPECT_FALSE(CheckRange(probe));
}

}  // namespace
}  // namespace acutance
