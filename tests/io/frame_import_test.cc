// Tests of decoded frames: every layout of samples gives the same picture.
#include "io/ffmpeg/frame_import.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "io/chroma_conversion.h"
#include "io/ffmpeg/container_facts.h"
#include "io/ffmpeg/hardware_decoder.h"
#include "io/ffmpeg/library.h"
#include "tests/io/io_test_util.h"

namespace acutance {
namespace {

using namespace test;
using testing::HasSubstr;

std::shared_ptr<AVFrame> MakeFrame(AVPixelFormat pixel_format, int width, int height) {
  std::shared_ptr<AVFrame> frame(av_frame_alloc(), [](AVFrame* done) { av_frame_free(&done); });
  frame->format = pixel_format;
  frame->width = width;
  frame->height = height;
  EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
  // av_write_image_line2 sets bits, it clears none.
  for (int p = 0; p < AV_NUM_DATA_POINTERS && frame->buf[p]; ++p)
    std::memset(frame->buf[p]->data, 0, frame->buf[p]->size);
  return frame;
}

void Fill(AVFrame& frame, const Clip& clip) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  for (int p = 0; p < clip.format.PlaneCount(); ++p)
    for (int y = 0; y < clip.FileHeight(p); ++y)
      av_write_image_line2(clip.frames[0][p].data() + static_cast<size_t>(y) * clip.FileWidth(p), frame.data,
                           frame.linesize, desc, 0, y, p, clip.FileWidth(p), sizeof(uint16_t));
}

class FfmpegFrame : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(LoadFfmpeg().ok()) << LoadFfmpeg().message(); }

  Picture Import(const std::shared_ptr<AVFrame>& frame, bool luma_only = false, bool take_rgb = false) {
    const auto format = FormatOf(*frame, static_cast<AVPixelFormat>(frame->format), "a.mkv", take_rgb);
    EXPECT_TRUE(format.ok()) << format.status().message();
    return format.ok() ? PictureOf(frame, *format, luma_only, pool_).value() : Picture();
  }

  PicturePool pool_;
};

TEST_F(FfmpegFrame, EveryLayoutGivesTheSameSamples) {
  struct Case {
    AVPixelFormat layout;
    PixelFormat format;
    int bit_depth;
    bool luma_in_place;
  };
  const Case cases[] = {
      {AV_PIX_FMT_GRAY8, PixelFormat::k400, 8, true},         {AV_PIX_FMT_YA8, PixelFormat::k400, 8, false},
      {AV_PIX_FMT_GRAY12LE, PixelFormat::k400, 12, true},     {AV_PIX_FMT_GRAY16BE, PixelFormat::k400, 16, false},
      {AV_PIX_FMT_YUV420P, PixelFormat::k420, 8, true},       {AV_PIX_FMT_YUVJ422P, PixelFormat::k422, 8, true},
      {AV_PIX_FMT_YUVA420P, PixelFormat::k420, 8, true},      {AV_PIX_FMT_NV12, PixelFormat::k420, 8, true},
      {AV_PIX_FMT_NV21, PixelFormat::k420, 8, true},          {AV_PIX_FMT_NV16, PixelFormat::k422, 8, true},
      {AV_PIX_FMT_NV24, PixelFormat::k444, 8, true},          {AV_PIX_FMT_YUYV422, PixelFormat::k422, 8, false},
      {AV_PIX_FMT_UYVY422, PixelFormat::k422, 8, false},      {AV_PIX_FMT_P010LE, PixelFormat::k420, 10, false},
      {AV_PIX_FMT_P010BE, PixelFormat::k420, 10, false},      {AV_PIX_FMT_P016LE, PixelFormat::k420, 16, true},
      {AV_PIX_FMT_Y210LE, PixelFormat::k422, 10, false},      {AV_PIX_FMT_YUV444P12LE, PixelFormat::k444, 12, true},
      {AV_PIX_FMT_YUV422P12BE, PixelFormat::k422, 12, false}, {AV_PIX_FMT_AYUV64LE, PixelFormat::k444, 16, false},
  };
  for (const Case& c : cases) {
    for (const auto& [width, height] : {std::pair{18, 6}, std::pair{17, 5}}) {
      if (width % 2 == 1 && (c.layout == AV_PIX_FMT_YUYV422 || c.layout == AV_PIX_FMT_UYVY422)) continue;
      SCOPED_TRACE(fmt::format("{} {}x{}", av_get_pix_fmt_name(c.layout), width, height));
      const Clip clip = MakeClip({width, height, c.bit_depth, c.format}, 1);
      auto frame = MakeFrame(c.layout, width, height);
      Fill(*frame, clip);
      const uint8_t* luma = frame->data[0];
      for (bool luma_only : {true, false}) {
        const Picture picture = Import(frame, luma_only);
        EXPECT_EQ(reinterpret_cast<const uint8_t*>(picture.planes[0].data) == luma, c.luma_in_place);
        ExpectFrame(picture, clip, 0, luma_only);
      }
    }
  }
}

