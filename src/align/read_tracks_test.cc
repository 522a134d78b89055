#include "align/read_tracks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace acutance {
namespace {

constexpr PictureFormat kFormat{64, 36, 8, PixelFormat::k400};

/// Black pictures, then an error.
class BrokenVideo : public VideoSource {
 public:
  BrokenVideo(int pictures, Status error) : left_(pictures), error_(std::move(error)) {}
  const PictureFormat& format() const override { return kFormat; }
  Result<std::optional<Picture>> Next() override {
    if (left_-- <= 0) return error_;
    ACU_ASSIGN_OR_RETURN(const MutablePicture picture, AllocatePicture(kFormat));
    for (int y = 0; y < kFormat.height; ++y) std::fill_n(picture.Row<uint8_t>(0, y), kFormat.width, uint8_t{16});
    return std::optional(picture.Share());
  }

 private:
  int left_;
  const Status error_;
};

struct Read {
  Status status;
  int64_t frames = 0;
  Status damage;
};

Read ReadBroken(StatusCode code) {
  std::vector<std::unique_ptr<VideoSource>> videos;
  videos.push_back(std::make_unique<BrokenVideo>(3, Error(code, "broken")));
  TrackReading reading(videos);
  Status status = reading.ReadTo(std::nullopt);
  return {std::move(status), reading.tracks()[0].size(), reading.damages()[0]};
}

TEST(TrackReading, OfADamagedVideoEndsWhereTheDamageIs) {
  const Read read = ReadBroken(StatusCode::kBadData);
  EXPECT_TRUE(read.status.ok());
  EXPECT_EQ(read.frames, 3);
  EXPECT_EQ(read.damage.code(), StatusCode::kBadData);
}

// Else the rest of a video whose frames lack memory for a moment would be left out, or called missing.
TEST(TrackReading, FailsForReasonsThatAreNotTheVideos) {
  for (const StatusCode code : {StatusCode::kOutOfMemory, StatusCode::kCancelled})
    EXPECT_EQ(ReadBroken(code).status.code(), code);
}

}  // namespace
}  // namespace acutance
