#include "fingerprint/frame_fingerprint.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace acutance {
namespace {

TEST(FrameFingerprint, GoesThroughWordsUnchanged) {
  std::mt19937 random(3);
  FrameFingerprint fingerprint;
  for (uint16_t& cell : fingerprint.cells) cell = static_cast<uint16_t>(random());
  for (int8_t& detail : fingerprint.details) detail = static_cast<int8_t>(random());
  fingerprint.cells[0] = 0xffff;
  fingerprint.details[0] = -127, fingerprint.details[1] = 127, fingerprint.details[2] = -1;
  std::vector<int64_t> words(kFingerprintWords);
  ToWords(fingerprint, words);
  EXPECT_EQ(FingerprintOf(words), fingerprint);
}

}  // namespace
}  // namespace acutance
