#include "align/shot_cuts.h"

#include <gtest/gtest.h>

#include <vector>

namespace acutance {
namespace {

/// A picture whose cells follow from `scene`, lighter by `light` steps of 8 bits.
FrameFingerprint Frame(int scene, int light = 0) {
  FrameFingerprint fingerprint;
  for (size_t i = 0; i < fingerprint.cells.size(); ++i)
    fingerprint.cells[i] =
        static_cast<uint16_t>(256 * (60 + (i * static_cast<size_t>(7 + 6 * scene)) % 80 + static_cast<size_t>(light)));
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
  EXPECT_EQ(CutsOf(frames), (std::vector<int64_t>{}));
}

TEST(ShotCuts, NoneInFastMotionOrFades) {
  std::vector<FrameFingerprint> motion, fade;
  for (int k = 0; k < 60; ++k) {
    motion.push_back(Frame(k));
    fade.push_back(Frame(1, k));
  }
  EXPECT_EQ(CutsOf(motion), (std::vector<int64_t>{}));
  EXPECT_EQ(CutsOf(fade), (std::vector<int64_t>{}));
}

TEST(ShotCuts, FewFrames) {
  EXPECT_TRUE(CutsOf({}).empty());
  EXPECT_TRUE(CutsOf({Frame(1)}).empty());
  EXPECT_TRUE(CutsOf({Frame(1), Frame(2), Frame(3)}).empty());
}

}  // namespace
}  // namespace acutance
