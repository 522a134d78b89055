// Tests of FFmpeg's decoders for video hardware, by a fake device: frames, times and findings are those of its own
// decoders, also where the device fails.
#include <gmock/gmock.h>

#include "tests/io/decoded_video.h"
#include "tests/io/fake_hardware.h"
#include "tests/io/ffmpeg_test_util.h"

namespace acutance {
namespace {

using namespace test;
using testing::HasSubstr;

class HardwareDecoders : public FfmpegTest {
 protected:
  void SetUp() override {
    FfmpegTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_TRUE(LoadFfmpeg().ok());
    fake_.emplace();
  }

  std::string Film(const std::string& options, const std::string& out = "a.mp4", const char* size = "96x64") {
    return Make(fmt::format("-f lavfi -i testsrc2=size={}:rate=25 -frames:v 60 {}", size, options), out);
  }

  static OpenOptions Short(int threads = 2) {
    return {.decoder_threads = threads,
            .may_use_device = true,
            .segments = {.most_bytes = size_t{1} << 30, .start_after = 1, .least_packets = 1}};
  }

  /// A device of its own for each test, since open ones stay open.
  static HardwareDecoding On(int decoders = 2) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return {.kind = Hardware::kVaapi, .device = test->name(), .decoders = decoders};
  }

  /// Expects the frames and findings of FFmpeg's own decoder, and returns the decoding.
  static Decoding ExpectSame(const std::string& path, const HardwareDecoding& decoding = On(),
                             const OpenOptions& options = Short()) {
    OpenOptions one = options;
    one.segments = {};
    const Decoded own = Decode(path, one);
    auto video = MustOpen(path, options);
    if (!video) return {};
    EXPECT_TRUE(video->DecodeBy(decoding).ok()) << video->DecodeBy(decoding).message();
    const Decoded other = ReadAll(*video);
    EXPECT_EQ(other.frames, own.frames);
    EXPECT_EQ(other.findings, own.findings);
    EXPECT_EQ(other.error, own.error);
    EXPECT_GT(own.frames.size(), 0u);
    return other.decoding;
  }

  /// Expects a refusal, after which FFmpeg's own decoder gives all frames.
  static void ExpectRefused(const std::string& path, const std::string& reason) {
    auto video = MustOpen(path, Short());
    ASSERT_NE(video, nullptr);
    const Status status = video->DecodeBy(On());
    EXPECT_THAT(status.message(), HasSubstr(reason));
    EXPECT_THAT(status.message(), HasSubstr(path));
    const Decoded other = ReadAll(*video);
    EXPECT_EQ(other.frames, Decode(path, {}).frames);
    EXPECT_EQ(other.decoding.decoder, "cpu");
  }

