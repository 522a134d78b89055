// Tests of the y4m and raw yuv readers: layouts, odd sizes, pipes, damage.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "io/byte_stream.h"
#include "tests/io/io_test_util.h"
#include "video/open_video.h"

namespace acutance {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

TEST(PlanarSource, ReadsEveryLayoutDepthAndOddSize) {
  const TempDir dir;
  for (const PictureFormat& format : AllFormats()) {
    const Clip clip = MakeClip(format, 4);
    SCOPED_TRACE(fmt::format("{} {}x{}", TagOf(format), format.width, format.height));
    WriteFile(dir / "a.y4m", clip.Y4m(TagOf(format)));
    WriteFile(dir / "a.yuv", clip.Yuv());
    ExpectFile(dir / "a.y4m", clip);
    ExpectFile(dir / "a.yuv", clip, {format});
    const auto y4m = MustOpen(dir / "a.y4m");
    EXPECT_EQ(y4m->frame_count(), 4);
    EXPECT_EQ(y4m->frame_rate(), 25.0);
    EXPECT_EQ(MustOpen(dir / "a.yuv", {format})->frame_count(), 4);
  }
}

/// The clip as NV12 or P010.
std::string SemiPlanar(const Clip& clip) {
  std::string bytes;
  const int shift = clip.format.bit_depth > 8 ? 16 - clip.format.bit_depth : 0;
  const auto append = [&](int sample) {
    bytes += static_cast<char>(sample << shift & 0xff);
    if (clip.format.bit_depth > 8) bytes += static_cast<char>(sample << shift >> 8);
  };
  for (const auto& planes : clip.frames) {
    for (const uint16_t sample : planes[0]) append(sample);
    for (size_t i = 0; i < planes[1].size(); ++i) append(planes[1][i]), append(planes[2][i]);
  }
  return bytes;
}

TEST(RawYuv, ReadsNv12AndP010OfOddSizesFromFilesAndPipes) {
  const TempDir dir;
  const std::string pipe = MakeFifo(dir / "pipe");
  for (const PictureFormat& format : AllFormats()) {
    if (format.pixel_format != PixelFormat::k420) continue;
    const Clip clip = MakeClip(format, 3);
    SCOPED_TRACE(fmt::format("{} bits, {}x{}", format.bit_depth, format.width, format.height));
    const OpenOptions options{.raw = format, .raw_is_semi_planar = true};
    WriteFile(dir / "a.yuv", SemiPlanar(clip));
    ExpectFile(dir / "a.yuv", clip, options);
    for (const bool luma_only : {false, true}) {
      const FifoWriter writer(pipe, SemiPlanar(clip));
      const auto source = MustOpen(pipe, options);
      if (luma_only) source->SkipChroma();
      ExpectClip(*source, clip, luma_only);
    }
  }
}

TEST(RawYuv, AlternatingChromaIs420) {
  const TempDir dir;
  WriteFile(dir / "a.yuv", std::string(64, 'x'));
  const PictureFormat format{4, 4, 8, PixelFormat::k444};
  EXPECT_THAT(ErrorOf(dir / "a.yuv", nullptr, {.raw = format, .raw_is_semi_planar = true}), HasSubstr("not 444"));
}

TEST(Y4m, TakesTheOther420TagsAndNoTagFor420) {
  const TempDir dir;
  const Clip clip = MakeClip({10, 6, 8, PixelFormat::k420}, 2);
  for (const char* tag : {"C420", "C420jpeg", "C420mpeg2", "", "XYSCSS=420JPEG", "Zunknown C420"}) {
    WriteFile(dir / "a.y4m", clip.Y4m(tag));
    ExpectClip(*MustOpen(dir / "a.y4m"), clip);
  }
}

TEST(Y4m, FrameParametersUpTo79Characters) {
  const TempDir dir;
  const Clip clip = MakeClip({10, 6, 8, PixelFormat::k420}, 3);
  for (const std::string& parameters : {std::string(), std::string("Ip"), std::string(78, 'X')}) {
    WriteFile(dir / "a.y4m", clip.Y4m("C420", "FRAME " + parameters + "\n"));
    auto source = MustOpen(dir / "a.y4m");
    EXPECT_EQ(source->frame_count(), std::nullopt);
    ExpectClip(*source, clip);
  }
  int frames = 0;
  WriteFile(dir / "a.y4m", clip.Y4m("C420", "FRAME " + std::string(79, 'X') + "\n"));
  EXPECT_THAT(ErrorOf(dir / "a.y4m", &frames), HasSubstr("marker of frame 0 does not end"));
  EXPECT_EQ(frames, 0);
}

TEST(Y4m, SkipsAlpha) {
  const TempDir dir;
  const Clip clip = MakeClip({9, 5, 8, PixelFormat::k444}, 3);
  std::string bytes = "YUV4MPEG2 W9 H5 F25:1 Ip C444alpha\n";
  for (size_t i = 0; i < 3; ++i) bytes += "FRAME\n" + clip.FrameBytes(i) + std::string(45, '\xff');
  WriteFile(dir / "a.y4m", bytes);
  ExpectClip(*MustOpen(dir / "a.y4m"), clip);
}

int Clamped(int sum) { return std::min(std::max((sum + 64) >> 7, 0), 255); }

TEST(Y4m, Widens411To422) {
  const TempDir dir;
  const int width = 13, height = 3, quarter = 4;
  const Clip clip = MakeClip({width, height, 8, PixelFormat::k422}, 1, 7);
  std::string bytes = "YUV4MPEG2 W13 H3 F25:1 Ip C411\nFRAME\n";
  for (uint16_t sample : clip.frames[0][0]) bytes += static_cast<char>(sample);
  std::vector<int> chroma[2];
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < quarter * height; ++i) bytes += static_cast<char>(chroma[c].emplace_back(i * 53 % 256));
  WriteFile(dir / "a.y4m", bytes);
  const Picture picture = MustNext(*MustOpen(dir / "a.y4m"));
  EXPECT_EQ(picture.format, clip.format);
  EXPECT_EQ(CountDifferent(picture, clip, 0, 0), 0);
  EXPECT_EQ(picture.planes[1].width, 6);
  for (int c = 0; c < 2; ++c) {
    for (int y = 0; y < height; ++y) {
      auto at = [&](int x) { return chroma[c][y * quarter + std::min(std::max(x, 0), quarter - 1)]; };
      for (int x = 0; x < picture.planes[c + 1].width; ++x) {
        const int h = x / 2;
        const int sum = x % 2 == 0 ? at(h - 1) + 110 * at(h) + 18 * at(h + 1) - at(h + 2)
                                   : -3 * at(h - 1) + 50 * at(h) + 86 * at(h + 1) - 5 * at(h + 2);
        EXPECT_EQ(SampleAt(picture, c + 1, x, y), Clamped(sum)) << c << " " << x << "," << y;
      }
    }
  }
}

