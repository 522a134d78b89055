#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace acutance
