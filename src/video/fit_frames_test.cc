// Frames that differ from their video's first, brought to its form.
#include "video/fit_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "image/lazy_picture.h"
#include "video/filters.h"

namespace acutance {
namespace {

Picture Flat(const PictureFormat& format, int luma, int chroma) {
  const MutablePicture picture = AllocatePicture(format).value();
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const int sample = p == 0 ? luma : chroma;
        if (format.bit_depth == 8) picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(sample);
        else picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(sample);
      }
  return picture.Share();
}

int At(const Picture& picture, int plane) {
  return picture.format.bit_depth == 8 ? picture.planes[plane].Row<uint8_t>(0)[0]
                                       : picture.planes[plane].Row<uint16_t>(0)[0];
}

const PictureFormat kSmall = {16, 12, 8, PixelFormat::k420}, kLarge = {32, 24, 8, PixelFormat::k420};

PictureFormat Deep(int bit_depth) { return {16, 12, bit_depth, PixelFormat::k420}; }

TEST(FrameFit, ConvertsRangesAndDepths) {
  const struct {
    FrameForm from, to;
    int luma, chroma, luma_made, chroma_made;
  } cases[] = {
      {{kSmall, true}, {kSmall, false}, 255, 128, 235, 128},
      {{kSmall, false}, {kSmall, true}, 16, 240, 0, 255},
      {{kSmall, false}, {Deep(10), false}, 235, 16, 940, 64},
      {{kSmall, true}, {Deep(10), true}, 255, 128, 1023, 512},
      {{Deep(10), false}, {kSmall, false}, 940, 512, 235, 128},
      {{Deep(10), false}, {kSmall, false}, 1023, 1023, 255, 255},
      {{Deep(12), true}, {Deep(10), false}, 4095, 2048, 940, 512},
  };
  for (const auto& [from, to, luma, chroma, luma_made, chroma_made] : cases) {
    const Picture made = MakeFrameFit()(Flat(from.format, luma, chroma), from, to).value();
    EXPECT_EQ(made.format, to.format);
    EXPECT_EQ(At(made, 0), luma_made);
    EXPECT_EQ(At(made, 1), chroma_made);
    EXPECT_FALSE(HasOwnSize(made));
  }
}

TEST(FrameFit, FormsMayAlternate) {
  const FrameFit fit = MakeFrameFit();
  const FrameForm first = {kLarge, false}, small = {kSmall, false}, full = {kLarge, true};
  for (int k = 0; k < 2; ++k) {
    const Picture scaled = fit(Flat(kSmall, 100, 90), small, first).value();
    EXPECT_EQ(scaled.format, kLarge);
    EXPECT_EQ(At(scaled, 0), 100);
    EXPECT_EQ(At(scaled, 2), 90);
    EXPECT_TRUE(HasOwnSize(scaled));
    EXPECT_EQ(scaled.lazy->source().format, kSmall);
    EXPECT_FALSE(HasOwnSize(WithoutOwnSize(scaled)));
    EXPECT_EQ(At(fit(Flat(kLarge, 255, 128), full, first).value(), 0), 235);
  }
}

/// Small frames, then a large one that was brought to their size.
class GrowingVideo : public VideoSource {
 public:
  const PictureFormat& format() const override { return kSmall; }
  Result<std::optional<Picture>> Next() override {
    if (count_++ == 0) return std::optional(Flat(kSmall, 50, 128));
    if (count_ > 2) return std::optional<Picture>();
    const MutablePicture lines = AllocatePicture(kLarge).value();
    for (int y = 0; y < kLarge.height; ++y)
      for (int x = 0; x < kLarge.width; ++x) lines.Row<uint8_t>(0, y)[x] = x % 2 != 0 ? 255 : 0;
    ACU_ASSIGN_OR_RETURN(Picture fitted, MakeFrameFit()(lines.Share(), {kLarge, false}, {kSmall, false}));
    return std::optional(std::move(fitted));
  }

 private:
  int count_ = 0;
};

TEST(FrameFit, SizesAreScaledOnce) {
  for (const bool defers : {false, true}) {
    SCOPED_TRACE(defers);
    auto video = ScaleVideo(std::make_unique<GrowingVideo>(), kLarge.width, kLarge.height, {}).value();
    if (defers) video->DeferConversion();
    const Picture first = Materialize(**video->Next()).value();
    EXPECT_EQ(first.format, kLarge);
    EXPECT_EQ(At(first, 0), 50);
    const Picture lines = **video->Next();
    EXPECT_FALSE(lines.lazy);
    EXPECT_EQ(lines.format, kLarge);
    EXPECT_EQ(lines.planes[0].Row<uint8_t>(3)[6], 0) << "as it was decoded";
    EXPECT_EQ(lines.planes[0].Row<uint8_t>(3)[7], 255);
  }
}

TEST(FrameFit, OtherFiltersTakeTheVideosSize) {
  auto video = CropVideo(std::make_unique<GrowingVideo>(), {8, 6, 2, 2}).value();
  ASSERT_TRUE(video->Next().ok());
  const Picture part = **video->Next();
  EXPECT_FALSE(part.lazy);
  EXPECT_EQ(part.format.width, 8);
  EXPECT_NEAR(part.planes[0].Row<uint8_t>(0)[3], 128, 8);
}

}  // namespace
}  // namespace acutance
