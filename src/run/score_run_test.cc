// Scored frames of a run that must align its videos.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "run/score_run.h"

namespace acutance {
namespace {

constexpr int kWidth = 128, kHeight = 96, kFrames = 200, kEarly = 12;

/// Blocks that change, each at its own rate.
std::string FrameOf(int t) {
  std::string frame(kWidth * kHeight * 3 / 2, '\x80');
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const int block = (x / 16) * 31 + (y / 16) * 17;
      frame[static_cast<size_t>(y * kWidth + x)] = static_cast<char>(40 + (block * 7 + t * (3 + block % 5)) % 160);
    }
  return frame;
}

class PairingTest : public testing::Test {
 protected:
  PairingTest() { std::filesystem::create_directories(folder_); }
  ~PairingTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, int first) {
    const std::string path = (folder_ / name).string();
    std::ofstream file(path, std::ios::binary);
    file << "YUV4MPEG2 W" << kWidth << " H" << kHeight << " F25:1 Ip A1:1 C420jpeg\n";
    for (int t = first; t < first + kFrames; ++t) file << "FRAME\n" << FrameOf(t);
    return path;
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "acutance_pairing_test";
};

TEST_F(PairingTest, AnOffsetIsFoundBeforeAnythingIsScored) {
  RunRequest request;
  request.reference = Write("reference.y4m", 0);
  request.distorted = {Write("distorted.y4m", kEarly)};
  request.features = {{"psnr"}};
  request.pairing.mode = AlignmentRequest::Mode::kAuto;
  request.device.backend = "cpu";
  int scored = 0;
  request.on_frame = [&](const Session&, std::optional<int64_t>) {
    ++scored;
    return FrameAction::kContinue;
  };
  const ScoredRun run = RunScore(request);
  ASSERT_FALSE(run.error) << run.error->status.message();
  ASSERT_EQ(run.alignments.size(), 1u);
  EXPECT_EQ(run.alignments[0].late(), -kEarly);
  EXPECT_EQ(std::ssize(run.alignments[0].pairs), kFrames - kEarly);
  EXPECT_EQ(scored, kFrames - kEarly);
}

TEST_F(PairingTest, DevicesStayOpenForTheNextRun) {
  const DeviceChoice choice = {.backend = "emu", .index = 0};
  RunRequest request;
  request.reference = request.distorted.emplace_back(Write("reference.y4m", 0));
  request.features = {{"psnr"}};
  request.pairing.mode = AlignmentRequest::Mode::kIndex;
  request.frame_limit = 2;
  request.device = choice;
  const std::shared_ptr<DeviceCache> devices = ShareDevices();
  for (int run = 0; run < 2; ++run) {
    ASSERT_FALSE(RunScore(request).error);
    EXPECT_EQ(devices->Peek(choice).size(), 1u);
  }
}

}  // namespace
}  // namespace acutance
