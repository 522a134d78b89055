// Tests of segments that a device decodes next to FFmpeg's decoders, or alone, and of what both wait for.
#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <thread>

#include "io/ffmpeg/device_packets.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/segment_crew.h"
#include "tests/io/ffmpeg_test_util.h"

namespace acutance {
namespace {

using namespace test;
using testing::HasSubstr;

/// What the decoders of a device do in a test.
struct FakeDevice {
  std::string refusal;                // empty: it decodes
  bool loses = false;                 // one of the pictures of each stream
  bool finds_other = false;           // than what was declared
  std::chrono::milliseconds pace{0};  // of a picture
  std::atomic<int> broken{0};         // streams, from the next on, that end with an error after a few pictures
};

/// Gives pictures without samples, a few packets late, in the order of their times.
class FakeDecoder : public DeviceDecoder {
 public:
  FakeDecoder(FakeDevice& device, const CodedVideo& video) : device_(device), video_(video) {}

  Status Decode(std::span<const uint8_t> packet, int64_t time, const Show& show) override {
    constexpr uint8_t kStartCode[] = {0, 0, 0, 1};
    EXPECT_TRUE(packet.size() > 4 && std::equal(kStartCode, kStartCode + 4, packet.begin()));
    if (times_.empty() && shown_ == 0) is_broken_ = device_.broken > 0 && device_.broken-- > 0;
    times_.insert(time);
    std::this_thread::sleep_for(device_.pace);
    if (device_.finds_other) return Error(StatusCode::kUnsupported, "a test's discovery");
    if (is_broken_ && shown_ == 3) return Error(StatusCode::kBadData, "a test's damage");
    return times_.size() > 4 ? ShowFirst(show) : Status();
  }

  Status Finish(const Show& show) override {
    if (device_.loses && !times_.empty()) times_.erase(times_.begin());
    while (!times_.empty()) ACU_RETURN_IF_ERROR(ShowFirst(show));
    shown_ = 0;
    return {};
  }

 private:
  Status ShowFirst(const Show& show) {
    Picture picture{.format = video_.format};
    picture.device_planes[0] = {.address = 1, .stride = 1};
    const int64_t time = *times_.begin();
    times_.erase(times_.begin());
    ++shown_;
    return show(std::move(picture), time);
  }

  FakeDevice& device_;
  const CodedVideo video_;
  std::set<int64_t> times_;
  int shown_ = 0;
  bool is_broken_ = false;
};

DeviceDecoding On(FakeDevice& device, int host_threads = 0) {
  const auto open = [&device](const CodedVideo& video) -> Result<std::unique_ptr<DeviceDecoder>> {
    if (!device.refusal.empty()) return Error(StatusCode::kUnsupported, "{}", device.refusal);
    return std::unique_ptr<DeviceDecoder>(std::make_unique<FakeDecoder>(device, video));
  };
  return {.open = open, .decoders = 2, .host_threads = host_threads, .most_bytes = size_t{1} << 30};
}

OpenOptions Short(int threads = 2) {
  return {.decoder_threads = threads,
          .may_use_device = true,
          .segments = {.most_bytes = size_t{1} << 30, .start_after = 1, .least_packets = 1}};
}

class DeviceSegments : public FfmpegTest {
 protected:
  static constexpr int kFrames = 120;
  const Clip clip_ = MakeClip({64, 48, 8, PixelFormat::k420}, kFrames);

  std::string Film(const std::string& options, const std::string& out = "a.mp4") {
    return Encode(clip_, "yuv420p", options, out);
  }

