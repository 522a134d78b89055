// Tests of the chroma format that H.264 parameter sets declare, intact, truncated and overwritten.
#include "io/ffmpeg/h264_chroma.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/io/h264_sets.h"

namespace acutance {
namespace {

const Bytes kGraySps = {0x67, 0x64, 0x00, 0x0a, 0xf3, 0x65, 0x11, 0xec, 0x05, 0xb2, 0x00, 0x00,
                        0x03, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x64, 0x1e, 0x24, 0x4b, 0x2c};
Bytes AnnexB(const std::vector<Bytes>& sets) {
  Bytes stream;
  for (const Bytes& sps : sets) {
    Append(&stream, {0, 0, 0, 1});
    Append(&stream, sps);
  }
  Append(&stream, {0, 0, 1});
  Append(&stream, kPps);
  return stream;
}

TEST(H264HasChroma, ReadsBothKindsOfExtradata) {
  for (const auto& write : {Avcc, AnnexB}) {
    EXPECT_FALSE(H264HasChroma(write({kGraySps})));
    EXPECT_TRUE(H264HasChroma(write({kHigh420Sps})));
    EXPECT_TRUE(H264HasChroma(write({kBaseline420Sps})));
    EXPECT_TRUE(H264HasChroma(write({k444Sps})));
  }
}

TEST(H264HasChroma, AsksEveryParameterSet) {
  for (const auto& write : {Avcc, AnnexB}) {
    EXPECT_TRUE(H264HasChroma(write({kHigh420Sps, kBaseline420Sps})));
    EXPECT_FALSE(H264HasChroma(write({kHigh420Sps, kGraySps})));
    EXPECT_FALSE(H264HasChroma(write({kGraySps, kHigh420Sps})));
  }
}

TEST(H264HasChroma, IsFalseWhereThereIsNoParameterSet) {
  EXPECT_FALSE(H264HasChroma({}));
  EXPECT_FALSE(H264HasChroma(Bytes{1, 100, 0, 10, 0xff, 0xe0, 0}));
  EXPECT_FALSE(H264HasChroma(AnnexB({kPps})));
  EXPECT_FALSE(H264HasChroma(kHigh420Sps)) << "no start code";
}

TEST(H264HasChroma, IsFalseUntilTheChromaFormatIsThere) {
  for (const Bytes& bytes : {Avcc({kHigh420Sps}), AnnexB({kHigh420Sps})}) {
    const auto sps = std::ranges::search(bytes, kHigh420Sps);
    const size_t needed = static_cast<size_t>(sps.begin() - bytes.begin()) + 5;
    for (size_t size = 0; size <= bytes.size(); ++size)
      EXPECT_EQ(AskOfPart(H264HasChroma, bytes, size), size >= needed) << size;
  }
}

}  // namespace
}  // namespace acutance