TEST_F(FfmpegFrame, OddRowsOfWideSamplesAreCopied) {
  const Clip clip = MakeClip({5, 3, 10, PixelFormat::k400}, 1);
  auto frame = MakeFrame(AV_PIX_FMT_GRAY10LE, 5, 3);
  Fill(*frame, clip);
  std::vector<uint8_t> shifted(64);
  for (int y = 0; y < 3; ++y) std::memcpy(shifted.data() + 1 + y * 11, frame->data[0] + y * frame->linesize[0], 10);
  frame->data[0] = shifted.data() + 1;
  frame->linesize[0] = 11;
  ExpectFrame(Import(frame), clip, 0);
}

/// A row as FFmpeg itself reads it.
std::vector<uint16_t> RowByFfmpeg(const AVFrame& frame, int component, int y, int width) {
  std::vector<uint16_t> row(static_cast<size_t>(width));
  const uint8_t* data[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  av_read_image_line2(row.data(), data, frame.linesize, desc, 0, y, component, width, 0, sizeof(uint16_t));
  return row;
}

// Samples that are used in place may have bits beyond their depth, which are masked here.
TEST_F(FfmpegFrame, EveryLayoutThatIsTakenIsReadAsFfmpegReadsIt) {
  std::mt19937 dice(5);
  int taken = 0;
  for (const AVPixFmtDescriptor* desc = nullptr; (desc = av_pix_fmt_desc_next(desc));) {
    if (desc->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) continue;
    SCOPED_TRACE(desc->name);
    auto frame = MakeFrame(av_pix_fmt_desc_get_id(desc), 18, 6);
    const auto format = FormatOf(*frame, av_pix_fmt_desc_get_id(desc), "a.mkv", true);
    if (!format.ok() || desc->log2_chroma_w > 1) continue;
    ++taken;
    for (int p = 0; p < AV_NUM_DATA_POINTERS && frame->buf[p]; ++p)
      std::generate_n(frame->buf[p]->data, frame->buf[p]->size, std::ref(dice));
    const Picture picture = PictureOf(frame, *format, false, pool_).value();
    for (int p = 0; p < format->PlaneCount(); ++p) {
      const Plane& plane = picture.planes[p];
      const bool is_in_place = reinterpret_cast<const uint8_t*>(plane.data) == frame->data[desc->comp[p].plane];
      const int mask = is_in_place ? (1 << format->bit_depth) - 1 : 0xffff;
      for (int y = 0; y < plane.height; ++y) {
        const std::vector<uint16_t> expected = RowByFfmpeg(*frame, p, y, plane.width);
        for (int x = 0; x < plane.width; ++x) {
          const int found = format->bit_depth == 8 ? plane.Row<uint8_t>(y)[x] : plane.Row<uint16_t>(y)[x];
          ASSERT_EQ(found & mask, expected[x]) << "sample " << x << " of row " << y << " of plane " << p;
        }
      }
    }
  }
  EXPECT_GT(taken, 80);
}

// Decoders reuse the memory of frames.
TEST_F(FfmpegFrame, FramesThatAreCopiedAreReleased) {
  const std::pair<AVPixelFormat, bool> layouts[] = {
      {AV_PIX_FMT_RGB24, true}, {AV_PIX_FMT_YUYV422, true}, {AV_PIX_FMT_NV12, false}, {AV_PIX_FMT_YUV420P, false}};
  for (const auto& [layout, is_released] : layouts) {
    auto frame = MakeFrame(layout, 16, 4);
    const std::weak_ptr<AVFrame> seen = frame;
    const PictureFormat format = FormatOf(*frame, layout, "a.mkv", true).value();
    Picture picture = PictureOf(std::move(frame), format, false, pool_).value();
    EXPECT_EQ(seen.expired(), is_released) << av_get_pix_fmt_name(layout);
    picture = {};
    EXPECT_TRUE(seen.expired());
  }
}

TEST_F(FfmpegFrame, PalettesComeAsTheirColors) {
  auto frame = MakeFrame(AV_PIX_FMT_PAL8, 5, 3);
  const auto color_of = [](int index) { return 0xff000000U | 0x010203U * static_cast<uint32_t>(index) % 0x1000000U; };
  for (int index = 0; index < 256; ++index) reinterpret_cast<uint32_t*>(frame->data[1])[index] = color_of(index);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) frame->data[0][y * frame->linesize[0] + x] = static_cast<uint8_t>(80 * y + 13 * x);
  const Picture picture = Import(frame, false, true);
  ASSERT_EQ(picture.format, (PictureFormat{5, 3, 8, PixelFormat::k444}));
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x)
      for (int p = 0; p < 3; ++p)
        EXPECT_EQ(picture.planes[p].Row<uint8_t>(y)[x], color_of(80 * y + 13 * x) >> (16 - 8 * p) & 0xff);
}