TEST(Y4m, MovesPaldvChroma) {
  const TempDir dir;
  const Clip clip = MakeClip({12, 10, 8, PixelFormat::k420}, 1, 9);
  WriteFile(dir / "a.y4m", clip.Y4m("C420paldv"));
  const Picture picture = MustNext(*MustOpen(dir / "a.y4m"));
  EXPECT_EQ(CountDifferent(picture, clip, 0, 0), 0);
  const int taps[] = {4, -17, 114, 35, -9, 1};
  for (int p = 1; p <= 2; ++p) {
    const std::vector<uint16_t>& plane = clip.frames[0][p];
    auto moved = [&](int x, int y) {
      int sum = 0;
      for (int k = 0; k < 6; ++k) sum += taps[k] * plane[y * 6 + std::min(std::max(x - 2 + k, 0), 5)];
      return Clamped(sum);
    };
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 6; ++x) {
        int sum = 0;
        for (int k = 0; k < 6; ++k) sum += taps[k] * moved(x, std::min(std::max(p == 2 ? y - 2 + k : y + 2 - k, 0), 4));
        EXPECT_EQ(SampleAt(picture, p, x, y), Clamped(sum)) << p << " " << x << "," << y;
      }
    }
  }
}

TEST(Y4m, WarnsOfItsAssumptions) {
  const TempDir dir;
  const std::string frame = "FRAME\n" + std::string(6, 'a');
  const std::pair<const char*, const char*> cases[] = {{"YUV4MPEG2 W2 H2 F25:1\n", "no interlacing tag"},
                                                       {"YUV4MPEG2 W2 H2 F25:1 I?\n", "I?"},
                                                       {"YUV4MPEG3 W2 H2 F25:1 Ip\n", "version \"3\""},
                                                       {"YUV4MPEG W2 H2 F25:1 Ip\n", "version \"\""}};
  for (const auto& [header, warning] : cases) {
    WriteFile(dir / "a.y4m", header + frame);
    auto source = MustOpen(dir / "a.y4m");
    ASSERT_EQ(source->warnings().size(), 1u) << header;
    EXPECT_THAT(source->warnings()[0], HasSubstr(warning));
    EXPECT_TRUE(source->Next()->has_value());
  }
}

