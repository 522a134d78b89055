#include "report/verify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/sha256.h"
#include "base/temp_dir.h"
#include "log/output_file.h"
#include "report/receipt.h"
#include "stats/bootstrap.h"

namespace acutance {
namespace {

TEST(Verify, SampleFindsWhatItMust) {
  const VerifyOptions options;
  EXPECT_EQ(SampleSize(100, options), 100);  // one wrong frame: 99 of 100 find it with 99 %
  for (const int64_t frames : {1, 7, 250, 1000, 5000, 100000}) {
    const int64_t sample = SampleSize(frames, options);
    EXPECT_GE(ChanceToFind(frames, sample, 0.01), 0.999) << frames;
    EXPECT_LT(ChanceToFind(frames, sample - 1, 0.01), 0.999) << frames;
  }
  // Of endlessly many frames: 0.99^n = 0.001.
  EXPECT_NEAR(static_cast<double>(SampleSize(100000000, options)), std::log(0.001) / std::log(0.99), 2);
}

// 20,000 samples of 1,000 frames, of which 10 are wrong: as often found as stated, within 4 standard errors.
TEST(Verify, ChanceIsThatOfSamples) {
  constexpr int64_t kFrames = 1000, kSample = 300, kWrong = 10;
  constexpr int kTrials = 20000;
  int found = 0;
  Random random(3);
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<size_t> order = RandomOrder(kFrames, random);
    bool is_found = false;
    for (int64_t i = 0; i < kSample; ++i) is_found |= order[static_cast<size_t>(i)] < kWrong;
    found += is_found;
  }
  const double stated = ChanceToFind(kFrames, kSample, 0.01);
  EXPECT_NEAR(static_cast<double>(found) / kTrials, stated, 4 * std::sqrt(stated * (1 - stated) / kTrials));
}

TEST(Receipt, FilesAreHashedWholeOrInPieces) {
  const test::TempDir folder;
  std::string text(300000, 'a');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 % 251);
  const std::string path = folder / "file";
  ASSERT_TRUE(WriteFile(path, text).ok());
  const std::optional<FileHash> whole = HashFile(path, 1 << 20), parts = HashFile(path, 128 << 10);
  ASSERT_TRUE(whole && parts);
  EXPECT_EQ(whole->sha256, Sha256Hex(text));
  EXPECT_EQ(whole->hashed, 300000u);
  EXPECT_EQ(parts->hashed, 128u << 10);
  text.back() ^= 1;
  ASSERT_TRUE(WriteFile(path, text).ok());
  EXPECT_NE(HashFile(path, 128 << 10)->sha256, parts->sha256);  // the last piece ends the file
  EXPECT_FALSE(HashFile(folder / "", 1));
  EXPECT_FALSE(HashFile(folder / "none", 1));
}

TEST(Receipt, SealCoversAllMembers) {
  const Result<Json> document = ParseJson(
      R"({"kind": "receipt", "version": "1", "frames": 3, "inputs": [], "models": [],
          "results": [{"frames": 3, "pairs": {"late": 0}, "scores": {"a": {"mean": 1.5, "low": null}}, "frame_scores": {"a": [1, 2, 1.5]}}]})");
  ASSERT_TRUE(document.ok());
  Json receipt = *document;
  SealReceipt(receipt);
  const std::string seal = HashReceipt(receipt);
  EXPECT_TRUE(receipt["sha256"].IsText(seal));
  EXPECT_EQ(receipt["lines"].items[0].text, "a 1.50, 3 pairs, +0, acutance 1 sha256:" + seal.substr(0, 16));
  receipt["results"].items[0]["scores"]["a"]["mean"] = 1.25;
  EXPECT_NE(HashReceipt(receipt), seal);
}

// The mean of identical videos' PSNR may be infinite, which JSON writes as null: no number that the line could quote.
TEST(Receipt, LineSaysThatAMeanIsNotFinite) {
  const Result<Json> document = ParseJson(
      R"({"version": "1", "inputs": [], "models": [], "sha256": "0123456789abcdef0",
          "results": [{"frames": 3, "pairs": {"late": 0}, "scores": {"psnr_y": {"mean": null, "low": null}}}]})");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(ReceiptLine(*document, 0), "psnr_y without a finite mean, 3 pairs, +0, acutance 1 sha256:0123456789abcdef");
}

}  // namespace
}  // namespace acutance