/// Like y4m's 4:1:1, whose chroma WidenTwice widens.
TEST_F(FfmpegFrame, WidensQuarterChroma) {
  auto frame = MakeFrame(AV_PIX_FMT_YUV411P, 16, 2);
  std::vector<uint8_t> quarter;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x) {
      quarter.push_back(static_cast<uint8_t>(40 * x + 10 * y));
      frame->data[1][y * frame->linesize[1] + x] = quarter.back();
    }
  const Picture picture = Import(frame);
  ASSERT_EQ(picture.format.pixel_format, PixelFormat::k422);
  const BytePlane wide = WidenTwice(quarter, 4, 2, 8);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 8; ++x) EXPECT_EQ(picture.planes[1].Row<uint8_t>(y)[x], wide.samples[y * 8 + x]);
}

TEST_F(FfmpegFrame, RefusesWhatIsNotPlainYuv) {
  for (AVPixelFormat bad : {AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP, AV_PIX_FMT_PAL8, AV_PIX_FMT_MONOBLACK,
                            AV_PIX_FMT_XYZ12LE, AV_PIX_FMT_YUV420P9LE, AV_PIX_FMT_YUV420P14LE, AV_PIX_FMT_YUV410P,
                            AV_PIX_FMT_YUV440P, AV_PIX_FMT_GRAYF32LE, AV_PIX_FMT_BAYER_BGGR8}) {
    auto format = FormatOf(*MakeFrame(bad, 8, 8), bad, "a.mkv");
    ASSERT_FALSE(format.ok()) << av_get_pix_fmt_name(bad);
    EXPECT_THAT(format.status().message(), HasSubstr(fmt::format("pixel format {} cannot", av_get_pix_fmt_name(bad))));
  }
}

using Freed = std::unique_ptr<AVBufferRef, void (*)(AVBufferRef*)>;

/// A frame of a pool of that layout.
std::shared_ptr<AVFrame> MakeDeviceFrame(AVPixelFormat layout, uint8_t* luma, uint8_t* chroma, uint8_t* more) {
  const auto unref = [](AVBufferRef* buffer) { av_buffer_unref(&buffer); };
  const Freed device(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA), unref);
  if (!device) return nullptr;
  std::shared_ptr<AVFrame> frame(av_frame_alloc(), [](AVFrame* done) { av_frame_free(&done); });
  frame->hw_frames_ctx = av_hwframe_ctx_alloc(device.get());
  reinterpret_cast<AVHWFramesContext*>(frame->hw_frames_ctx->data)->sw_format = layout;
  frame->format = AV_PIX_FMT_CUDA;
  uint8_t* planes[] = {luma, chroma, more};
  for (int p = 0; p < 3; ++p) frame->data[p] = planes[p];
  for (int p = 0; p < 3 && planes[p]; ++p) frame->linesize[p] = 512;
  return frame;
}