TEST(Y4m, RefusesBadHeaders) {
  std::vector<std::pair<std::string, std::string>> cases = {
      {"H2 F25:1 Ip", "W (width) is missing"},
      {"W2 F25:1 Ip", "H (height) is missing"},
      {"W2 H2 Ip", "F (frame rate) is missing"},
      {"", "W (width) is missing"},
      {"W2 H0 F25:1 Ip", "H (height) is \"0\""},
      {"W2 H-1 F25:1 Ip", "H (height) is \"-1\""},
      {"W2 H32769 F25:1 Ip", "1 to 32768"},
      {"W32769 H2 F25:1 Ip", "1 to 32768"},
      {"W2147483647 H2147483647 F25:1 Ip", "W (width) is \"2147483647\""},
      {"W2 H2 F25:1 Ip C", "Unknown chroma sampling type: "},
      {"W2 H2 F25:1 Ip Cabcdefghijklmnopqrstuvwxyz", "Unknown chroma sampling type"},
      {"W2 H2 F25:1 Ip C420\r", "Unknown chroma sampling type: 420\\x0d"},
      {std::string("W2\0 H2 F25:1 Ip", 16), "W (width) is \"2\\x00\""},
      {"W2 H2 F25:1 Ip X" + std::string(300, 'X'), "no line feed within the first 256 bytes"},
  };
  for (const std::string width :
       {"", "0", "-2", "+2", "abc", "2x", "0x10", "2.5", "1e3", "65536", "4294967298", "99999999999999999999999"})
    cases.emplace_back("W" + width + " H2 F25:1 Ip", "W (width) is \"" + width + "\"");
  for (const std::string rate : {"25", "", "25:", ":1", "-25:1", "25:-1", "a:b", "99999999999:1"})
    cases.emplace_back("W2 H2 F" + rate + " Ip", "F (frame rate) is \"" + rate + "\"");
  for (const std::string fields : {"t", "b", "m"}) cases.emplace_back("W2 H2 F25:1 I" + fields, "interlaced");
  for (const std::string tag : {"420p14", "422p9", "mono9", "420p", "410"})
    cases.emplace_back("W2 H2 F25:1 Ip C" + tag, "Unknown chroma sampling type: " + tag);
  const TempDir dir;
  for (const auto& [header, message] : cases) {
    WriteFile(dir / "a.y4m", "YUV4MPEG2 " + header + "\nFRAME\n" + std::string(6, 'a'));
    EXPECT_THAT(ErrorOf(dir / "a.y4m"), AllOf(HasSubstr("a.y4m"), HasSubstr(message))) << header;
  }
}

TEST(Y4m, HeaderOf255BytesIsNotTooLong) {
  const TempDir dir;
  std::string header = "YUV4MPEG2 W2 H2 F0:0 Ip X";
  header += std::string(255 - header.size(), 'X');
  WriteFile(dir / "a.y4m", header + "\nFRAME\n" + std::string(6, 'a'));
  auto source = MustOpen(dir / "a.y4m");
  EXPECT_EQ(source->frame_rate(), std::nullopt) << "0:0 means unknown";
  EXPECT_TRUE(source->Next()->has_value());
  WriteFile(dir / "a.y4m", header + "X\nFRAME\n" + std::string(6, 'a'));
  EXPECT_THAT(ErrorOf(dir / "a.y4m"), HasSubstr("no line feed"));
}

/// Truncates a file of frames of `frame` bytes after a header at every byte.
void ExpectWholeFramesOfTruncated(const std::string& whole, size_t header, size_t frame, const OpenOptions& options) {
  const TempDir dir;
  const std::string path = dir / "a.video";
  for (size_t size = std::max<size_t>(header, 1); size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    WriteFile(path, whole.substr(0, size));
    const int expected = static_cast<int>((size - header) / frame);
    const bool is_whole = (size - header) % frame == 0;
    int frames = 0;
    const std::string error = ErrorOf(path, &frames, options);
    EXPECT_EQ(frames, expected);
    if (is_whole) EXPECT_EQ(error, "");
    else
      EXPECT_THAT(error, HasSubstr(fmt::format("a.video is truncated: frame {} is incomplete after {} whole frame",
                                               expected, expected)));
    auto source = MustOpen(path, options);
    EXPECT_TRUE(!options.raw || source->frame_count() == expected);
    source->SkipChroma();
    const auto skipped = source->Skip(10);
    EXPECT_EQ(skipped.ok(), is_whole);
    EXPECT_TRUE(!skipped.ok() || *skipped == expected);
  }
}

