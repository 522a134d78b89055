// Frame scorers on a device: the CPU's scores from many threads, shared batches, and devices that fail.
#include <acutance/frame_scorer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "api/frames/pair_batches.h"
#include "devices/shared_device.h"
#include "devices/test_picture.h"
#include "devices/testing/flaky_device.h"

namespace {

using acutance::Fault;
using acutance::FlakyDevice;
using acutance::FrameFormat;
using acutance::PictureFormat;
using acutance::PixelFormat;
using acutance::SharedDevice;
using acutance::StatusCode;
using acutance::api::Feature;
using acutance::api::FramePlanes;
using acutance::api::FrameScorer;
using acutance::api::FrameScorerOptions;
using acutance::frames::PairBatches;

constexpr PictureFormat kSmall{24, 16, 8, PixelFormat::k420};
constexpr int kFrames = 11;  // cvvdp reads eight before each

const std::vector<Feature> kFeatures = {
    {"ssimulacra2", {}},
    {"butteraugli", {{"qnorm", "2"}}},
    {"cvvdp", {{"conversion", "common"}, {"display", "standard_fhd"}, {"fps", "25"}}}};

/// The device that scorers of the backend "emu" share from now on.
std::shared_ptr<SharedDevice> Use(Fault fault) { return SharedDevice::Insert(std::make_unique<FlakyDevice>(fault)); }

FrameScorerOptions OptionsOf(const Feature& feature, const std::string& backend) {
  const FrameFormat format = {.width = kSmall.width, .height = kSmall.height};
  return {.reference = format, .distorted = format, .features = {feature}, .threads = 2, .backend = backend};
}

acutance::Picture MakePicture(int frame, int salt) { return *acutance::MakeTestPicture(kSmall, frame, salt); }

FramePlanes PlanesOf(const acutance::Picture& picture) {
  FramePlanes planes;
  for (int p = 0; p < 3; ++p) planes[p] = {picture.planes[p].data, picture.planes[p].stride};
  return planes;
}

std::vector<double> Score(FrameScorer& scorer, int frame) {
  const auto reference = MakePicture(frame, 0), distorted = MakePicture(frame, 3);
  const auto scores = scorer.Score(PlanesOf(reference), PlanesOf(distorted));
  EXPECT_TRUE(scores.ok()) << scores.status().message();
  return scores.ok() ? scores->values : std::vector<double>();
}

/// A clip, and two frames of it again without history.
std::vector<std::vector<double>> ScoreClip(const FrameScorerOptions& options) {
  FrameScorer scorer = *FrameScorer::Create(options);
  std::vector<std::vector<double>> scores;
  for (int n = 0; n < kFrames; ++n) scores.push_back(Score(scorer, n));
  scorer.ResetHistory();
  scorer.ResetScores();
  for (const int n : {3, 1}) scores.push_back(Score(scorer, n));
  return scores;
}

TEST(FrameDevice, ScoresAreTheCpus) {
  for (const Feature& feature : kFeatures) {
    SCOPED_TRACE(feature.name);
    std::atomic<size_t> uploaded = 0;
    const auto device = Use({.uploaded = &uploaded});
    EXPECT_EQ(ScoreClip(OptionsOf(feature, "emu")), ScoreClip(OptionsOf(feature, "cpu")));
    EXPECT_GT(uploaded, size_t{kFrames} * kSmall.width * kSmall.height) << "the device had the pictures";
    if (feature.name == "cvvdp") {
      EXPECT_LT(uploaded, 300'000U) << "each picture once, and zeros before the clip";
    }
  }
}

TEST(FrameDevice, MapsAreTheCpus) {
  Use({});
  const auto draw = [](const std::string& backend) {
    FrameScorer scorer = *FrameScorer::Create(OptionsOf(kFeatures[1], backend));
    std::vector<float> map(size_t{kSmall.width} * kSmall.height);
    const auto reference = MakePicture(0, 0), distorted = MakePicture(0, 3);
    const auto scores = scorer.Score(PlanesOf(reference), PlanesOf(distorted),
                                     {map.data(), static_cast<ptrdiff_t>(kSmall.width * sizeof(float))});
    EXPECT_TRUE(scores.ok()) << scores.status().message();
    EXPECT_EQ(Score(scorer, 1), ScoreClip(OptionsOf(kFeatures[1], "cpu"))[1]) << "without one";
    return map;
  };
  EXPECT_EQ(draw("emu"), draw("cpu"));
}

TEST(FrameDevice, ScorersOfEqualOptionsShareASession) {
  const auto device = Use({});
  const PairBatches::Work work = {{{"ssimulacra2", {}}}, kSmall};
  const auto first = PairBatches::Find(device, work, nullptr);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(PairBatches::Find(device, work, nullptr), first);
  EXPECT_NE(PairBatches::Find(Use({}), work, nullptr), first) << "another device";
  EXPECT_NE(PairBatches::Find(device, {{{"ssimulacra2", {{"matrix", "bt601"}}}}, kSmall}, nullptr), first);
}

// What the device cannot compute is the CPU's.
TEST(FrameDevice, OddPicturesAreScored) {
  Use({});
  FrameScorerOptions options = OptionsOf(kFeatures[0], "emu");
  options.reference.crop_left = options.distorted.crop_left = 1;
  FrameScorerOptions on_cpu = options;
  on_cpu.backend = "cpu";
  EXPECT_EQ(ScoreClip(options), ScoreClip(on_cpu));
}

TEST(FrameDevice, ADeviceThatIsNotThereIsAnError) {
  EXPECT_EQ(FrameScorer::Create(OptionsOf(kFeatures[0], "no such backend")).status().code(),
            StatusCode::kInvalidArgument);
}

/// 200 scorers of 16 threads. The device fails after a number of waits, or never.
void OpenAndCloseMany(int waits) {
  constexpr int kThreads = 16, kScorers = 200;
  std::vector<std::vector<std::vector<double>>> expected;
  for (const Feature& feature : kFeatures) expected.push_back(ScoreClip(OptionsOf(feature, "cpu")));
  Use({.where = waits < 0 ? Fault::kNowhere : Fault::kWait, .nth = waits});
  std::atomic<int> next = 0, warnings = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int n = next++; n < kScorers; n = next++) {
        const size_t which = n % kFeatures.size();
        FrameScorerOptions options = OptionsOf(kFeatures[which], "emu");
        options.on_warning = [&](const std::string& text) { warnings += text.empty() ? 0 : 1; };
        FrameScorer scorer = *FrameScorer::Create(options);
        for (int frame = 0; frame < 2; ++frame) EXPECT_EQ(Score(scorer, frame), expected[which][frame]) << n;
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (waits >= 0) EXPECT_GT(warnings, 0);
  else EXPECT_EQ(warnings, 0);
}

TEST(FrameDevice, ManyScorersOpenAndClose) { OpenAndCloseMany(-1); }
TEST(FrameDevice, ManyScorersOutliveTheDevice) { OpenAndCloseMany(40); }

// The device tries again, without what it retained of earlier frames.
TEST(FrameDevice, AStreamContinuesAfterARefusedLaunch) {
  for (const StatusCode code : {StatusCode::kOutOfMemory, StatusCode::kIo}) {
    Use({.where = Fault::kSubmit, .nth = 5, .code = code, .lasts = false});
    EXPECT_EQ(ScoreClip(OptionsOf(kFeatures[2], "emu")), ScoreClip(OptionsOf(kFeatures[2], "cpu")));
  }
}

TEST(FrameDevice, HangsAreTheCpusFrames) {
  ::setenv("ACUTANCE_DEVICE_TIMEOUT", "0.3", 1);
  Use({.where = Fault::kWait, .nth = 3, .kind = Fault::kHang});
  EXPECT_EQ(ScoreClip(OptionsOf(kFeatures[0], "emu")), ScoreClip(OptionsOf(kFeatures[0], "cpu")));
  ::unsetenv("ACUTANCE_DEVICE_TIMEOUT");
}

/// A device that finds other pictures where a program's lie.
class OtherPictures : public FlakyDevice {
 public:
  explicit OtherPictures(std::byte sample) : FlakyDevice({}), memory_(*Allocate(4096, acutance::MemoryKind::kUpload)) {
    std::memset(memory_->host(), static_cast<int>(sample), memory_->bytes());
  }
  UploadPlace FindUpload(const std::byte*, size_t) override { return {memory_.get(), 0}; }

 private:
  const std::unique_ptr<acutance::Buffer> memory_;
};

TEST(FrameDevice, PinnedPicturesAreNotCopied) {
  acutance::SessionSpec spec = {.features = {{"ssimulacra2", {}}}, .format = kSmall};
  spec.devices = std::make_shared<acutance::DevicePicker>(std::make_unique<OtherPictures>(std::byte{90}));
  std::vector<double> values;
  spec.on_results = [&](std::span<acutance::FrameResults* const> frames) {
    for (const acutance::FrameResults* frame : frames) values.push_back(frame->runs[0].values[0]);
    return acutance::Status();
  };
  const auto session = *acutance::Session::Open(spec);
  const auto picture = [](int sample) {
    acutance::MutablePicture made = *acutance::AllocatePicture(kSmall);
    for (int p = 0; p < 3; ++p) std::memset(made.data[p], sample, made.stride[p] * kSmall.PlaneHeight(p));
    return made.Share();
  };
  ASSERT_TRUE(session->Add(picture(40), {picture(200)}).ok());
  ASSERT_TRUE(session->Flush().ok());
  EXPECT_THAT(values, testing::ElementsAre(100)) << "the device's own two pictures are equal";
}

TEST(SharedDevice, FindsWhatLiesInItsMemory) {
  const auto device = std::make_shared<SharedDevice>(std::make_unique<FlakyDevice>(Fault()));
  std::byte* const memory = *device->Allocate(1000);
  EXPECT_EQ(device->Find(memory, 1000).offset, 0U);
  EXPECT_EQ(device->Find(memory + 10, 990).offset, 10U);
  EXPECT_NE(device->Find(memory + 10, 990).buffer, nullptr);
  EXPECT_EQ(device->Find(memory + 10, 991).buffer, nullptr);
  EXPECT_EQ(device->Find(memory - 1, 5).buffer, nullptr);
  EXPECT_EQ(device->Find(nullptr, 5).buffer, nullptr);
  EXPECT_TRUE(device->Free(memory).ok());
  EXPECT_FALSE(device->Free(memory).ok());
  EXPECT_EQ(device->Find(memory, 1).buffer, nullptr);
}

TEST(SharedDevice, MemoryForPicturesIsUsedAgainAndFreedAtTheEnd) {
  const auto device = std::make_shared<SharedDevice>(std::make_unique<FlakyDevice>(Fault()));
  auto session = device->Lend();
  std::shared_ptr<std::byte> first = device->Take(100), second = device->Take(100);
  const std::byte* const place = first.get();
  EXPECT_NE(place, second.get());
  first.reset();
  first = device->Take(100);
  EXPECT_EQ(first.get(), place);
  second.reset();
  session.reset();
  EXPECT_NE(device->Find(place, 100).buffer, nullptr) << "it is in use";
  first.reset();
  device->Lend().reset();
  EXPECT_EQ(device->Find(place, 100).buffer, nullptr);
  EXPECT_EQ(device->Take(3'000'000'000), nullptr) << "the host's own is used";
}

}  // namespace
