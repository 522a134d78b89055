// Tests that containers read the same with and without FFmpeg's stream probe.
#include "io/ffmpeg/stream_probe.h"

#include <gmock/gmock.h>

#include "tests/io/ffmpeg_test_util.h"

namespace acutance {
namespace {

using namespace test;

struct Encoding {
  const char* options;
  const char* file;
  bool is_described;
};

constexpr Encoding kEncodings[] = {
    {"-c:v libx264 -bf 3 -b_strategy 0", "a.mp4", true},
    {"-c:v libx264 -bf 3 -b_strategy 0", "a.mkv", true},
    {"-c:v libx264 -bf 3 -b_strategy 0", "a.mov", true},
    {"-c:v libx264 -preset ultrafast -tune zerolatency", "a.mp4", true},
    {"-c:v libx264 -bf 16 -b_strategy 0 -x264-params b-pyramid=none:keyint=7", "a.mkv", true},
    {"-c:v libx264 -x264-params open-gop=1:keyint=7:bframes=3", "a.mp4", true},
    {"-c:v libx264 -pix_fmt yuv422p10le", "a.mkv", true},
    {"-c:v libx264 -pix_fmt yuvj420p -vf setsar=4/3", "a.mp4", true},
    {"-c:v libx264 -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc", "a.mkv", true},
    {"-c:v libx264 -movflags faststart -r 30000/1001", "a.mp4", true},
    {"-c:v libx264 -output_ts_offset 1.5", "a.mkv", true},
    {"-c:v libx264 -use_editlist 0", "a.mp4", true},
    {"-c:v libx265 -x265-params log-level=0", "a.mp4", true},
    {"-c:v libx265 -x265-params log-level=0:open-gop=1:keyint=7", "a.mkv", true},
    {"-c:v libx265 -pix_fmt yuv420p10le -x265-params "
     "'log-level=0:hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
     "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)'",
     "a.mp4", true},
    {"-c:v libvpx-vp9 -deadline realtime -cpu-used 8", "a.webm", true},
    {"-c:v libsvtav1 -preset 12", "a.mp4", true},
    {"-c:v libsvtav1 -preset 12", "a.mkv", true},
    // What the container or the codec does not declare is probed.
    {"-c:v libx264 -bf 3 -bsf:v h264_mp4toannexb", "a.ts", false},
    {"-c:v libx264", "a.h264", false},
    {"-c:v libx264 -flags +ildct+ilme", "a.mp4", false},
    {"-c:v libx264 -x264-params pic-struct=1:nal-hrd=vbr:vbv-maxrate=900:vbv-bufsize=900", "a.mkv", false},
    {"-c:v libx265 -x265-params log-level=0:interlace=1", "a.mkv", false},
    {"-c:v libx264 -movflags frag_keyframe+empty_moov", "a.mp4", false},
    {"-c:v mpeg4 -bf 2", "a.mp4", false},
    {"-c:v mpeg2video -bf 2", "a.mkv", false},
    {"-c:v ffv1", "a.mkv", false},
    {"-c:v libvpx", "a.ivf", false},
    {"-f lavfi -i sine=duration=1 -c:a aac -c:v libx264", "a.mp4", false},
};

class DescribedContainers : public FfmpegTest {
 protected:
  std::string EncodePattern(const std::string& options, const std::string& out) {
    return Make("-f lavfi -i testsrc2=s=160x96:r=24:d=1 " + options, out);
  }
};

bool CanSkipProbeOf(const std::string& path) {
  if (!LoadFfmpeg().ok()) return false;
  AVFormatContext* container = nullptr;
  if (Ffmpeg().avformat_open_input(&container, path.c_str(), nullptr, nullptr) < 0) return false;
  const bool is_described = CanSkipStreamProbe(*container);
  Ffmpeg().avformat_close_input(&container);
  return is_described;
}

std::string TextOf(const VideoFacts& facts) {
  std::string text = fmt::format("{} {} {} {}{}{} {} rgb{} fields{}{} dv{}", facts.codec, facts.bit_rate.value_or(0),
                                 facts.pixel_aspect, facts.orientation.transposed, facts.orientation.mirrored_x,
                                 facts.orientation.mirrored_y, facts.changed_samples, facts.is_rgb, facts.is_interlaced,
                                 facts.bottom_field_first, facts.dolby_vision_profile);
  if (facts.siting) text += fmt::format(" siting {} {}", facts.siting->horizontal, facts.siting->vertical);
  if (facts.mastering) text += fmt::format(" {} {}", facts.mastering->min_luminance, facts.mastering->max_luminance);
  if (facts.light_level) text += fmt::format(" {} {}", facts.light_level->max_cll, facts.light_level->max_fall);
  return text;
}

std::string TextOf(const VideoColor& color) {
  return fmt::format("{} {} {} {}", color.full_range ? *color.full_range + 0 : -1, NameOf(color.transfer),
                     NameOf(color.matrix), NameOf(color.primaries));
}

/// All rows of a picture, hashed.
size_t FrameHash(const Picture& picture) {
  std::string bytes;
  for (const Plane& plane : picture.planes)
    for (int y = 0; plane.data && y < plane.height; ++y)
      bytes.append(reinterpret_cast<const char*>(plane.Row<uint8_t>(y)),
                   static_cast<size_t>(plane.width) * picture.format.BytesPerSample());
  return std::hash<std::string>()(bytes);
}

/// Everything that a source reports, frame by frame.
std::vector<std::string> Read(const std::string& path, bool always_probe) {
  const auto source = MustOpen(path, {.take_all = true, .always_probe = always_probe});
  if (!source) return {};
  std::vector<std::string> lines = {
      fmt::format("{}x{} {} {}, {} frames, {} frames/s", source->format().width, source->format().height,
                  source->format().bit_depth, PixelFormatName(source->format().pixel_format),
                  source->frame_count().value_or(-1), source->frame_rate().value_or(-1)),
      TextOf(source->facts()), TextOf(source->color())};
  const auto read = [&](int most) {
    for (int i = 0; i < most; ++i) {
      const Result<std::optional<Picture>> next = source->Next();
      lines.push_back(!next.ok() ? next.status().message() : !*next ? "end" : fmt::format("{}", FrameHash(**next)));
      if (!next.ok() || !*next) break;
      lines.back() += fmt::format(" at {}", source->time().value_or(-1));
    }
  };
  read(1000);
  for (const double part : {0.5, 0.9}) {
    lines.push_back(source->Jump(part) ? "jumped" : "stayed");
    read(2);
  }
  return lines;
}

TEST_F(DescribedContainers, GiveWhatTheyGiveWhenTheirFirstPicturesAreDecodedTwice) {
  for (const Encoding& e : kEncodings) {
    SCOPED_TRACE(fmt::format("{} {}", e.options, e.file));
    const std::string path = EncodePattern(e.options, e.file);
    EXPECT_EQ(CanSkipProbeOf(path), e.is_described);
    const std::vector<std::string> probed = Read(path, true);
    EXPECT_GE(probed.size(), 24u);
    EXPECT_EQ(Read(path, false), probed);
  }
}

TEST_F(DescribedContainers, FailAsTheyDoWhenTheirFirstPicturesAreDecodedTwice) {
  for (const char* file : {"a.mp4", "a.mkv"}) {
    const std::string path = EncodePattern("-c:v libx264 -bf 3 -movflags faststart", file);
    for (double share : {0.5, 0.8, 0.95}) {
      SCOPED_TRACE(fmt::format("{} {}", file, share));
      const std::string cut = Truncate(path, share);
      EXPECT_EQ(Read(cut, false), Read(cut, true));
    }
  }
}

}  // namespace
}  // namespace acutance
