// Tests of runs whose videos a fake device decodes: scores are those of FFmpeg's own decoders.
#include <gmock/gmock.h>

#include <algorithm>

#include "run/run_options.h"
#include "run/score_run.h"
#include "tests/io/fake_hardware.h"
#include "tests/io/ffmpeg_test_util.h"

namespace acutance {
namespace {

using namespace test;

class HardwareRuns : public FfmpegTest {
 protected:
  void SetUp() override {
    FfmpegTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_TRUE(LoadFfmpeg().ok());
    fake_.emplace();
  }

  std::string Film(const std::string& options, const std::string& out) {
    return Make(fmt::format("-f lavfi -i testsrc2=size=96x64:rate=25 -frames:v 90 -pix_fmt yuv420p {}", options), out);
  }
  std::string Encoded(int quality, const std::string& out) {
    return Film(fmt::format("-c:v libx264 -bf 2 -g 10 -crf {}", quality), out);
  }

  RunRequest Request(const std::string& reference, std::vector<std::string> distorted, Decoder decoder) {
    RunRequest request = DefaultRequest();
    request.reference = reference;
    request.distorted = std::move(distorted);
    request.features = {{"psnr"}};
    request.choice.none = true;
    request.device.backend = "cpu";
    request.threads = 4;
    request.decoder = decoder;
    request.decoder_device = testing::UnitTest::GetInstance()->current_test_info()->name();
    EXPECT_TRUE(CompleteRequest(request).ok());
    request.open.segments.start_after = 1;
    request.open.segments.least_packets = 1;
    return request;
  }

  static std::vector<std::vector<std::optional<double>>> ScoresOf(const ScoredRun& run) {
    std::vector<std::vector<std::optional<double>>> scores;
    for (const ScoredEncode& encode : run.encodes)
      for (const ScoreTable::Column& column : encode.scores().columns()) scores.push_back(column.scores);
    return scores;
  }

  /// Expects the scores of a run by FFmpeg's own decoders, and returns the decoders.
  std::vector<std::string> ExpectSame(RunRequest request) {
    const ScoredRun run = RunScore(request);
    request.decoder = Decoder::kCpu;
    const ScoredRun own = RunScore(request);
    EXPECT_FALSE(run.error) << run.error->status.message();
    EXPECT_FALSE(own.error) << own.error->status.message();
    EXPECT_EQ(ScoresOf(run), ScoresOf(own));
    EXPECT_EQ(own.frames, 90);
    std::vector<std::string> decoders;
    for (const Input& input : run.inputs) decoders.push_back(input.decoding.decoder);
    return decoders;
  }

  std::optional<FakeHardware> fake_;
};

TEST_F(HardwareRuns, ScoreTheSameHoweverFramesAreAligned) {
  const std::string reference = Encoded(10, "a.mp4"), one = Encoded(35, "b.mp4"), other = Encoded(40, "c.mp4");
  for (const auto mode :
       {AlignmentRequest::Mode::kIndex, AlignmentRequest::Mode::kAuto, AlignmentRequest::Mode::kTimes})
    for (const std::vector<std::string>& distorted : {std::vector{one}, std::vector{one, other}}) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(mode), distorted.size()));
      RunRequest request = Request(reference, distorted, Decoder::kVaapi);
      request.pairing.mode = mode;
      EXPECT_THAT(ExpectSame(request), testing::Each("vaapi"));
    }
  EXPECT_EQ(fake_->device, "ScoreTheSameHoweverFramesAreAligned");
}

TEST_F(HardwareRuns, LeaveOutWhatIsNotCompressed) {
  const RunRequest request = Request(Film("", "a.y4m"), {Encoded(35, "b.mp4")}, Decoder::kVaapi);
  EXPECT_THAT(ExpectSame(request), testing::ElementsAre("", "vaapi"));
}

TEST_F(HardwareRuns, ScoreTheSameWhereTheDeviceFails) {
  RunRequest request = Request(Encoded(10, "a.mp4"), {Encoded(35, "b.mp4")}, Decoder::kVaapi);
  fake_->copies_left = 60;
  ExpectSame(request);
  EXPECT_LE(fake_->copies_left, 0);
}

TEST_F(HardwareRuns, EndWithTheReasonWhereItCannotBegin) {
  const RunRequest request = Request(Encoded(10, "a.mp4"), {Encoded(35, "b.mp4")}, Decoder::kVulkan);
  const ScoredRun run = RunScore(request);
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.error->stage, RunStage::kBackend);
  EXPECT_THAT(run.error->status.message(), testing::HasSubstr("was built without Vulkan Video"));
}

}  // namespace
}  // namespace acutance
