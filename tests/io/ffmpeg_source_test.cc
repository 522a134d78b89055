// Tests of containers: what the ffmpeg command encodes losslessly is decoded to the same samples.
#include <gmock/gmock.h>

#include "tests/io/ffmpeg_test_util.h"
#include "video/pair_reader.h"

namespace acutance {
namespace {

using namespace test;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class Containers : public FfmpegTest {};

/// The layout that FFmpeg's name of a pixel format declares.
PictureFormat LayoutNamed(const std::string& name) {
  const bool is_gray = name.starts_with("gray");
  const PixelFormat pixels = is_gray                                 ? PixelFormat::k400
                             : name.find("420") != std::string::npos ? PixelFormat::k420
                             : name.find("422") != std::string::npos ? PixelFormat::k422
                                                                     : PixelFormat::k444;
  const std::string depth = name.substr(is_gray ? 4 : name.find('p') + 1);
  return {48, 34, depth.empty() ? 8 : std::stoi(depth), pixels};
}

struct Encoding {
  std::vector<std::string> pixel_formats;
  const char* options;
  const char* file;
};

const Encoding kLossless[] = {
    {{"gray", "gray10le", "gray12le", "gray16le", "yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le",
      "yuv444p12le", "yuv420p16le", "yuv422p16le", "yuv444p16le"},
     "-c:v ffv1",
     "a.mkv"},
    {{"yuv420p"}, "-c:v libx264 -qp 0 -bf 3", "a.mp4"},
    {{"yuvj420p", "yuv444p", "yuv422p10le"}, "-c:v libx264 -qp 0", "a.mp4"},
    {{"yuv422p", "yuv420p10le"}, "-c:v libx264 -qp 0", "a.mkv"},
    {{"gray", "yuv420p", "yuv444p12le"}, "-c:v libx265 -x265-params lossless=1:log-level=0", "a.mp4"},
    {{"yuv420p10le"}, "-c:v libx265 -x265-params lossless=1:log-level=0", "a.mkv"},
    {{"yuv420p"}, "-c:v rawvideo", "a.avi"},
    {{"yuv420p"}, "-c:v rawvideo", "a.mkv"},
    {{"yuv420p"}, "-c:v rawvideo -f nut -pix_fmt yuv420p", "a.nut"},
    {{"yuv420p"}, "-c:v rawvideo -pix_fmt nv12", "a.nut"},
    {{"yuv420p"}, "-c:v rawvideo -pix_fmt nv21", "a.nut"},
    {{"yuv420p10le"}, "-c:v rawvideo -pix_fmt yuv420p10be", "a.nut"},
    {{"yuv422p"}, "-c:v rawvideo -pix_fmt yuyv422", "a.nut"},
    {{"yuv422p"}, "-c:v rawvideo -pix_fmt uyvy422", "a.nut"},
    {{"yuv444p"}, "-c:v ffv1 -pix_fmt yuva444p", "a.mkv"},
};

TEST_F(Containers, LosslessEncodesComeBackExactly) {
  for (const Encoding& e : kLossless)
    for (const std::string& pixel_format : e.pixel_formats) {
      SCOPED_TRACE(fmt::format("{} {} {}", pixel_format, e.options, e.file));
      const Clip clip = MakeClip(LayoutNamed(pixel_format), 6);
      const std::string path = Encode(clip, pixel_format, e.options, e.file);
      ExpectFile(path, clip, {.decoder_threads = 2});
      auto source = MustOpen(path);
      ASSERT_NE(source, nullptr);
      EXPECT_EQ(source->frame_rate(), 25.0);
      if (path.ends_with(".mp4")) {
        EXPECT_EQ(source->frame_count(), 6);
      }
      ExpectClip(*source, clip);
    }
}

TEST_F(Containers, OddSizesAreCroppedToTheFloor) {
  for (const auto& [width, height] : {std::pair{35, 21}, std::pair{33, 34}, std::pair{1, 1}}) {
    SCOPED_TRACE(width);
    const Clip clip = MakeClip({width, height, 8, PixelFormat::k420}, 3);
    ExpectFile(Encode(clip, "yuv420p", "-c:v ffv1", "a.mkv"), clip);
  }
}

TEST_F(Containers, PipesWorkWhereTheContainerAllows) {
  const Clip clip = MakeClip({48, 34, 8, PixelFormat::k420}, 6);
  const std::string pipe = MakeFifo(dir_ / "pipe");
  const FifoWriter writer(pipe, ReadFile(Encode(clip, "yuv420p", "-c:v ffv1", "a.mkv")));
  ExpectClip(*MustOpen(pipe), clip);
}

TEST_F(Containers, APipeIsNamedAsTheReasonWhereTheContainerNeedsAFile) {
  const Clip clip = MakeClip({320, 180, 8, PixelFormat::k420}, 6);
  const std::string pipe = MakeFifo(dir_ / "pipe");
  const FifoWriter writer(pipe, ReadFile(Encode(clip, "yuv420p", "-c:v libx264 -qp 0", "a.mp4")));
  EXPECT_THAT(ErrorOf(pipe), HasSubstr("not from a pipe"));
}

TEST_F(Containers, RecordingsMayStartBetweenKeyFrames) {
  const Clip clip = MakeClip({96, 64, 8, PixelFormat::k420}, 12);
  const std::string whole =
      ReadFile(Encode(clip, "yuv420p", "-c:v libx264 -qp 0 -bf 0 -x264-params keyint=5:scenecut=0", "a.ts"));
  WriteFile(dir_ / "cut.ts", whole.substr(whole.size() / 4 / 188 * 188));
  auto source = MustOpen(dir_ / "cut.ts");
  ASSERT_NE(source, nullptr);
  EXPECT_THAT(source->warnings(), testing::ElementsAre(HasSubstr("starts between key frames")));
  ExpectFrame(MustNext(*source), clip, 5);
}

TEST_F(Containers, RefusesOtherPixelFormats) {
  const Clip clip = MakeClip({48, 34, 8, PixelFormat::k444}, 2);
  for (const std::string name : {"bgr0", "gbrp10le", "yuv420p9le", "yuv420p14le", "yuv410p", "yuv440p"})
    EXPECT_THAT(ErrorOf(Encode(clip, "yuv444p", "-c:v ffv1 -pix_fmt " + name, "a.mkv")),
                AllOf(HasSubstr("pixel format " + name + " cannot be scored"), HasSubstr("ffmpeg -i")));
}

TEST_F(Containers, AreNoRawYuvEvenWhereASizeIsGiven) {
  const Clip clip = MakeClip({48, 34, 8, PixelFormat::k420}, 3);
  for (const std::string file : {"a.mp4", "a.mkv", "a.webm", "a.avi", "a.ivf", "a.mov"}) {
    SCOPED_TRACE(file);
    const bool is_vp8 = file == "a.webm" || file == "a.ivf";
    const std::string path = Encode(clip, "yuv420p", is_vp8 ? "-c:v libvpx" : "-c:v libx264 -qp 0", file);
    const auto source = MustOpen(path, {.raw = PictureFormat{16, 16, 8, PixelFormat::k420}});
    ASSERT_NE(source, nullptr);
    EXPECT_FALSE(source->is_raw());
    EXPECT_EQ(source->format(), clip.format);
  }
}

TEST_F(Containers, RefusesFilesWithoutVideo) {
  const std::string sound = "-f lavfi -i sine=duration=0.2 ";
  EXPECT_THAT(ErrorOf(Make(sound, "a.wav")), HasSubstr("has no video stream"));
  WriteFile(dir_ / "a.mp4", std::string(5000, 'z'));
  EXPECT_THAT(ErrorOf(dir_ / "a.mp4"), HasSubstr("a.mp4"));
  WriteFile(dir_ / "a.txt", std::string(5000, 'z'));
  EXPECT_THAT(ErrorOf(dir_ / "a.txt"), HasSubstr("a.txt is text and no video"));
  const std::string cover = "-f lavfi -i color=s=64x64:d=0.04 -map 0 -map 1 -c:v png -disposition:v attached_pic";
  EXPECT_THAT(ErrorOf(Make(sound + cover, "a.mp3")),
              HasSubstr("a.mp3 has no video stream, but the picture of a cover"));
  WriteFile(dir_ / "a.bin", std::string(3, '\0'));
  EXPECT_THAT(ErrorOf(dir_ / "a.bin"), HasSubstr("neither y4m nor a video"));
}

TEST_F(Containers, PlayListsOpenNoOtherFile) {
  const Clip clip = MakeClip({48, 34, 8, PixelFormat::k420}, 3);
  ASSERT_NE(MustOpen(Encode(clip, "yuv420p", "-c:v libx264 -qp 0", "a.ts")), nullptr);
  WriteFile(dir_ / "list.ffconcat", "ffconcat version 1.0\nfile a.ts\n");
  WriteFile(dir_ / "list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.12,\na.ts\n#EXT-X-ENDLIST\n");
  for (const char* list : {"list.ffconcat", "list.m3u8"}) EXPECT_THAT(ErrorOf(dir_ / list), HasSubstr(list));
}

TEST_F(Containers, FramesOfOtherFormsAreBroughtToTheFirstOnes) {
  const Clip small = MakeClip({48, 34, 8, PixelFormat::k420}, 3), large = MakeClip({64, 34, 8, PixelFormat::k420}, 3);
  const auto encode = [this](const Clip& clip, const std::string& options) {
    return ReadFile(Encode(clip, "yuv420p", "-c:v libx264 -qp 0 " + options, "a.h264"));
  };
  const std::string first = encode(small, "");
  WriteFile(dir_ / "size.h264", first + encode(large, "") + first);
  WriteFile(dir_ / "range.h264", encode(small, "-x264-params fullrange=on") + first);
  for (const auto& [file, change] :
       {std::pair{"size.h264", "changes at frame 3 from 48x34 to 64x34: 3 of its 9 frames are scaled"},
        std::pair{"range.h264", "changes at frame 3 from full range to limited range: 3 of its 6 frames are"}}) {
    SCOPED_TRACE(file);
    auto source = MustOpen(dir_ / file);
    ASSERT_NE(source, nullptr);
    int frames = 0;
    for (auto picture = source->Next(); picture.ok() && *picture; picture = source->Next(), ++frames)
      EXPECT_EQ((*picture)->format, small.format);
    EXPECT_EQ(frames, file == std::string("size.h264") ? 9 : 6);
    const std::vector<InputChange> changes = source->frame_changes();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_THAT(changes[0].text, HasSubstr(change));
  }
  auto steady = MustOpen(Encode(small, "yuv420p", "-c:v libx264 -qp 0", "a.mp4"));
  ExpectClip(*steady, small);
  EXPECT_TRUE(steady->frame_changes().empty());
}

TEST_F(Containers, TruncatedFilesGiveTheWholeFramesThenAnError) {
  const std::pair<const char*, const char*> cases[] = {
      {"-c:v ffv1", "a.mkv"},          {"-c:v rawvideo", "a.mkv"},
      {"-c:v libx264 -qp 0", "a.mkv"}, {"-c:v libx264 -qp 0 -movflags faststart", "a.mp4"},
      {"-c:v rawvideo", "a.avi"},
  };
  const Clip clip = MakeClip({96, 64, 8, PixelFormat::k420}, 12);
  for (const auto& [options, file] : cases) {
    const std::string path = Encode(clip, "yuv420p", options, file);
    for (double share : {0.3, 0.55, 0.8, 0.93}) {
      SCOPED_TRACE(fmt::format("{} {} {}", options, file, share));
      int frames = 0;
      EXPECT_THAT(ErrorOf(Truncate(path, share), &frames), AnyOf(HasSubstr("truncated"), HasSubstr("damaged")));
      EXPECT_LT(frames, 12);
      EXPECT_GT(frames, 0);
    }
  }
  WriteFile(dir_ / "cut", ReadFile(Encode(clip, "yuv420p", "-c:v libx264 -qp 0", "a.mp4")).substr(0, 9000));
  EXPECT_THAT(ErrorOf(dir_ / "cut"), HasSubstr("cut is an MP4 file without an index"));
}

TEST_F(Containers, MutatedFilesNeverCrash) {
  const Clip clip = MakeClip({48, 34, 8, PixelFormat::k420}, 4);
  const std::string files[] = {ReadFile(Encode(clip, "yuv420p", "-c:v libx264 -qp 0", "a.mp4")),
                               ReadFile(Encode(clip, "yuv420p", "-c:v ffv1", "a.mkv"))};
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = files[round % 2];
    for (unsigned edits = 1 + random() % 30; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 3 == 0) bytes.resize(random() % bytes.size() + 1);
    WriteFile(dir_ / "m", bytes);
    refused += !ErrorOf(dir_ / "m").empty();
  }
  EXPECT_GT(refused, 10);
}

TEST_F(Containers, PairsAcrossContainers) {
  const Clip clip = MakeClip({48, 34, 8, PixelFormat::k420}, 9);
  WriteFile(dir_ / "a.y4m", clip.Y4m("C420"));
  std::vector<PairReaderInput> distorted;
  distorted.push_back({"a.mp4", MustOpen(Encode(clip, "yuv420p", "-c:v libx264 -qp 0", "a.mp4")), 2});
  auto reader = PairReader::Open({"a.y4m", MustOpen(dir_ / "a.y4m"), 2}, std::move(distorted), {});
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  int pairs = 0;
  for (auto pair = (*reader)->Next(); pair.ok() && *pair; pair = (*reader)->Next(), ++pairs) {
    ExpectFrame((*pair)->reference, clip, static_cast<size_t>(pairs + 2));
    ExpectFrame((*pair)->distorted[0], clip, static_cast<size_t>(pairs + 2));
  }
  EXPECT_EQ(pairs, 7);
}

}  // namespace
}  // namespace acutance
