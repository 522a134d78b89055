// Sessions with lazy pictures: the scores of materialized ones, on the CPU and on devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backend/emu/emu.h"
#include "devices/scaling_selftest.h"
#include "devices/testing/flaky_device.h"
#include "engine/testing/score_video.h"
#include "exec/run_plan.h"
#include "image/lazy_picture.h"
#include "metric/plan_context.h"
#include "metric/registry.h"

namespace acutance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kFrames = 13;

/// A reference and encodes of it, each of its own size, chroma or colors and perhaps of fewer bits.
struct Videos {
  PictureFormat format;
  PictureFormat reference;
  std::vector<PictureFormat> distorted;
  std::vector<std::optional<ColorWeights>> colors{};  // of the reference and the encodes; empty: none changes
};

const Videos kLadder = {
    .format = {48, 32, 8}, .reference = {48, 32, 8}, .distorted = {{24, 16, 8}, {48, 32, 8}, {61, 35, 8}}};
const Videos kDeeper = {.format = {34, 26, 10, PixelFormat::k422},
                        .reference = {51, 39, 10, PixelFormat::k422},
                        .distorted = {{34, 26, 10, PixelFormat::k422}, {20, 30, 8, PixelFormat::k422}}};
// Luma of the first two encodes stays as it is.
const Videos kOtherChroma = {.format = {34, 26, 10, PixelFormat::k420},
                             .reference = {34, 26, 10, PixelFormat::k420},
                             .distorted = {{34, 26, 10, PixelFormat::k444},
                                           {34, 26, 10, PixelFormat::k422},
                                           {20, 30, 10, PixelFormat::k444},
                                           {34, 26, 8, PixelFormat::k422},
                                           {34, 26, 8, PixelFormat::k420}}};

constexpr LumaShares kBt709 = {2126, 722};
const Videos kOtherColors = {.format = {34, 26, 10, PixelFormat::k444},
                             .reference = {34, 26, 10, PixelFormat::k444},
                             .distorted = {{34, 26, 8, PixelFormat::k444},
                                           {34, 26, 10, PixelFormat::k444},
                                           {20, 30, 10, PixelFormat::k444},
                                           {34, 26, 8, PixelFormat::k422},
                                           {51, 39, 8, PixelFormat::k420}},
                             .colors = {WeightsOfRgb(kBt709, 10, {true, 10}), WeightsOfRgb(kBt709, 8, {true, 10}),
                                        WeightsOfRange({false, 10}, {true, 10}), WeightsOfRgb(kBt709, 10, {true, 10}),
                                        WeightsOfRange({false, 8}, {true, 8}), WeightsOfRange({true, 8}, {true, 10})}};

/// The picture one byte behind, as files may have it whose samples have two bytes.
Picture AtOddAddress(const Picture& picture) {
  Picture moved = picture;
  size_t bytes = 1;
  for (const Plane& plane : picture.planes) bytes += plane.height * plane.stride;
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  std::byte* to = memory->data() + 1;
  for (Plane& plane : moved.planes) {
    if (!plane.data) continue;
    std::memcpy(to, plane.data, plane.height * plane.stride);
    plane.data = to;
    to += plane.height * plane.stride;
  }
  moved.memory = memory;
  return moved;
}

class Clip {
 public:
  Clip(const Videos& videos, bool is_odd) : videos_(videos), is_odd_(is_odd) {
    Add(Video::kReference, 0, videos.reference);
    for (size_t d = 0; d < videos.distorted.size(); ++d)
      Add(Video::kDistorted, static_cast<int>(d), videos.distorted[d]);
  }

  std::vector<VideoConversion> scalings() const {
    std::vector<VideoConversion> scalings;
    for (const VideoConversion& video : videos_scalings_)
      if (video.scaling) scalings.push_back(video);
    return scalings;
  }

  /// Picture `frame` of video `number`: 0 is the reference. Pictures at odd addresses always have a scaling.
  Picture At(size_t number, int frame, bool is_made) const {
    const auto& scaling = videos_scalings_[number].scaling;
    const PictureFormat format = scaling ? scaling->source_format() : videos_.format;
    Picture source = MakeTestPicture(format, frame, static_cast<int>(number)).value();
    if (!scaling) return source;
    if (is_odd_) source = AtOddAddress(source);
    return is_made ? scaling->Apply(source).value() : DeferPicture(source, videos_.format, scaling);
  }

 private:
  void Add(Video video, int number, const PictureFormat& format) {
    std::shared_ptr<const PictureConversion> scaling;
    const auto colors = videos_.colors.empty() ? std::nullopt : videos_.colors[videos_scalings_.size()];
    if (format != videos_.format || colors) scaling = MakeScaling(format, videos_.format, {}, {}, colors).value();
    else if (is_odd_) scaling = std::make_shared<const PictureConversion>(format);
    videos_scalings_.push_back({video, number, std::move(scaling)});
  }

