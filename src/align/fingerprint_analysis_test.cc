#include "align/fingerprint_analysis.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

/// A picture whose cells follow from `scene`, lighter by `light` steps of 8 bits.
FrameFingerprint Frame(int scene, int light = 0) {
  FrameFingerprint fingerprint;
  for (size_t i = 0; i < fingerprint.cells.size(); ++i)
    fingerprint.cells[i] = static_cast<uint16_t>(256 * (60 + i * (7 + 6 * scene) % 80 + light));
  return fingerprint;
}

std::vector<int64_t> CutsOf(const std::vector<FrameFingerprint>& frames) {
  ShotCuts cuts;
  for (const FrameFingerprint& frame : frames) cuts.Add(frame);
  return cuts.Find();
}

TEST(ShotCuts, WhereThePictureChanges) {
  std::vector<FrameFingerprint> frames;
  for (int k = 0; k < 60; ++k) frames.push_back(Frame(k < 20 ? 1 : k < 41 ? 2 : 3, k % 2));
  EXPECT_EQ(CutsOf(frames), (std::vector<int64_t>{20, 41}));
}

TEST(ShotCuts, NoneAtAFlash) {
  std::vector<FrameFingerprint> frames;
  for (int k = 0; k < 60; ++k) frames.push_back(Frame(1, k == 30 ? 90 : 0));
  EXPECT_TRUE(CutsOf(frames).empty());
}

TEST(ShotCuts, NoneInFastMotionOrFades) {
  std::vector<FrameFingerprint> motion, fade;
  for (int k = 0; k < 60; ++k) motion.push_back(Frame(k)), fade.push_back(Frame(1, k));
  EXPECT_TRUE(CutsOf(motion).empty());
  EXPECT_TRUE(CutsOf(fade).empty());
}

// A change of five frames where four are missing is no boundary; one that is larger is.
TEST(ShotCuts, NoneWhereFramesAreMissing) {
  std::vector<int64_t> numbers;
  ShotCuts fade, cut;
  for (int k = 0; k < 60; ++k) {
    numbers.push_back(k < 30 ? k : k + 4);
    fade.Add(Frame(1, static_cast<int>(numbers.back()) * 2));
    cut.Add(Frame(k < 30 ? 1 : 2, static_cast<int>(numbers.back()) / 8));
  }
  EXPECT_EQ(fade.Find(), std::vector<int64_t>{30});
  EXPECT_TRUE(fade.Find(numbers).empty());
  EXPECT_EQ(cut.Find(numbers), std::vector<int64_t>{30});
}

TEST(ShotCuts, FewFrames) {
  EXPECT_TRUE(CutsOf({}).empty());
  EXPECT_TRUE(CutsOf({Frame(1)}).empty());
  EXPECT_TRUE(CutsOf({Frame(1), Frame(2), Frame(3)}).empty());
}

/// A bright square that moves a cell to the right in each frame, in steps of 8 bits.
FrameCells Square(int frame, double gain = 1, double more = 0) {
  FrameCells cells{};
  for (int y = 0; y < FrameFingerprint::kRows; ++y)
    for (int x = 0; x < FrameFingerprint::kColumns; ++x) {
      const bool is_bright = x >= frame && x < frame + 4 && y >= 6 && y < 12;
      cells[y * FrameFingerprint::kColumns + x] = static_cast<uint16_t>(((is_bright ? 200 : 50) * gain + more) * 256);
    }
  return cells;
}

std::vector<FrameCells> Clip() {
  std::vector<FrameCells> clip;
  for (int frame = 0; frame < 20; ++frame) clip.push_back(Square(frame));
  return clip;
}

TEST(NearestReferenceFrame, IsFoundOnBothSides) {
  EXPECT_EQ(NearestReferenceFrame(Square(3), Clip(), 10), 3);
  EXPECT_EQ(NearestReferenceFrame(Square(17), Clip(), 10), 17);
}

TEST(NearestReferenceFrame, IsNoneForTheFrameItself) {
  EXPECT_EQ(NearestReferenceFrame(Square(10), Clip(), 10), std::nullopt);
  EXPECT_EQ(NearestReferenceFrame(Square(10, 1.1, 12), Clip(), 10), std::nullopt);
}

TEST(NearestReferenceFrame, IsNoneForAPictureFromElsewhere) {
  FrameCells other{};
  for (size_t i = 0; i < other.size(); ++i) other[i] = static_cast<uint16_t>(i * 7919 % 60000);
  EXPECT_EQ(NearestReferenceFrame(other, Clip(), 10), std::nullopt);
  EXPECT_EQ(NearestReferenceFrame(Square(3), Clip(), 25), std::nullopt);  // the reference ends before
}

}  // namespace
}  // namespace acutance
