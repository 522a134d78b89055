// Tests of decoded frames: every layout of samples gives the same picture.
#include "io/ffmpeg/frame_import.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "io/chroma_conversion.h"
#include "io/ffmpeg/container_facts.h"
#include "io/ffmpeg/decoder.h"
#include "io/ffmpeg/library.h"
#include "tests/io/io_test_util.h"

namespace acutance {
namespace {

using namespace test;
using testing::HasSubstr;

/// A function of the loaded libavutil that only this test calls.
template <class Function>
Function* Libavutil(const char* name) {
  Dl_info library{};
  ::dladdr(reinterpret_cast<const void*>(Ffmpeg().av_malloc), &library);
  void* const handle = ::dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function*>(::dlsym(handle, name));
}

AVPixelFormat Layout(const char* name) {
  static const auto get = Libavutil<AVPixelFormat(const char*)>("av_get_pix_fmt");
  return get(name);
}

FramePtr MakeFrame(AVPixelFormat layout, int width, int height) {
  FramePtr frame = acutance::MakeFrame();
  const auto fields = Fields(*frame);
  fields.format() = layout;
  fields.width() = width;
  fields.height() = height;
  EXPECT_EQ(Ffmpeg().av_frame_get_buffer(frame.get(), 0), 0);
  // av_write_image_line2 sets bits, it clears none.
  for (const AVBufferRef* buffer : fields.buf())
    if (buffer) std::memset(buffer->data, 0, buffer->size);
  return frame;
}

void Fill(AVFrame& frame, const Clip& clip) {
  static const auto write =
      Libavutil<void(const void*, uint8_t**, const int*, const AVPixFmtDescriptor*, int, int, int, int, int)>(
          "av_write_image_line2");
  const auto fields = Fields(frame);
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(fields.format());
  for (int p = 0; p < clip.format.PlaneCount(); ++p)
    for (int y = 0; y < clip.FileHeight(p); ++y)
      write(clip.frames[0][p].data() + static_cast<size_t>(y) * clip.FileWidth(p), fields.data(), fields.linesize(),
            desc, 0, y, p, clip.FileWidth(p), sizeof(uint16_t));
}

class FfmpegFrame : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(LoadFfmpeg().ok()) << LoadFfmpeg().message(); }

  Picture Import(const FramePtr& frame, bool luma_only = false, bool take_rgb = false) {
    const auto format = FormatOf(*frame, Fields(*frame).format(), "a.mkv", take_rgb);
    EXPECT_TRUE(format.ok()) << format.status().message();
    return format.ok() ? PictureOf(frame, *format, luma_only, pool_).value() : Picture();
  }

  PicturePool pool_;
};