  const Videos& videos_;
  const bool is_odd_;
  std::vector<VideoConversion> videos_scalings_;
};

struct Way {
  int threads = 1;
  int subsample = 1;
  int verify = 0;
  bool is_made = false;        // before the session gets them
  bool mixes = false;          // every third frame comes made
  bool is_odd = false;         // samples that are not made lie at odd addresses
  bool knows_scalings = true;  // the session gets them
  std::vector<FeatureRequest> features = {{"psnr", {}}, {"motion", {}}, {"float_motion", {}}, {"xpsnr", {}}};
};

std::unique_ptr<Session> Score(const Videos& videos, Way way, std::unique_ptr<Device> device = nullptr) {
  const Clip clip(videos, way.is_odd);
  SessionSpec spec = {.features = way.features,
                      .threads = way.threads,
                      .subsample = way.subsample,
                      .distorted_count = static_cast<int>(videos.distorted.size()),
                      .format = videos.format,
                      .verify = way.verify};
  if (device) spec.devices = std::make_shared<DevicePicker>(std::move(device));
  if (way.knows_scalings) spec.conversions = clip.scalings();
  return ScoreVideo(std::move(spec), kFrames, [&](int frame, int video) {
    return clip.At(static_cast<size_t>(video), frame, way.is_made || (way.mixes && frame % 3 == 0));
  });
}

std::unique_ptr<Device> EmuDevice(int wave = 32, uint64_t seed = 1) {
  return OpenEmuDevice({.wave_size = wave, .seed = seed}).value();
}

TEST(LazyPictures, AreMadeByTheCpu) {
  for (const Videos* videos : {&kLadder, &kDeeper, &kOtherChroma, &kOtherColors}) {
    const auto made = Score(*videos, {.is_made = true});
    for (const int threads : {1, 3}) {
      const auto session = Score(*videos, {.threads = threads});
      EXPECT_FALSE(session->ConvertsOnDevice());
      ExpectSameScores(*made, *session);
    }
  }
}

TEST(LazyPictures, AreMadeByADevice) {
  int wave = 4;
  for (const Videos* videos : {&kLadder, &kDeeper, &kOtherChroma, &kOtherColors})
    for (const int subsample : {1, 3}) {
      const auto made = Score(*videos, {.subsample = subsample, .is_made = true});
      const auto session = Score(*videos, {.threads = 2, .subsample = subsample}, EmuDevice(wave, wave));
      EXPECT_TRUE(session->ConvertsOnDevice());
      EXPECT_THAT(session->warnings(), IsEmpty());
      ExpectSameScores(*made, *session);
      wave = wave == 64 ? 4 : 2 * wave;
    }
}

// cvvdp looks back in both videos: a batch takes the pictures before it from the one before, as they were scaled.
TEST(LazyPictures, AreHistory) {
  const Videos videos = {.format = {32, 24, 8}, .reference = {32, 24, 8}, .distorted = {{16, 12, 8}}};
  const std::vector<FeatureRequest> features = {{"cvvdp", {}}};
  const auto made = Score(videos, {.is_made = true, .features = features});
  ExpectSameScores(*made, *Score(videos, {.features = features}, EmuDevice()));
  ExpectSameScores(*made, *Score(videos, {.mixes = true, .features = features}, EmuDevice()));
}

// The device accepts materialized pictures, too.
TEST(LazyPictures, MayComeMade) {
  for (const Videos* videos : {&kLadder, &kOtherChroma, &kOtherColors}) {
    const auto made = Score(*videos, {.is_made = true});
    ExpectSameScores(*made, *Score(*videos, {.is_made = true}, EmuDevice()));
    ExpectSameScores(*made, *Score(*videos, {.mixes = true}, EmuDevice()));
    ExpectSameScores(*made, *Score(*videos, {.knows_scalings = false}, EmuDevice()));
  }
}