  std::optional<FakeHardware> fake_;
};

constexpr const char* kFilm = "-pix_fmt yuv420p -c:v libx264 -bf 2 -g 10 -sc_threshold 0";
constexpr const char* kDeepFilm =
    "-pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=10:min-keyint=10";

struct FilmedStream {
  const char* options;
  const char* file;
  const char* size = "96x64";
};

TEST_F(HardwareDecoders, GiveTheFramesOfFfmpegsOwn) {
  for (const FilmedStream& stream : {
           FilmedStream{kFilm, "a.mp4"},
           {kDeepFilm, "b.mkv"},
           {"-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=12:open-gop=1",
            "c.mkv"},
           {"-pix_fmt yuv444p -c:v libx264 -g 10", "d.mkv"},
           {"-pix_fmt yuv422p10le -c:v libx264 -g 10", "e.mkv"},
           {"-pix_fmt yuv420p -c:v libx264 -g 10 -flags +ildct+ilme", "f.ts"},
           {"-pix_fmt yuv420p -c:v libx264 -g 10 -color_range pc -colorspace bt709 -color_trc bt709 -aspect 2",
            "g.mp4"},
           {"-pix_fmt yuv420p -c:v libx264 -g 10", "h.mp4", "86x54"},
           {"-pix_fmt yuv420p -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 10 -color_primaries bt709", "i.webm"},
       })
    for (const int decoders : {1, 3}) {
      SCOPED_TRACE(fmt::format("{} {}", stream.file, decoders));
      const int copies = fake_->copies;
      const Decoding decoding = ExpectSame(Film(stream.options, stream.file, stream.size), On(decoders));
      EXPECT_EQ(decoding.decoder, "vaapi");
      EXPECT_GT(decoding.segments, 3);
      EXPECT_GE(fake_->copies - copies, 60);
    }
  EXPECT_EQ(fake_->device, "GiveTheFramesOfFfmpegsOwn");
}

TEST_F(HardwareDecoders, BeginAnywhere) {
  const std::string path = Film(kFilm);
  const Decoded own = Decode(path, {});
  for (const int before : {0, 1, 7, 40}) {
    auto video = MustOpen(path, Short(4));
    ASSERT_NE(video, nullptr);
    std::vector<std::string> frames;
    for (int i = 0; i < before; ++i) {
      const Picture picture = MustNext(*video);
      frames.push_back(fmt::format("{:x} at {}", HashOf(picture), video->time().value_or(-1)));
    }
    ASSERT_TRUE(video->DecodeBy(On()).ok());
    const Decoded other = ReadAll(*video, frames);
    EXPECT_EQ(other.frames, own.frames);
    EXPECT_EQ(other.decoding.decoder, "vaapi");
  }
}

TEST_F(HardwareDecoders, DoNotDecodeWhatIsSkipped) {
  const std::string path = Film(kFilm);
  const Decoded own = Decode(path, {});
  for (const int64_t skipped : {5, 10, 37}) {
    auto video = MustOpen(path, Short());
    ASSERT_NE(video, nullptr);
    ASSERT_TRUE(video->DecodeBy(On()).ok());
    ASSERT_EQ(video->Skip(skipped).value(), skipped);
    EXPECT_EQ(ReadAll(*video).frames, std::vector(own.frames.begin() + skipped, own.frames.end()));
  }
}

TEST_F(HardwareDecoders, WhereTheyCannotBeginTheReasonIsNamed) {
  const std::string path = Film(kFilm), deep = Film(kDeepFilm, "b.mkv");
  fake_->opens = false;
  ExpectRefused(path, "FFmpeg opens no VAAPI device WhereTheyCannotBeginTheReasonIsNamed: No such device");
  fake_->opens = true;
  fake_->is_built_in = false;
  ExpectRefused(path, "was built without VAAPI");
  fake_->is_built_in = true;
  ExpectRefused(Film("-pix_fmt yuv420p -c:v mpeg2video -g 12 -q:v 3", "c.mkv"), "mpeg2video decoders may differ");
  ExpectRefused(Film("-pix_fmt yuv420p -c:v libsvtav1 -preset 12 -g 10", "d.mkv"), "has no decoder of av1 by VAAPI");
  fake_->offers = false;
  ExpectRefused(path, "VAAPI does not decode this h264 as FFmpeg's own decoder does: ");
  fake_->offers = true;
  fake_->gives_8_bits = true;
  ExpectRefused(deep, "its frames are 96x64 nv12, not 96x64 yuv420p10le");
  fake_->gives_8_bits = false;
  fake_->alters = true;
  ExpectRefused(path, "its first frames have other samples than those of FFmpeg's own decoder");
  fake_->alters = false;
  fake_->declares_other = true;
  ExpectRefused(path, "its frames declare other colors");
  fake_->declares_other = false;
  fake_->describes_grain = true;
  ExpectRefused(path, "it leaves out film grain");
  fake_->describes_grain = false;
  fake_->frames_left = 0;
  fake_->reported = AVERROR(ENOSYS);  // as FFmpeg's decoder of AV1 without hardware for the stream
  ExpectRefused(path, "Function not implemented");
  fake_->frames_left = 1 << 30;
  ExpectSame(path);
}

TEST_F(HardwareDecoders, NeedAFileWithPlacesToStart) {
  const std::string path = Film(kFilm, "a.ts");
  const std::string fifo = MakeFifo(dir_ / "fifo");
  const FifoWriter writer(fifo, ReadFile(path));
  auto video = MustOpen(fifo, Short());
  ASSERT_NE(video, nullptr);
  EXPECT_THAT(video->DecodeBy(On()).message(), HasSubstr("it is a pipe"));
  EXPECT_EQ(ReadAll(*video).frames.size(), 60u);
  WriteFile(dir_ / "b.y4m", "YUV4MPEG2 W2 H2 F25:1 Cmono\nFRAME\nabcd");
  EXPECT_FALSE(MustOpen(dir_ / "b.y4m")->DecodeBy(On()).ok());
}

TEST_F(HardwareDecoders, WhatFailsOnTheWayIsDecodedAgain) {
  const std::string path = Film(kFilm);
  for (const int after : {8, 9, 30, 55}) {
    SCOPED_TRACE(after);
    fake_->copies_left = after;
    EXPECT_EQ(ExpectSame(path).decoder, after < 20 ? "cpu" : "vaapi");
    fake_->copies_left = 1 << 30;
    fake_->frames_left = after;
    EXPECT_EQ(ExpectSame(path).decoder, after < 20 ? "cpu" : "vaapi");
    fake_->frames_left = 1 << 30;
  }
}

TEST_F(HardwareDecoders, FramesBeforeALateErrorAreDecodedAgain) {
  const std::string path = Film(kFilm);
  fake_->altered = 8 + 25;
  ExpectSame(path, On(1));
  EXPECT_LE(fake_->frames_left, 0);
}

TEST_F(HardwareDecoders, DamagedVideosAreThoseOfFfmpegsOwn) {
  const std::string path = Film(kFilm);
  std::string bytes = ReadFile(path);
  const size_t media = bytes.find("mdat");
  ASSERT_NE(media, bytes.npos);
  for (const double part : {0.1, 0.5}) {
    std::string damaged = bytes;
    const size_t at = media + static_cast<size_t>(part * static_cast<double>(bytes.size() - media));
    for (size_t i = at; i < at + 40; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    WriteFile(dir_ / "b.mp4", damaged);
    EXPECT_EQ(ExpectSame(dir_ / "b.mp4").decoder, "cpu");
  }
  EXPECT_EQ(ExpectSame(Truncate(Film(kFilm, "c.mkv"), 0.6)).decoder, "cpu");
}

}  // namespace
}  // namespace acutance