TEST_F(FfmpegFrame, EveryLayoutGivesTheSameSamples) {
  struct Case {
    const char* layout;
    PixelFormat format;
    int bit_depth;
    bool luma_in_place;
  };
  const Case cases[] = {
      {"gray8", PixelFormat::k400, 8, true},         {"ya8", PixelFormat::k400, 8, false},
      {"gray12le", PixelFormat::k400, 12, true},     {"gray16be", PixelFormat::k400, 16, false},
      {"yuv420p", PixelFormat::k420, 8, true},       {"yuvj422p", PixelFormat::k422, 8, true},
      {"yuva420p", PixelFormat::k420, 8, true},      {"nv12", PixelFormat::k420, 8, true},
      {"nv21", PixelFormat::k420, 8, true},          {"nv16", PixelFormat::k422, 8, true},
      {"nv24", PixelFormat::k444, 8, true},          {"yuyv422", PixelFormat::k422, 8, false},
      {"uyvy422", PixelFormat::k422, 8, false},      {"p010le", PixelFormat::k420, 10, false},
      {"p010be", PixelFormat::k420, 10, false},      {"p016le", PixelFormat::k420, 16, true},
      {"y210le", PixelFormat::k422, 10, false},      {"yuv444p12le", PixelFormat::k444, 12, true},
      {"yuv422p12be", PixelFormat::k422, 12, false}, {"ayuv64le", PixelFormat::k444, 16, false},
  };
  for (const Case& c : cases) {
    for (const auto& [width, height] : {std::pair{18, 6}, std::pair{17, 5}}) {
      if (width % 2 == 1 && (std::string_view(c.layout).ends_with("yvy422") || std::string_view(c.layout) == "yuyv422"))
        continue;
      SCOPED_TRACE(fmt::format("{} {}x{}", c.layout, width, height));
      const Clip clip = MakeClip({width, height, c.bit_depth, c.format}, 1);
      auto frame = MakeFrame(Layout(c.layout), width, height);
      Fill(*frame, clip);
      const uint8_t* luma = Fields(*frame).data()[0];
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
  auto frame = MakeFrame(Layout("gray10le"), 5, 3);
  Fill(*frame, clip);
  const auto fields = Fields(*frame);
  std::vector<uint8_t> shifted(64);
  for (int y = 0; y < 3; ++y) std::memcpy(shifted.data() + 1 + y * 11, fields.data()[0] + y * fields.linesize()[0], 10);
  fields.data()[0] = shifted.data() + 1;
  fields.linesize()[0] = 11;
  ExpectFrame(Import(frame), clip, 0);
}

/// A row as FFmpeg itself reads it.
std::vector<uint16_t> RowByFfmpeg(const AVFrame& frame, int component, int y, int width) {
  std::vector<uint16_t> row(static_cast<size_t>(width));
  static const auto read = Libavutil<void(void*, const uint8_t* const*, const int*, const AVPixFmtDescriptor*, int, int,
                                          int, int, int, int)>("av_read_image_line2");
  const auto fields = Fields(frame);
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(fields.format());
  read(row.data(), fields.data(), fields.linesize(), desc, 0, y, component, width, 0, sizeof(uint16_t));
  return row;
}

// Samples that are used in place may have bits beyond their depth, which are masked here.
TEST_F(FfmpegFrame, EveryLayoutThatIsTakenIsReadAsFfmpegReadsIt) {
  std::mt19937 dice(5);
  int taken = 0;
  const auto next = Libavutil<const AVPixFmtDescriptor*(const AVPixFmtDescriptor*)>("av_pix_fmt_desc_next");
  const auto id_of = Libavutil<AVPixelFormat(const AVPixFmtDescriptor*)>("av_pix_fmt_desc_get_id");
  for (const AVPixFmtDescriptor* desc = nullptr; (desc = next(desc));) {
    if (desc->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) continue;
    SCOPED_TRACE(desc->name);
    auto frame = MakeFrame(id_of(desc), 18, 6);
    const auto format = FormatOf(*frame, id_of(desc), "a.mkv", true);
    if (!format.ok() || desc->log2_chroma_w > 1) continue;
    ++taken;
    for (const AVBufferRef* buffer : Fields(*frame).buf())
      if (buffer) std::generate_n(buffer->data, buffer->size, std::ref(dice));
    const Picture picture = PictureOf(frame, *format, false, pool_).value();
    for (int p = 0; p < format->PlaneCount(); ++p) {
      const Plane& plane = picture.planes[p];
      const bool is_in_place =
          reinterpret_cast<const uint8_t*>(plane.data) == Fields(*frame).data()[desc->comp[p].plane];
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
  const std::pair<const char*, bool> layouts[] = {
      {"rgb24", true}, {"yuyv422", true}, {"nv12", false}, {"yuv420p", false}};
  for (const auto& [layout, is_released] : layouts) {
    auto frame = MakeFrame(Layout(layout), 16, 4);
    const std::weak_ptr<AVFrame> seen = frame;
    const PictureFormat format = FormatOf(*frame, Layout(layout), "a.mkv", true).value();
    Picture picture = PictureOf(std::move(frame), format, false, pool_).value();
    EXPECT_EQ(seen.expired(), is_released) << layout;
    picture = {};
    EXPECT_TRUE(seen.expired());
  }
}

TEST_F(FfmpegFrame, PalettesComeAsTheirColors) {
  auto frame = MakeFrame(Layout("pal8"), 5, 3);
  const auto fields = Fields(*frame);
  const auto color_of = [](int index) { return 0xff000000U | 0x010203U * static_cast<uint32_t>(index) % 0x1000000U; };
  for (int index = 0; index < 256; ++index) reinterpret_cast<uint32_t*>(fields.data()[1])[index] = color_of(index);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) fields.data()[0][y * fields.linesize()[0] + x] = static_cast<uint8_t>(80 * y + 13 * x);
  const Picture picture = Import(frame, false, true);
  ASSERT_EQ(picture.format, (PictureFormat{5, 3, 8, PixelFormat::k444}));
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x)
      for (int p = 0; p < 3; ++p)
        EXPECT_EQ(picture.planes[p].Row<uint8_t>(y)[x], color_of(80 * y + 13 * x) >> (16 - 8 * p) & 0xff);
}

/// Like y4m's 4:1:1, whose chroma WidenTwice widens.
TEST_F(FfmpegFrame, WidensQuarterChroma) {
  auto frame = MakeFrame(Layout("yuv411p"), 16, 2);
  const auto fields = Fields(*frame);
  std::vector<uint8_t> quarter;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x) {
      quarter.push_back(static_cast<uint8_t>(40 * x + 10 * y));
      fields.data()[1][y * fields.linesize()[1] + x] = quarter.back();
    }
  const Picture picture = Import(frame);
  ASSERT_EQ(picture.format.pixel_format, PixelFormat::k422);
  const BytePlane wide = WidenTwice(quarter, 4, 2, 8);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 8; ++x) EXPECT_EQ(picture.planes[1].Row<uint8_t>(y)[x], wide.samples[y * 8 + x]);
}

TEST_F(FfmpegFrame, RefusesWhatIsNotPlainYuv) {
  for (const char* bad : {"rgb24", "gbrp", "pal8", "monob", "xyz12le", "yuv420p9le", "yuv420p14le", "yuv410p",
                          "yuv440p", "grayf32le", "bayer_bggr8"}) {
    auto format = FormatOf(*MakeFrame(Layout(bad), 8, 8), Layout(bad), "a.mkv");
    ASSERT_FALSE(format.ok()) << bad;
    EXPECT_THAT(format.status().message(), HasSubstr(fmt::format("pixel format {} cannot", bad)));
  }
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