// Where only chroma differs, luma is uploaded as it is, and the host converts nothing.
TEST(LazyPictures, ShareUnchangedPlanes) {
  const PictureFormat format = {34, 26, 8, PixelFormat::k420}, other = {34, 26, 8, PixelFormat::k444};
  const auto scaling = MakeScaling(other, format, {}, {}).value();
  EXPECT_TRUE(scaling->PassesThrough(0));
  EXPECT_FALSE(scaling->PassesThrough(1));
  const Picture source = MakeTestPicture(other, 0, 1).value();
  const Picture lazy = DeferPicture(source, format, scaling);
  EXPECT_EQ(PlaneOf(lazy, 0).value().data, source.planes[0].data);
  EXPECT_EQ(lazy.lazy->result().planes[0].data, nullptr) << "made";
  EXPECT_EQ(PlaneOf(lazy, 1).value().width, 17);
  EXPECT_EQ(lazy.lazy->result().planes[0].data, source.planes[0].data);
  const auto without = MakeScaling(other, {34, 26, 8, PixelFormat::k400}, {}, {}).value();
  EXPECT_EQ(without->Apply(source).value().planes[1].data, nullptr);
  const Videos videos = {.format = format, .reference = format, .distorted = {other}};
  const std::vector<FeatureRequest> luma = {{"motion", {}}};
  ExpectSameScores(*Score(videos, {.is_made = true, .features = luma}),
                   *Score(videos, {.features = luma}, EmuDevice()));
}

/// The sums of a batch of PSNR, which a device makes of pictures of the clip.
std::vector<int64_t> SumsOf(const Videos& videos, bool is_made, bool is_odd = false) {
  constexpr int kBatch = 3;
  const Clip clip(videos, is_odd);
  const Metric& psnr = *FindMetric("psnr");
  const OptionValues values = *OptionValues::Parse(psnr.options, {});
  const int copies = static_cast<int>(videos.distorted.size());
  const std::unique_ptr<Device> device = EmuDevice();
  PlanContext context = MakePlanContext(InputsOf(psnr, values), videos.format, kBatch, copies, device->info().family);
  context.scalings = clip.scalings();
  std::vector<Plan> plans;
  plans.push_back(MakePlan(psnr, values, context).value());
  const auto runner = PlanRunner::Make(*device, std::move(plans), context, {.poison = true}).value();
  std::vector<Picture> pictures;
  for (int frame = 0; frame < kBatch; ++frame)
    for (int number = 0; number <= copies; ++number) pictures.push_back(clip.At(number, frame, is_made));
  BatchPictures batch;
  for (size_t i = 0; i < pictures.size(); ++i)
    (i % (copies + 1) == 0 ? batch.reference : batch.distorted).push_back(&pictures[i]);
  EXPECT_EQ(runner->Run(batch).message(), "");
  std::vector<int64_t> sums;
  for (int item = 0; item < context.pairs(); ++item) {
    const std::span<const int64_t> some = runner->Sums(0, item);
    sums.insert(sums.end(), some.begin(), some.end());
  }
  return sums;
}

// All three planes of red, green and blue are uploaded once, for luma alone and for chroma, too.
TEST(LazyPictures, ShareWhatTheyAreMadeOf) {
  constexpr int kBatch = 3;
  const PictureFormat format = {64, 26, 8, PixelFormat::k444};
  const size_t plane = 64 * 26 * kBatch;  // rows of 64 bytes have no padding
  PlanContext context;
  context.format = format;
  context.frames = kBatch;
  const auto scaling = MakeScaling(format, format, {}, {}, WeightsOfRgb(kBt709, 8, {false, 8})).value();
  context.scalings.push_back({Video::kDistorted, 0, scaling});
  for (int p = 0; p < 3; ++p) context.inputs.push_back({.video = Video::kDistorted, .plane = p, .format = format});
  EXPECT_EQ(BatchConverter::DeviceBytes(context, {true, false, false}), 3 * plane);
  EXPECT_EQ(BatchConverter::DeviceBytes(context, {true, true, true}), 3 * plane);
  const std::unique_ptr<Device> device = EmuDevice();
  const auto queue = device->MakeQueue().value();
  const auto buffer = device->Allocate(plane, MemoryKind::kDevice).value();
  std::vector<BatchConverter::Target> targets;
  for (const PlanInput& input : context.inputs) targets.push_back({&input, buffer.get()});
  for (const size_t used : {1, 3}) {
    const auto scaler = BatchConverter::Make(*device, *queue, context, std::span(targets).first(used)).value();
    EXPECT_EQ(scaler->upload_bytes(), 3 * plane);
    EXPECT_EQ(scaler->upload_buffers().size(), 3u);
  }
}

TEST(LazyPictures, GiveADeviceTheSamplesOfMadeOnes) {
  for (const Videos* videos : {&kDeeper, &kOtherChroma, &kOtherColors}) {
    const std::vector<int64_t> expected = SumsOf(*videos, true);
    EXPECT_EQ(SumsOf(*videos, false), expected);
    EXPECT_EQ(SumsOf(*videos, false, true), expected);
  }
}

// Equal formats, and one video that is scaled as well.
const Videos kOdd = {.format = {34, 26, 10, PixelFormat::k420},
                     .reference = {34, 26, 10, PixelFormat::k420},
                     .distorted = {{34, 26, 10, PixelFormat::k420}, {24, 16, 10, PixelFormat::k420}}};