TEST(PlanarSource, TruncatedAtEveryByte) {
  const Clip y4m = MakeClip({5, 3, 8, PixelFormat::k420}, 3), raw = MakeClip({5, 3, 10, PixelFormat::k422}, 2);
  const size_t frame = 6 + y4m.FrameBytes(0).size(), header = y4m.Y4m("C420").size() - 3 * frame;
  ExpectWholeFramesOfTruncated(y4m.Y4m("C420"), header, frame, {});
  ExpectWholeFramesOfTruncated(raw.Yuv(), 0, raw.FrameBytes(0).size(), {raw.format});
  const TempDir dir;
  for (size_t size = 0; size < header; ++size) {
    WriteFile(dir / "a.y4m", y4m.Y4m("C420").substr(0, size));
    EXPECT_NE(ErrorOf(dir / "a.y4m"), "") << size;
  }
}

TEST(Y4m, DamagedFrameMarker) {
  const TempDir dir;
  const Clip clip = MakeClip({5, 3, 8, PixelFormat::k420}, 3);
  std::string bytes = clip.Y4m("C420");
  const size_t second = bytes.find("FRAME\n", bytes.find("FRAME\n") + 6 + clip.FrameBytes(0).size());
  for (size_t i = 0; i < 6; ++i) {
    std::string damaged = bytes;
    damaged[second + i] ^= 0x20;
    WriteFile(dir / "a.y4m", damaged);
    int frames = 0;
    EXPECT_THAT(ErrorOf(dir / "a.y4m", &frames), HasSubstr("no frame marker before frame 1")) << i;
    EXPECT_EQ(frames, 1);
  }
}

TEST(PlanarSource, PipesGiveTheSameAsFiles) {
  const TempDir dir;
  const Clip clip = MakeClip({161, 99, 8, PixelFormat::k420}, 9);
  const std::string pipe = MakeFifo(dir / "pipe");
  for (const bool luma_only : {false, true}) {
    const FifoWriter writer(pipe, clip.Y4m("C420"));
    auto source = MustOpen(pipe);
    EXPECT_EQ(source->frame_count(), std::nullopt);
    if (luma_only) source->SkipChroma();
    ExpectClip(*source, clip, luma_only);
  }
  {
    const FifoWriter writer(pipe, clip.Yuv());
    auto source = MustOpen(pipe, {clip.format});
    EXPECT_EQ(*source->Skip(7), 7);
    ExpectFrame(MustNext(*source), clip, 7);
    EXPECT_EQ(*source->Skip(7), 1);
  }
  {
    const FifoWriter writer(pipe, clip.Yuv().substr(0, clip.Yuv().size() - 1));
    int frames = 0;
    EXPECT_THAT(ErrorOf(pipe, &frames, {clip.format}), HasSubstr("frame 8 is incomplete"));
    EXPECT_EQ(frames, 8);
  }
  const FifoWriter writer(pipe, "");
  EXPECT_THAT(ErrorOf(pipe), HasSubstr("is empty"));
}

