#include "align/align_windows.h"

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "align/testing/tracks.h"
#include "io/video_source.h"

namespace acutance {
namespace {

constexpr PictureFormat kFormat{64, 36, 8, PixelFormat::k400};
constexpr int64_t kWindow = 800;

/// A spot on a way that does not close soon, before a slope.
class Film : public VideoSource {
 public:
  /// shown: the moment that frame k shows; below 0: the video ends.
  Film(std::function<int64_t(int64_t k)> shown, int lift) : shown_(std::move(shown)), lift_(lift) {}
  const PictureFormat& format() const override { return kFormat; }
  std::optional<double> frame_rate() const override { return 25; }
  Result<std::optional<Picture>> Next() override {
    const int64_t at = shown_(next_++);
    if (at < 0) return std::optional<Picture>();
    const FrameFingerprint cells = SpotAt(static_cast<double>(at));
    MutablePicture picture = AllocatePicture(kFormat).value();
    for (int y = 0; y < kFormat.height; ++y)
      for (int x = 0; x < kFormat.width; ++x)
        picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(cells.cells[y / 2 * 32 + x / 2] / 256 + lift_);
    return std::optional(picture.Share());
  }

 private:
  const std::function<int64_t(int64_t k)> shown_;
  const int lift_;
  int64_t next_ = 0;
};

std::function<int64_t(int64_t)> Frames(std::vector<int64_t> shown) {
  return [shown = std::move(shown)](int64_t k) { return k < std::ssize(shown) ? shown[k] : -1; };
}

std::vector<int64_t> AllOf(int64_t count) {
  std::vector<int64_t> frames(count);
  std::iota(frames.begin(), frames.end(), 0);
  return frames;
}

PlacedAlignment InWindows(const std::vector<int64_t>& reference, const std::vector<int64_t>& distorted,
                          int64_t most = 1'000'000) {
  std::vector<std::unique_ptr<VideoSource>> videos;
  videos.push_back(std::make_unique<Film>(Frames(reference), 0));
  videos.push_back(std::make_unique<Film>(Frames(distorted), 3));
  TrackReading reading(videos);
  std::vector<WindowedAlignment> alignments(1, {kWindow, WindowedAlignment::By::kContent, false});
  const Status status = AlignInWindows(reading, most, alignments);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_LE(reading.tracks()[0].size(), 2 * kWindow);
  return alignments[0].Finish(reading.CountOf(0), reading.CountOf(1));
}

void ExpectShown(const PlacedAlignment& placed, const std::vector<int64_t>& distorted, size_t least) {
  ASSERT_TRUE(placed.alignment.ok()) << placed.alignment.status().message();
  EXPECT_EQ(placed.alignment->window, kWindow);
  ExpectPairs(
      *placed.alignment, [&](int64_t j) { return distorted[j]; }, least);
}

TEST(WindowedAlignment, PairsLongVideosFrameByFrame) {
  const PlacedAlignment placed = InWindows(AllOf(3000), AllOf(3000));
  ASSERT_TRUE(placed.alignment.ok());
  ExpectIdentity(*placed.alignment, 3000);
  EXPECT_TRUE(placed.alignment->unmatched_reference.empty());
}

TEST(WindowedAlignment, FollowsFramesThatAreMissingAndRepeated) {
  std::vector<int64_t> distorted = AllOf(4000);
  for (const int64_t at : {3700, 2200, 1300, 797, 590, 20}) distorted.erase(distorted.begin() + at);
  distorted.insert(distorted.begin() + 3000, distorted[2999]);
  ExpectShown(InWindows(AllOf(4000), distorted), distorted, 3980);
}

TEST(WindowedAlignment, FindsOffsetsAndEnds) {
  const std::vector<int64_t> all = AllOf(2500);
  const std::vector<int64_t> part(all.begin() + 90, all.end() - 300);
  const PlacedAlignment early = InWindows(all, part);
  ExpectShown(early, part, part.size());
  EXPECT_EQ(std::ssize(early.alignment->unmatched_reference), 390);
  const PlacedAlignment late = InWindows(part, all);
  ASSERT_TRUE(late.alignment.ok());
  EXPECT_EQ(late.alignment->late(), 90);
  EXPECT_EQ(late.alignment->pairs.size(), part.size());
  EXPECT_EQ(std::ssize(late.alignment->unmatched_distorted), 390);
}

TEST(WindowedAlignment, LeavesOutWindowsThatShowOtherThings) {
  std::vector<int64_t> distorted = AllOf(8000);
  for (int64_t k = 2000; k < 2900; ++k) distorted[k] = 500'000 + 7 * k;
  const PlacedAlignment placed = InWindows(AllOf(8000), distorted);
  ASSERT_TRUE(placed.alignment.ok()) << placed.alignment.status().message();
  int64_t wrong = 0;
  for (const auto& [i, j] : placed.alignment->pairs) wrong += i != j;
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(std::ssize(placed.alignment->pairs), 5500);
}

TEST(WindowedAlignment, RefusesOtherVideos) {
  std::vector<int64_t> other = AllOf(2500);
  for (int64_t& at : other) at = 1'000'000 + 13 * at;
  EXPECT_FALSE(InWindows(AllOf(2500), other).alignment.ok());
}

TEST(AlignmentWindow, IsShorterWhereMemoryIsLimited) {
  EXPECT_EQ(AlignmentWindow(size_t{1} << 30), AlignmentWindow(std::nullopt));
  EXPECT_LT(AlignmentWindow(size_t{60} << 20), AlignmentWindow(std::nullopt));
  EXPECT_GE(AlignmentWindow(1), 800);
}

}  // namespace
}  // namespace acutance