TEST(LazyPictures, MayLieAtOddAddresses) {
  const Videos alone = {.format = kOdd.format, .reference = kOdd.format, .distorted = {kOdd.format}};
  for (const Videos* videos : {&kOdd, &kDeeper, &kOtherChroma, &kOtherColors, &alone}) {
    const auto made = Score(*videos, {.is_made = true});
    ExpectSameScores(*made, *Score(*videos, {.threads = 2, .is_odd = true}));
    for (const bool mixes : {false, true}) {
      const auto session = Score(*videos, {.threads = 2, .mixes = mixes, .is_odd = true}, EmuDevice());
      EXPECT_TRUE(session->ConvertsOnDevice());
      EXPECT_THAT(session->warnings(), IsEmpty());
      ExpectSameScores(*made, *session);
    }
    ExpectSameScores(*made, *Score(*videos, {.verify = 2, .is_odd = true}, EmuDevice()));
  }
}

TEST(LazyPictures, AreAlignedWhereTheyAreMade) {
  const Picture source = MakeTestPicture(kOdd.format, 0, 0).value(), odd = AtOddAddress(source);
  const Picture lazy = DeferPicture(odd, kOdd.format, std::make_shared<const PictureConversion>(kOdd.format));
  EXPECT_EQ(PlaneOf(lazy, 1).value().data, odd.planes[1].data) << "for who copies bytes";
  const Picture made = Materialize(lazy).value();
  for (int p = 0; p < 3; ++p) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made.planes[p].data) % sizeof(uint16_t), 0u);
    for (int y = 0; y < made.planes[p].height; ++y)
      EXPECT_EQ(std::memcmp(made.planes[p].Row<std::byte>(y), source.planes[p].Row<std::byte>(y),
                            made.planes[p].width * sizeof(uint16_t)),
                0);
  }
}

TEST(LazyPictures, AreVerified) {
  ExpectSameScores(*Score(kLadder, {.is_made = true}), *Score(kLadder, {.verify = 2}, EmuDevice()));
}

TEST(LazyPictures, AreMadeByTheCpuWhenTheDeviceIsLost) {
  for (const Videos* videos : {&kLadder, &kDeeper, &kOtherChroma, &kOtherColors})
    for (const Fault::Where where : {Fault::kCopy, Fault::kSubmit, Fault::kWait})
      for (const int nth : {5, 20}) {
        const auto session =
            Score(*videos, {.threads = 2}, std::make_unique<FlakyDevice>(Fault{.where = where, .nth = nth}));
        ExpectSameScores(*Score(*videos, {.is_made = true}), *session);
      }
}

// A metric without a plan reads every picture on the CPU, so that nothing is gained by scaling on the device, too.
TEST(LazyPictures, AreNotScaledTwice) {
  const Way way = {.features = {{"psnr", {}}, {"null", {}}}};
  const auto session = Score(kLadder, way, EmuDevice());
  EXPECT_TRUE(session->RunsOnCpu());
  EXPECT_FALSE(session->ConvertsOnDevice());
}

/// Fails to make pictures.
class Failing : public DeferrableConversion {
 public:
  Result<Picture> Apply(const Picture&) const override {
    ++calls;
    return Error(StatusCode::kOutOfMemory, "no memory for it");
  }
  mutable int calls = 0;
};

TEST(LazyPictures, ThatCannotBeMadeFailTheFrame) {
  const auto failing = std::make_shared<const Failing>();
  const auto session = OpenSession({.features = {{"psnr", {}}}, .format = {96, 64, 8}});
  const Picture picture = MakeTestPicture({96, 64, 8}, 0, 0).value();
  static_cast<void>(session->Add(picture, {DeferPicture(picture, picture.format, failing)}));
  EXPECT_THAT(session->Flush().message(), HasSubstr("no memory for it"));
  EXPECT_GT(failing->calls, 0);
}

TEST(LazyPictures, AreMadeOnce) {
  class Counting : public DeferrableConversion {
   public:
    Result<Picture> Apply(const Picture& source) const override {
      ++calls;
      return source;
    }
    mutable std::atomic<int> calls = 0;
  };
  const auto counting = std::make_shared<const Counting>();
  const Picture source = MakeTestPicture({96, 64, 8}, 0, 0).value();
  const Picture lazy = DeferPicture(source, source.format, counting);
  EXPECT_EQ(lazy.planes[0].data, nullptr);
  EXPECT_EQ(Materialize(lazy).value().planes[0].data, source.planes[0].data);
  EXPECT_EQ(Materialize(lazy).value().planes[0].data, source.planes[0].data);
  EXPECT_EQ(Materialize(source).value().planes[0].data, source.planes[0].data);
  EXPECT_EQ(counting->calls, 1);
}

}  // namespace
}  // namespace acutance
