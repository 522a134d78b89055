#include "align/nearest_reference_frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace acutance {
namespace {

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
