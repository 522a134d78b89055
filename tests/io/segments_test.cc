// Tests of segments: decoders side by side give the frames, times, warnings and errors of one decoder.
#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "tests/io/decoded_video.h"
#include "tests/io/ffmpeg_test_util.h"

namespace acutance {
namespace {

using namespace test;
using testing::HasSubstr;

/// Segments as short as the stream allows.
OpenOptions Short(int threads = 3) {
  return {.decoder_threads = threads,
          .segments = {.most_bytes = size_t{1} << 30, .start_after = 1, .least_packets = 1, .least_threads = 2}};
}

/// Expects the same of segments as of one decoder, and returns how they were decoded.
Decoding ExpectSame(const std::string& path, OpenOptions options = Short()) {
  const Decoded side_by_side = Decode(path, options);
  options.segments = {};
  const Decoded one = Decode(path, options);
  EXPECT_EQ(side_by_side.frames.size(), one.frames.size());
  const auto [mine, its] = std::ranges::mismatch(side_by_side.frames, one.frames);
  EXPECT_TRUE(mine == side_by_side.frames.end()) << "from frame " << mine - side_by_side.frames.begin();
  EXPECT_EQ(side_by_side.error, one.error);
  EXPECT_EQ(side_by_side.findings, one.findings);
  EXPECT_GT(one.frames.size(), 0u);
  return side_by_side.decoding;
}

class Segments : public FfmpegTest {
 protected:
  /// A moving picture, encoded. Skips where this machine's ffmpeg lacks the encoder.
  std::string Film(const std::string& options, const std::string& out, int frames = 60, const char* size = "96x64") {
    return Make(
        fmt::format("-f lavfi -i testsrc2=size={}:rate=25 -frames:v {} -pix_fmt yuv420p {}", size, frames, options),
        out);
  }
  static bool HasEncoder(const std::string& name) {
    return std::system(fmt::format("ffmpeg -v error -h encoder={} 2>/dev/null | grep -q '^Encoder'", name).c_str()) ==
           0;
  }
  std::string Copy(const std::string& from, const std::string& options, const std::string& out) {
    return Make(fmt::format("-i {} -c copy {}", from, options), out);
  }
};

struct Stream {
  const char* encoder;
  const char* options;
  const char* file;
  const char* one_decoder = "";  // a part of why one decoder decodes all; empty: several do
};

constexpr const char* kNoStart = "no decoder can start after its beginning";

const Stream kStreams[] = {
    {"libx264", "-g 10 -bf 3", "closed.mp4"},
    {"libx264", "-g 10 -bf 3", "closed.mkv"},
    {"libx264", "-g 10 -bf 3", "in_band.ts"},
    {"libx264", "-g 10 -bf 8 -x264-params b-pyramid=normal:b-adapt=0:ref=4", "pyramid.mp4"},
    {"libx264", "-g 10 -bf 0", "forward.mp4"},
    {"libx264", "-g 10 -flags +ildct+ilme", "fields.mp4"},
    {"libx264", "-g 10 -pix_fmt yuv444p -qp 0", "lossless.mp4"},
    {"libx264", "-g 10 -x264-params slices=4", "slices.mp4"},
    {"libx264", "-g 10 -x264-params intra-refresh=1", "refresh.mp4", kNoStart},
    {"libx264", "-bf 3 -x264-params open-gop=1:keyint=10", "open.mp4", kNoStart},
    {"libx264", "-g 10 -bf 3", "bare.h264", "packets have no times"},
    {"libx264", "-g 10 -bf 3", "old.avi", "packets have no times"},
    {"libx264", "-g 10 -bf 3 -vf 'select=not(mod(n\\,3))+not(mod(n\\,7))' -vsync vfr", "vfr.mkv"},
    {"libx264", "-g 10 -bf 3 -output_ts_offset -1 -avoid_negative_ts disabled", "negative.mp4"},
    {"libx265", "-x265-params log-level=none:keyint=10:min-keyint=10:bframes=4", "cra.mp4"},
    {"libx265", "-x265-params log-level=none:keyint=10:min-keyint=10:bframes=4", "cra.mkv"},
    {"libx265", "-x265-params log-level=none:keyint=10:min-keyint=10:bframes=4:hash=1", "cra.ts"},
    {"libx265", "-x265-params log-level=none:keyint=10:min-keyint=10:bframes=4:open-gop=0", "idr.mp4"},
    {"libx265", "-x265-params log-level=none:keyint=12:min-keyint=12:bframes=4:open-gop=0:radl=2", "radl.mp4"},
    {"libx265", "-x265-params log-level=none:keyint=10:bframes=0:repeat-headers=1", "repeated.mkv"},
    {"libx265", "-pix_fmt yuv420p10le -x265-params log-level=none:keyint=8:b-pyramid=1:bframes=6", "deep.mp4"},
    {"libvpx-vp9", "-g 10 -deadline realtime -cpu-used 8 -lag-in-frames 0", "realtime.webm"},
    {"libvpx-vp9", "-g 10 -deadline good -cpu-used 5 -auto-alt-ref 1 -lag-in-frames 16", "hidden.webm"},
    {"libvpx-vp9", "-g 10 -deadline good -cpu-used 5 -auto-alt-ref 1 -lag-in-frames 16", "hidden.mp4"},
    {"libvpx", "-g 10 -deadline realtime", "vp8.webm", "no places are known"},
    {"libaom-av1", "-g 10 -cpu-used 8 -lag-in-frames 12", "hidden.mkv"},
    {"libaom-av1", "-g 10 -cpu-used 8 -lag-in-frames 12", "hidden_av1.mp4"},
    {"libaom-av1", "-g 10 -cpu-used 8 -denoise-noise-level 25", "grain.mkv"},
    {"mpeg2video", "-g 10 -bf 2 -flags +cgop -sc_threshold 1000000000", "closed_mpeg2.mkv"},
    {"mpeg2video", "-g 10 -bf 2 -flags +cgop -sc_threshold 1000000000", "closed_mpeg2.ts"},
    {"mpeg2video", "-g 10 -bf 2", "open_mpeg2.mkv", kNoStart},
    {"mpeg4", "-g 10 -bf 2", "mpeg4.mp4", "no places are known"},
    {"prores_ks", "-pix_fmt yuv422p10le", "prores.mov"},
    {"dnxhd", "-profile:v dnxhr_hq -s 256x128 -pix_fmt yuv422p", "dnxhr.mov"},
    {"ffv1", "-g 10 -level 3 -slices 4 -coder 1", "ffv1.mkv"},
    {"ffv1", "-g 10 -level 1", "ffv1_1.mkv", "does not check its frames"},
    {"jpeg2000", "", "jpeg2000.mov"},
    {"mjpeg", "-pix_fmt yuvj420p", "mjpeg.mov", "no places are known"},
};

TEST_F(Segments, GiveTheFramesOfOneDecoder) {
  for (const Stream& stream : kStreams) {
    SCOPED_TRACE(stream.file);
    if (!HasEncoder(stream.encoder)) continue;
    const std::string path = Film(fmt::format("-c:v {} {}", stream.encoder, stream.options), stream.file);
    const Decoding decoding = ExpectSame(path);
    EXPECT_EQ(decoding.segments > 0, *stream.one_decoder == '\0') << decoding.one_decoder;
    EXPECT_THAT(decoding.one_decoder, HasSubstr(stream.one_decoder));
    if (*stream.one_decoder == '\0') {
      EXPECT_EQ(decoding.one_decoder, "");
    }
  }
}

TEST_F(Segments, GiveFilmGrainOrNone) {
  if (!HasEncoder("libaom-av1")) GTEST_SKIP() << "no encoder";
  const std::string path = Film("-c:v libaom-av1 -g 10 -cpu-used 8 -denoise-noise-level 40", "a.mkv", 40);
  for (const bool film_grain : {true, false}) {
    OpenOptions options = Short();
    options.film_grain = film_grain;
    EXPECT_GT(ExpectSame(path, options).segments, 0);
  }
}

TEST_F(Segments, HeedEditLists) {
  const std::string whole = Film("-c:v libx264 -g 10 -bf 3", "whole.mp4");
  for (const char* start : {"0.2", "0.52", "1.0"}) {
    SCOPED_TRACE(start);
    EXPECT_GT(ExpectSame(Make(fmt::format("-ss {} -i {} -c copy", start, whole), "edited.mp4")).segments, 0);
  }
}

TEST_F(Segments, LostKeyFramesAreDamage) {
  const std::string h264 = Film("-c:v libx264 -g 10 -bf 3", "a.mkv");
  ExpectSame(Copy(h264, "-bsf:v noise=drop='eq(n\\,20)'", "lost.mkv"));
  if (!HasEncoder("libx265")) return;
  const std::string hevc = Film("-c:v libx265 -x265-params log-level=none:keyint=10:min-keyint=10:bframes=4", "b.mkv");
  for (const int lost : {20, 21, 24, 25})
    ExpectSame(Copy(hevc, fmt::format("-bsf:v noise=drop='eq(n\\,{})'", lost), "c.mkv"));
}

TEST_F(Segments, RecordingsMayStartBetweenKeyFrames) {
  const std::string whole = ReadFile(Film("-c:v libx264 -g 12 -bf 0", "a.ts"));
  WriteFile(dir_ / "cut.ts", whole.substr(whole.size() / 4 / 188 * 188));
  EXPECT_GT(ExpectSame(dir_ / "cut.ts").segments, 0);
}

TEST_F(Segments, ChangedParametersEndThem) {
  const std::string one = Film("-c:v libx264 -g 10", "a.ts");
  const std::string other = Film("-c:v libx264 -g 10 -bf 0 -refs 1 -output_ts_offset 3", "b.ts");
  const Decoding decoding = ExpectSame(Make(fmt::format("-i 'concat:{}|{}' -c copy", one, other), "both.ts"));
  EXPECT_GT(decoding.segments, 0);
  EXPECT_THAT(decoding.one_decoder, HasSubstr("parameter sets change"));
}

/// The header of each group of pictures: its last byte has the flags closed_gop and broken_link.
std::string WithGroupFlags(std::string bytes, uint8_t flags) {
  const std::string start("\0\0\1\xb8", 4);
  for (size_t at = bytes.find(start); at != bytes.npos; at = bytes.find(start, at + 8))
    bytes[at + 7] = static_cast<char>((bytes[at + 7] & 0x9f) | flags);
  return bytes;
}

TEST_F(Segments, BrokenLinksAreNoStarts) {
  const std::string closed =
      ReadFile(Film("-c:v mpeg2video -g 10 -bf 2 -flags +cgop -sc_threshold 1000000000", "closed.mkv"));
  for (const auto& [flags, has_segments] : {std::pair{0x40, true}, std::pair{0x60, false}, std::pair{0x20, false}}) {
    WriteFile(dir_ / "linked.mkv", WithGroupFlags(closed, static_cast<uint8_t>(flags)));
    EXPECT_EQ(ExpectSame(dir_ / "linked.mkv").segments > 0, has_segments) << flags;
  }
}

TEST_F(Segments, DamageIsWhatOneThreadFinds) {
  for (const auto& [encoder, options, file] :
       {std::tuple{"libx264", "-g 10 -bf 3", "a.mp4"}, std::tuple{"libx264", "-g 10 -bf 3", "a.ts"},
        std::tuple{"libx265", "-x265-params log-level=none:keyint=10:bframes=4", "b.mp4"},
        std::tuple{"mpeg2video", "-g 10 -flags +cgop -sc_threshold 1000000000", "c.mkv"},
        std::tuple{"libvpx-vp9", "-g 10 -deadline realtime -cpu-used 8", "d.mkv"},
        std::tuple{"libaom-av1", "-g 10 -cpu-used 8", "e.mkv"}, std::tuple{"ffv1", "-g 10 -level 3", "f.mkv"},
        std::tuple{"ffv1", "-g 10 -level 1", "g.mkv"}, std::tuple{"prores_ks", "-pix_fmt yuv422p10le", "h.mov"},
        std::tuple{"dnxhd", "-profile:v dnxhr_hq -s 256x128 -pix_fmt yuv422p", "i.mov"},
        std::tuple{"jpeg2000", "", "j.mov"}}) {
    if (!HasEncoder(encoder)) continue;
    const std::string whole = ReadFile(Film(fmt::format("-c:v {} {}", encoder, options), file));
    for (const double place : {0.3, 0.55, 0.8}) {
      SCOPED_TRACE(fmt::format("{} at {}", file, place));
      std::string bytes = whole;
      const auto at = static_cast<size_t>(place * static_cast<double>(bytes.size()));
      for (size_t i = at; i < at + 40; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
      WriteFile(dir_ / file, bytes);
      ExpectSame(dir_ / file);
      OpenOptions stops = Short();
      stops.stop_at_damage = true;
      EXPECT_EQ(ExpectSame(dir_ / file, stops).segments, 0);
    }
  }
}

TEST_F(Segments, ATruncatedFileEndsAsWithOneDecoder) {
  for (const char* file : {"a.mkv", "a.ts", "a.mp4"}) {
    SCOPED_TRACE(file);
    const std::string options = std::string(file) == "a.mp4" ? "-movflags +faststart" : "";
    ExpectSame(Truncate(Film("-c:v libx264 -g 10 " + options, file), 0.7));
  }
}

/// Frames and errors; FFmpeg's threads decide which error they report first.
TEST_F(Segments, ADamagedFileThatIsTruncatedHasOneOutcome) {
  for (const auto& [options, file] :
       {std::pair{"-c:v libx265 -x265-params log-level=none:hash=1:keyint=10", "a.mkv"},
        std::pair{"-c:v libx264 -g 10 -movflags +faststart", "b.mp4"}, std::pair{"-c:v ffv1 -level 3", "c.mkv"}}) {
    std::string bytes = ReadFile(Truncate(Film(options, file, 10), 0.95));
    for (size_t at = bytes.size() * 3 / 4, end = at + 20; at < end; ++at)
      bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
    WriteFile(dir_ / file, bytes);
    const Decoded serial = Decode(dir_ / file, {.decoder_threads = 1});
    EXPECT_GT(serial.frames.size(), 0u);
    for (const int threads : {2, 3, 4, 8})
      for (int run = 0; run < 4; ++run) {
        SCOPED_TRACE(fmt::format("{} on {} threads", file, threads));
        const Decoded parallel = Decode(dir_ / file, {.decoder_threads = threads});
        EXPECT_EQ(parallel.frames, serial.frames);
        EXPECT_EQ(parallel.error, serial.error);
      }
  }
}

/// The outcome on one thread, on several and on segments.
void ExpectOneOutcome(const std::string& path, bool stop_at_damage = false) {
  const Decoded serial = Decode(path, {.stop_at_damage = stop_at_damage, .decoder_threads = 1});
  for (OpenOptions options :
       {OpenOptions{.decoder_threads = 2}, OpenOptions{.decoder_threads = 4}, OpenOptions{.decoder_threads = 6},
        OpenOptions{.decoder_threads = 8}, Short(3), Short(8)}) {
    SCOPED_TRACE(fmt::format("{} threads", options.decoder_threads));
    options.stop_at_damage = stop_at_damage;
    const Decoded parallel = Decode(path, options);
    EXPECT_EQ(parallel.frames, serial.frames);
    EXPECT_EQ(parallel.error, serial.error);
    EXPECT_EQ(parallel.findings, serial.findings);
  }
}

void Flip(std::string& bytes, size_t at, size_t count) {
  for (size_t i = at; i < at + count && i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
}

TEST_F(Segments, DamagedRecordingsThatStartBetweenKeyFramesHaveOneOutcome) {
  for (const auto& [options, file] :
       {std::pair{"-c:v libx265 -x265-params log-level=none:hash=1:keyint=12:min-keyint=12:bframes=3", "a.ts"},
        std::pair{"-c:v libx264 -g 12 -bf 2", "b.ts"}, std::pair{"-c:v mpeg2video -g 12 -bf 2", "c.ts"}}) {
    const std::string whole = ReadFile(Film(options, file));
    for (const double start : {0.1, 0.35})
      for (const double place : {0.0, 0.03, 0.1, 0.2, 0.6}) {
        SCOPED_TRACE(fmt::format("{} from {}, damaged at {}", file, start, place));
        std::string bytes = whole.substr(static_cast<size_t>(start * static_cast<double>(whole.size())) / 188 * 188);
        Flip(bytes, static_cast<size_t>(place * static_cast<double>(bytes.size())) + 12, place > 0 ? 2 : 0);
        WriteFile(dir_ / file, bytes);
        ExpectOneOutcome(dir_ / file);
      }
  }
}

TEST_F(Segments, LostPicturesThatLeadAStartAreDamage) {
  const std::string whole =
      ReadFile(Film("-c:v libx265 -x265-params log-level=none:keyint=12:min-keyint=12:bframes=3", "a.ts"));
  for (size_t lost = whole.size() / 2 / 188, end = lost + 50; lost < end; ++lost) {
    SCOPED_TRACE(fmt::format("without packet {}", lost));
    WriteFile(dir_ / "a.ts", std::string(whole).erase(188 * lost, 188));
    ExpectSame(dir_ / "a.ts");
  }
}

TEST_F(Segments, FramesBeforeTheDamageAreCountedAlike) {
  for (const auto& [options, file] :
       {std::pair{"-c:v mpeg2video -b:v 100k -g 4 -bf 1", "a.ts"},
        std::pair{"-c:v mpeg2video -b:v 100k -g 4 -bf 1 -flags +cgop -sc_threshold 1000000000", "b.mkv"},
        std::pair{"-c:v ffv1 -level 3 -g 3 -slices 4 -slicecrc 0", "c.mkv"},
        std::pair{"-c:v libx264 -g 8 -bf 2", "d.mkv"}}) {
    const std::string whole = ReadFile(Film(options, file, 14, "64x64"));
    for (const double place : {0.2, 0.3, 0.42, 0.55, 0.67, 0.8, 0.95}) {
      SCOPED_TRACE(fmt::format("{} damaged at {}", file, place));
      std::string bytes = whole;
      Flip(bytes, static_cast<size_t>(place * static_cast<double>(bytes.size())), 6);
      WriteFile(dir_ / file, bytes);
      ExpectOneOutcome(dir_ / file);
      ExpectOneOutcome(dir_ / file, true);
    }
  }
}

/// Decoders return the errors of the last frames where they are told that nothing follows.
TEST_F(Segments, DamageOfTheLastFramesIsFound) {
  if (!HasEncoder("libaom-av1")) GTEST_SKIP() << "no encoder";
  const std::string whole = ReadFile(Film("-c:v libaom-av1 -g 12 -cpu-used 8 -lag-in-frames 12", "a.ivf", 14));
  for (size_t at = whole.size() / 4; at + 3 < whole.size(); at += 60) {
    SCOPED_TRACE(fmt::format("damaged at {}", at));
    std::string bytes = whole;
    Flip(bytes, at, 3);
    WriteFile(dir_ / "a.ivf", bytes);
    ExpectOneOutcome(dir_ / "a.ivf");
  }
}

TEST_F(Segments, AreBoundedByMemory) {
  const std::string path = Film("-c:v libx264 -g 10", "a.mp4");
  OpenOptions options = Short();
  for (const size_t frames : {1, 12, 25}) {
    options.segments.most_bytes = frames * 96 * 64 * 2;
    EXPECT_EQ(ExpectSame(path, options).segments > 0, frames > 1);
  }
}

TEST_F(Segments, OnePipeOneThreadOneDecoder) {
  const std::string path = Film("-c:v libx264 -g 10", "a.mkv");
  EXPECT_EQ(ExpectSame(path, Short(1)).one_decoder, "there are few threads");
  const std::string pipe = MakeFifo(dir_ / "pipe");
  const FifoWriter writer(pipe, ReadFile(path));
  EXPECT_EQ(Decode(pipe, Short()).decoding.one_decoder, "it is a pipe");
}

/// The threads of this process.
size_t CountThreads() {
  const std::string status = ReadFile("/proc/self/status");
  return std::stoul(status.substr(status.find("Threads:") + 8));
}

TEST_F(Segments, LeaveNoThreadBehind) {
  const std::string path = Film("-c:v libx264 -g 10", "a.mp4", 300);
  const size_t before = CountThreads();
  for (const int frames : {0, 1, 5, 40}) {
    const auto source = MustOpen(path, Short());
    for (int i = 0; i < frames; ++i) MustNext(*source);
  }
  EXPECT_EQ(CountThreads(), before);
}

TEST_F(Segments, AnInterruptEndsAWait) {
  const std::string path = Film("-c:v libx264 -g 10", "a.mp4", 300);
  for (const int frames : {2, 30}) {
    const auto source = MustOpen(path, Short());
    for (int i = 0; i < frames; ++i) MustNext(*source);
    std::thread other([&] { source->Interrupt(); });
    Status status;
    for (int i = 0; i < 300 && status.ok(); ++i) status = source->Next().status();
    other.join();
    for (int i = 0; i < 300 && status.ok(); ++i) status = source->Next().status();
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCancelled) << status.message();
  }
}

TEST_F(Segments, FramesThatAreSkippedNeedNotBeDecoded) {
  for (const auto& [options, file] :
       {std::pair{"-c:v libx264 -g 10 -bf 3", "a.mp4"}, std::pair{"-c:v libx264 -g 10 -bf 3", "a.ts"},
        std::pair{"-c:v libx264 -bf 3 -x264-params open-gop=1:keyint=10", "open.mp4"},
        std::pair{"-c:v libx265 -x265-params log-level=none:keyint=10:min-keyint=10:bframes=4", "b.mkv"},
        std::pair{"-c:v libvpx-vp9 -g 10 -deadline realtime -cpu-used 8", "c.webm"},
        std::pair{"-c:v mpeg2video -g 10 -bf 2 -flags +cgop -sc_threshold 1000000000", "d.ts"}}) {
    const std::string path = Film(options, file);
    const Decoded one = Decode(path, {.decoder_threads = 2});
    for (const int before : {0, 1, 7})
      for (const int count : {1, 9, 10, 11, 35, 52, 60, 70}) {
        SCOPED_TRACE(fmt::format("{}: {} after {}", file, count, before));
        const auto source = MustOpen(path, Short());
        for (int i = 0; i < before; ++i) MustNext(*source);
        const int64_t skipped = source->Skip(count).value();
        EXPECT_EQ(skipped, std::min<int64_t>(count, 60 - before));
        for (size_t k = before + skipped; k < one.frames.size(); ++k) {
          const Picture picture = MustNext(*source);
          ASSERT_EQ(fmt::format("{:x} at {}", HashOf(picture), source->time().value_or(-1)), one.frames[k]) << k;
        }
        EXPECT_FALSE(source->Next().value());
      }
  }
}

TEST_F(Segments, AJumpLeavesThem) {
  const std::string path = Film("-c:v libx264 -g 10", "a.mp4", 300);
  const auto source = MustOpen(path, Short());
  for (int i = 0; i < 30; ++i) MustNext(*source);
  ASSERT_TRUE(source->Jump(0.5));
  const auto one = MustOpen(path);
  ASSERT_TRUE(one->Jump(0.5));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(HashOf(MustNext(*source)), HashOf(MustNext(*one)));
}

}  // namespace
}  // namespace acutance
