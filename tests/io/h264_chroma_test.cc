// Parameter sets as x264 writes them, and what they become when cut off or overwritten.
#include "io/ffmpeg/h264_chroma.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "tests/io/h264_sets.h"

namespace acutance {
namespace {

const Bytes kGraySps = {0x67, 0x64, 0x00, 0x0a, 0xf3, 0x65, 0x11, 0xec, 0x05, 0xb2, 0x00, 0x00,
                        0x03, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x64, 0x1e, 0x24, 0x4b, 0x2c};
const Bytes kPps = {0x68, 0xeb, 0xe3, 0xcb, 0x22, 0xc0};

void Append(Bytes* to, const Bytes& bytes) { to->insert(to->end(), bytes.begin(), bytes.end()); }

Bytes Avcc(const std::vector<Bytes>& sets) {
  Bytes record = {1, sets[0][1], sets[0][2], sets[0][3], 0xff, static_cast<uint8_t>(0xe0 | sets.size())};
  for (const Bytes& sps : sets) {
    Append(&record, {0, static_cast<uint8_t>(sps.size())});
    Append(&record, sps);
  }
  Append(&record, {1, 0, static_cast<uint8_t>(kPps.size())});
  Append(&record, kPps);
  return record;
}

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

/// HasChroma of a copy that fills its allocation, so that sanitizers see reads behind its end.
bool HasChroma(const Bytes& bytes, size_t size) {
  const std::unique_ptr<uint8_t[]> exact(new uint8_t[size]);
  std::copy_n(bytes.begin(), size, exact.get());
  return H264HasChroma({exact.get(), size});
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
    for (size_t size = 0; size <= bytes.size(); ++size) EXPECT_EQ(HasChroma(bytes, size), size >= needed) << size;
  }
}

TEST(H264HasChroma, SurvivesAnyBytes) {
  std::mt19937 random(7);
  int with = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = round % 2 ? Avcc({kHigh420Sps, k444Sps}) : AnnexB({kHigh420Sps, k444Sps});
    for (unsigned edits = 1 + random() % 8; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    with += HasChroma(bytes, random() % (bytes.size() + 1));
  }
  EXPECT_GT(with, 1000);
  EXPECT_LT(with, 19000);
}

}  // namespace
}  // namespace acutance