TEST(Y4m, ReadsStandardInput) {
  const TempDir dir;
  const Clip clip = MakeClip({33, 21, 10, PixelFormat::k444}, 5);
  MakeFifo(dir / "pipe");
  WriteFile(dir / "file", clip.Y4m("C444p10"));
  const int saved = ::dup(STDIN_FILENO);
  for (const char* name : {"file", "pipe"}) {
    std::optional<FifoWriter> writer;
    if (name == std::string("pipe")) writer.emplace(dir / "pipe", clip.Y4m("C444p10"));
    std::FILE* file = std::fopen((dir / name).c_str(), "rb");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(::dup2(::fileno(file), STDIN_FILENO), STDIN_FILENO);
    auto source = MustOpen("-");
    if (source) ExpectClip(*source, clip);
    std::fclose(file);
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
}

TEST(RawYuv, SkipGoesStraightToTheFrame) {
  const TempDir dir;
  const Clip clip = MakeClip({7, 5, 8, PixelFormat::k420}, 6);
  WriteFile(dir / "a.yuv", clip.Yuv());
  WriteFile(dir / "a.y4m", clip.Y4m("C420"));
  for (const char* name : {"a.yuv", "a.y4m"}) {
    OpenOptions options;
    if (name == std::string("a.yuv")) options.raw = clip.format;
    auto source = MustOpen(dir / name, options);
    EXPECT_EQ(*source->Skip(0), 0);
    EXPECT_EQ(*source->Skip(4), 4);
    ExpectFrame(MustNext(*source), clip, 4);
    EXPECT_EQ(*source->Skip(100), 1);
    EXPECT_FALSE(source->Next()->has_value());
    EXPECT_EQ(*source->Skip(100), 0);
  }
}

TEST(OpenVideo, SaysWhyItCannotOpen) {
  const TempDir dir;
  auto code = [](const std::string& path) { return OpenVideo(path, {}).status().code(); };
  EXPECT_THAT(ErrorOf(dir / "none"),
              AllOf(HasSubstr("could not open file: " + (dir / "none")), HasSubstr("No such file")));
  EXPECT_EQ(code(dir / "none"), StatusCode::kNotFound);
  EXPECT_THAT(ErrorOf(dir / ""),
              AllOf(HasSubstr("could not open file: "), HasSubstr("Is a directory"), HasSubstr("/%04d.png")));
  EXPECT_THAT(ErrorOf(dir / "%03d.png"), HasSubstr("ffmpeg -framerate 25 -i " + (dir / "%03d.png")));
  EXPECT_EQ(code(dir / ""), StatusCode::kIo);
  EXPECT_THAT(ErrorOf(""), HasSubstr("could not open file: "));
  EXPECT_THAT(ErrorOf("http://localhost/a.mp4"),
              AllOf(HasSubstr("http://localhost/a.mp4"), HasSubstr("URLs are not read")));
  WriteFile(dir / "empty.y4m", "");
  EXPECT_THAT(ErrorOf(dir / "empty.y4m"), HasSubstr("empty.y4m is empty"));
  EXPECT_EQ(code(dir / "empty.y4m"), StatusCode::kBadData);
  if (::geteuid() != 0) {
    WriteFile(dir / "locked", "x");
    ::chmod((dir / "locked").c_str(), 0);
    EXPECT_THAT(ErrorOf(dir / "locked"), AllOf(HasSubstr("could not open file: "), HasSubstr("Permission denied")));
  }
}

TEST(OpenVideo, ExplainsRawYuv) {
  const TempDir dir;
  WriteFile(dir / "a.yuv", std::string(600, 'a'));
  EXPECT_THAT(ErrorOf(dir / "a.yuv"), AllOf(HasSubstr("--size 1920x1080"), HasSubstr("-w 1920 -h 1080 -p 420 -b 8")));
  for (const PictureFormat& bad : {PictureFormat{0, 2, 8}, PictureFormat{2, -2, 8}, PictureFormat{40000, 2, 8},
                                   PictureFormat{2, 2, 9}, PictureFormat{2, 2, 0}, PictureFormat{2, 2, 17}})
    EXPECT_THAT(ErrorOf(dir / "a.yuv", nullptr, {bad}), HasSubstr("a.yuv: "));
  WriteFile(dir / "a.y4m", MakeClip({2, 2, 8, PixelFormat::k420}, 1).Y4m("C420"));
  const auto y4m = MustOpen(dir / "a.y4m", {PictureFormat{4, 4, 8}}),
             raw = MustOpen(dir / "a.yuv", {PictureFormat{4, 4, 8}});
  EXPECT_EQ(y4m->format().width, 2) << "its header has the size";
  EXPECT_FALSE(y4m->is_raw());
  EXPECT_TRUE(raw->is_raw());
}

TEST(ByteStream, InterruptWakesAReaderOfAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto stream = ByteStream::Open(fmt::format("/dev/fd/{}", ends[0]));
  ASSERT_TRUE(stream.ok()) << stream.status().message();
  std::thread reader([&] {
    char bytes[8];
    EXPECT_EQ((*stream)->Read(bytes, 8).status().code(), StatusCode::kCancelled);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  (*stream)->Interrupt();
  reader.join();
  EXPECT_EQ((*stream)->Skip(1).status().code(), StatusCode::kCancelled);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace acutance