  /// Reads all frames, compares those that lie in the host's memory, and returns the number of the others.
  int CountOnDevice(VideoSource& video) {
    int on_device = 0;
    for (int i = 0; i < kFrames; ++i) {
      const Picture picture = MustNext(video);
      if (picture.device_planes[0].address != 0) ++on_device;
      else ExpectFrame(picture, clip_, static_cast<size_t>(i));
      EXPECT_NEAR(video.time().value_or(-1), i / 25.0, 1e-3);
    }
    EXPECT_FALSE(video.Next().value());
    return on_device;
  }
};

constexpr const char* kH264 = "-c:v libx264 -qp 0 -bf 2 -g 10 -sc_threshold 0";
constexpr const char* kHevc =
    "-c:v libx265 -preset ultrafast -x265-params log-level=none:lossless=1:keyint=10:min-keyint=10:scenecut=0";

TEST_F(DeviceSegments, AreDecodedThereAloneOrBesideFfmpeg) {
  for (const char* options : {kH264, kHevc})
    for (const int host_threads : {0, 2}) {
      SCOPED_TRACE(fmt::format("{} {}", options, host_threads));
      FakeDevice device;
      auto video = MustOpen(Film(options), Short());
      ASSERT_NE(video, nullptr);
      ASSERT_TRUE(video->DecodeOn(On(device, host_threads)).ok());
      const int on_device = CountOnDevice(*video);
      EXPECT_GT(on_device, 0);
      EXPECT_TRUE(host_threads > 0 || on_device == kFrames - 1) << on_device;  // the first one was known before
      EXPECT_GT(video->decoding().segments, 8);
      EXPECT_EQ(video->damage().reason, "");
    }
}

TEST_F(DeviceSegments, FfmpegTakesMostWhereItIsQuicker) {
  FakeDevice device;
  device.pace = std::chrono::milliseconds(20);
  auto video = MustOpen(Film(kH264), Short());
  ASSERT_NE(video, nullptr);
  ASSERT_TRUE(video->DecodeOn(On(device, 2)).ok());
  const int on_device = CountOnDevice(*video);
  EXPECT_GT(on_device, 0);
  EXPECT_LT(on_device, kFrames / 2);
}

TEST_F(DeviceSegments, FramesThatAreSkippedAreNotDecodedThere) {
  for (const int64_t skipped : {5, 10, 37}) {
    FakeDevice device;
    auto video = MustOpen(Film(kH264), Short());
    ASSERT_NE(video, nullptr);
    ASSERT_TRUE(video->DecodeOn(On(device)).ok());
    ASSERT_EQ(video->Skip(skipped).value(), skipped);
    int frames = 0;
    for (; const std::optional<Picture> picture = video->Next().value(); ++frames)
      EXPECT_NEAR(video->time().value_or(-1), static_cast<double>(skipped + frames) / 25, 1e-3);
    EXPECT_EQ(frames, kFrames - skipped);
  }
}

TEST_F(DeviceSegments, WhatItDoubtsIsDecodedHere) {
  for (const bool loses : {false, true}) {
    FakeDevice device;
    auto video = MustOpen(Film(kH264), Short());
    ASSERT_NE(video, nullptr);
    device.loses = loses;
    device.broken = loses ? 0 : 3;
    ASSERT_TRUE(video->DecodeOn(On(device)).ok());
    const int on_device = CountOnDevice(*video);
    EXPECT_GT(on_device, 0);
    EXPECT_LT(on_device, kFrames - 20) << loses;
  }
}

TEST_F(DeviceSegments, ItMayFindThatItCannotDecodeAStream) {
  for (const int host_threads : {0, 2}) {
    FakeDevice device;
    device.finds_other = true;
    OpenOptions options = Short();
    options.segments.most_bytes = size_t{64} * 48 * 3 / 2 * 10;  // one segment, so that others wait
    auto video = MustOpen(Film(kH264), options);
    ASSERT_NE(video, nullptr);
    ASSERT_TRUE(video->DecodeOn(On(device, host_threads)).ok());
    EXPECT_EQ(CountOnDevice(*video), 0);
  }
}

TEST_F(DeviceSegments, WhatItRefusesStaysHere) {
  FakeDevice device;
  device.refusal = "a test's refusal";
  auto video = MustOpen(Film(kH264), Short(4));
  ASSERT_NE(video, nullptr);
  EXPECT_THAT(video->DecodeOn(On(device)).message(), HasSubstr("a test's refusal"));
  EXPECT_EQ(CountOnDevice(*video), 0);
  FakeDevice able;
  for (const auto& [options, file] :
       {std::pair{"-c:v ffv1", "b.mkv"}, std::pair{"-c:v libvpx-vp9 -lossless 1", "c.mkv"}}) {
    auto other = MustOpen(Film(options, file), Short());
    ASSERT_NE(other, nullptr);
    EXPECT_FALSE(other->DecodeOn(On(able, 2)).ok()) << file;
    EXPECT_EQ(CountOnDevice(*other), 0);
  }
}

TEST_F(DeviceSegments, WaitWhereFramesAreNotTaken) {
  Demuxer input(*ByteStream::Open(Film(kH264)), "", 0);
  ASSERT_TRUE(LoadFfmpeg().ok() && input.Open(false).ok());
  DecoderSetup setup{.codec = input.codec(), .parameters = {}, .time_base = Fields(input.track()).time_base()};
  ASSERT_GE(setup.CopyParameters(input.parameters()), 0);
  SegmentCutter cutter(input);
  cutter.Start("");
  SegmentCrew crew(setup);
  const SegmentCrew::Size size{.on_cpu = 4, .frames = 6};
  while (std::optional<Segment> segment = cutter.Cut(1)) crew.Add(*std::move(segment), size);
  const size_t segments = crew.size();
  EXPECT_GT(segments, 8u);
  int frames = 0;
  for (size_t ended = 0; ended < segments;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_LE(crew.waiting(), size.frames + SegmentCrew::kMostHeld + 1 + crew.size());
    DecodedFrame frame;
    const SegmentCrew::Event event = crew.Next(frame);
    ASSERT_TRUE(event == SegmentCrew::Event::kFrame || event == SegmentCrew::Event::kEnd);
    frames += event == SegmentCrew::Event::kFrame;
    ended += event == SegmentCrew::Event::kEnd;
  }
  EXPECT_EQ(frames, kFrames);
}

using Bytes = std::vector<uint8_t>;

Bytes Converted(DeviceCodec codec, const Bytes& extradata, const Bytes& packet, bool starts) {
  const std::unique_ptr<AVCodecParameters, FfmpegFreed> parameters(Ffmpeg().avcodec_parameters_alloc());
  const auto fields = Fields(*parameters);
  Bytes data = extradata;
  fields.extradata() = data.data();
  fields.extradata_size() = static_cast<int>(data.size());
  DevicePackets packets(codec, *parameters);
  fields.extradata() = nullptr;
  fields.extradata_size() = 0;
  const auto converted = packets.Convert(packet, starts);
  return {converted.begin(), converted.end()};
}

TEST_F(DeviceSegments, PacketsGetStartCodesAndSets) {
  const Bytes record = {1, 100, 0, 10, 0xff, 0xe1, 0, 2, 0x67, 7, 1, 0, 1, 0x68};
  const Bytes lengths = {0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41}, codes = {0, 0, 0, 1, 0x65, 1, 0, 0, 1, 0x41};
  const Bytes plain = {0, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x41};
  Bytes first = {0, 0, 0, 1, 0x67, 7, 0, 0, 0, 1, 0x68};
  first.insert(first.end(), plain.begin(), plain.end());
  EXPECT_EQ(Converted(DeviceCodec::kH264, record, lengths, false), plain);
  EXPECT_EQ(Converted(DeviceCodec::kH264, record, lengths, true), first);
  EXPECT_EQ(Converted(DeviceCodec::kH264, {}, codes, true), plain);
  EXPECT_EQ(Converted(DeviceCodec::kVp9, {}, lengths, true), lengths);
}

TEST_F(DeviceSegments, PacketsWithFilmGrainAreNotConverted) {
  const Bytes other = {0, 0, 1, 6, 5, 1, 0, 0x80, 0, 0, 1, 0x65, 1},
              grain = {0, 0, 1, 6, 5, 1, 0, 19, 1, 0, 0x80, 0, 0, 1, 0x65, 1};
  EXPECT_FALSE(Converted(DeviceCodec::kH264, {}, other, false).empty());
  EXPECT_TRUE(Converted(DeviceCodec::kH264, {}, grain, false).empty());
  const Bytes hevc = {0, 0, 1, 39 << 1, 1, 19, 1, 0, 0x80, 0, 0, 1, 2, 1, 1};
  EXPECT_TRUE(Converted(DeviceCodec::kHevc, {}, hevc, false).empty());
}

}  // namespace
}  // namespace acutance