TEST_F(FfmpegFrame, DevicesLayFramesOutAsTheirPoolSays) {
  uint8_t luma = 0, chroma = 0, more = 0;
  if (!MakeDeviceFrame(AV_PIX_FMT_NV12, &luma, &chroma, nullptr)) GTEST_SKIP() << "this FFmpeg knows no CUDA";
  const auto at = [](const uint8_t& sample, int offset = 0) { return reinterpret_cast<uint64_t>(&sample) + offset; };
  struct Case {
    AVPixelFormat layout;
    PictureFormat format;
    std::array<uint64_t, 3> places;
    int chroma_step;
    int shift;
  };
  const Case cases[] = {
      {AV_PIX_FMT_NV12, {64, 32, 8, PixelFormat::k420}, {at(luma), at(chroma), at(chroma, 1)}, 2, 0},
      {AV_PIX_FMT_NV12, {64, 32, 8, PixelFormat::k400}, {at(luma), 0, 0}, 1, 0},
      {AV_PIX_FMT_P010LE, {64, 32, 10, PixelFormat::k420}, {at(luma), at(chroma), at(chroma, 2)}, 2, 6},
      {AV_PIX_FMT_P016LE, {64, 32, 12, PixelFormat::k420}, {at(luma), at(chroma), at(chroma, 2)}, 2, 4},
      {AV_PIX_FMT_YUV444P, {64, 32, 8, PixelFormat::k444}, {at(luma), at(chroma), at(more)}, 1, 0},
      {AV_PIX_FMT_YUV444P16LE, {64, 32, 10, PixelFormat::k444}, {at(luma), at(chroma), at(more)}, 1, 6},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} {}", av_get_pix_fmt_name(c.layout), PixelFormatName(c.format.pixel_format)));
    const auto frame = MakeDeviceFrame(c.layout, &luma, &chroma, &more);
    const auto whole = DeviceFrameOf(*frame, c.format, false), first = DeviceFrameOf(*frame, c.format, true);
    ASSERT_TRUE(whole.ok() && first.ok());
    EXPECT_EQ(whole->format, c.format);
    for (int p = 0; p < 3; ++p) {
      EXPECT_EQ(whole->components[p].plane.address, c.places[p]);
      EXPECT_EQ(first->components[p].plane.address, p == 0 ? c.places[p] : 0);
      if (c.places[p] == 0) continue;
      EXPECT_EQ(whole->components[p].plane.stride, 512u);
      EXPECT_EQ(whole->components[p].step, p == 0 ? 1 : c.chroma_step);
      EXPECT_EQ(whole->components[p].shift, c.shift);
    }
  }
}

TEST_F(FfmpegFrame, RefusesFramesOfDevicesThatAreNotTheVideos) {
  uint8_t luma = 0, chroma = 0;
  const auto frame = MakeDeviceFrame(AV_PIX_FMT_P010LE, &luma, &chroma, nullptr);
  if (!frame) GTEST_SKIP() << "this FFmpeg knows no CUDA";
  const PictureFormat format{64, 32, 10, PixelFormat::k420};
  EXPECT_TRUE(DeviceFrameOf(*frame, format, false).ok());
  for (const PictureFormat& other :
       {PictureFormat{64, 32, 8, PixelFormat::k420}, {64, 32, 10, PixelFormat::k444}, {64, 32, 10, PixelFormat::k422}})
    EXPECT_FALSE(DeviceFrameOf(*frame, other, other.bit_depth > 8).ok());
  frame->crop_left = 2;
  EXPECT_FALSE(DeviceFrameOf(*frame, format, false).ok());
}

TEST_F(FfmpegFrame, DevicesDecodeWhatIsTheSameEverywhere) {
  for (AVCodecID codec : {AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MJPEG, AV_CODEC_ID_FFV1})
    EXPECT_EQ(FindDeviceDecoder(codec), nullptr) << avcodec_get_name(codec);
  if (!MakeDeviceFrame(AV_PIX_FMT_NV12, nullptr, nullptr, nullptr)) GTEST_SKIP() << "this FFmpeg knows no CUDA";
  for (AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1})
    EXPECT_NE(FindDeviceDecoder(codec), nullptr) << avcodec_get_name(codec);
  EXPECT_THAT(DeviceCodecs().value(), testing::IsSupersetOf({"h264", "hevc", "vp9", "av1"}));
}

TEST(DeclaredFileSize, ReadsTheSegmentSizeOfMatroska) {
  const std::string start = std::string("\x1a\x45\xdf\xa3\x83") + "abc" + "\x18\x53\x80\x67";
  EXPECT_EQ(DeclaredFileSize(start + "\x8a"), 8 + 5 + 10);
  EXPECT_EQ(DeclaredFileSize(start + std::string("\x01\0\0\0\0\0\x01\x02", 8)), 8 + 12 + 258);
  for (const std::string unknown : {"\xff", "\x01\xff\xff\xff\xff\xff\xff\xff"})
    EXPECT_EQ(DeclaredFileSize(start + unknown), std::nullopt);
  EXPECT_EQ(DeclaredFileSize("RIFFabcd"), std::nullopt);
  for (size_t size = 0; size < 12; ++size) EXPECT_EQ(DeclaredFileSize((start + "\x8a").substr(0, size)), std::nullopt);
  EXPECT_EQ(DeclaredFileSize(std::string("\x1a\x45\xdf\xa3\0", 5)), std::nullopt);
}

}  // namespace
}  // namespace acutance
