#include "signature/frame_signature.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace acutance {
namespace {

TEST(FrameSignature, GoesThroughWordsUnchanged) {
  std::mt19937 random(3);
  FrameSignature signature;
  for (uint16_t& cell : signature.cells) cell = static_cast<uint16_t>(random());
  for (int8_t& detail : signature.details) detail = static_cast<int8_t>(random());
  signature.cells[0] = 0xffff;
  signature.details[0] = -127, signature.details[1] = 127, signature.details[2] = -1;
  std::vector<int64_t> words(kSignatureWords);
  ToWords(signature, words);
  EXPECT_EQ(SignatureOf(words), signature);
}

}  // namespace
}  // namespace acutance
