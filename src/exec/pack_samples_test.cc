#include "exec/pack_samples.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstring>
#include <random>
#include <vector>

#include "exec/pack_trial.h"

namespace acutance {
namespace {

/// Sample `i` of packed ones, bit by bit.
int Unpacked(const std::vector<std::byte>& packed, int i, int bit_depth) {
  int value = 0;
  for (int b = 0; b < bit_depth; ++b) {
    const int bit = i * bit_depth + b;
    value |= (static_cast<int>(packed[bit / 8]) >> bit % 8 & 1) << b;
  }
  return value;
}

/// The samples' bytes, at an odd address or an even one.
class Bytes {
 public:
  Bytes(const std::vector<uint16_t>& row, bool is_odd) : all_(row.size() * sizeof(uint16_t) + 1), at_(is_odd ? 1 : 0) {
    std::memcpy(all_.data() + at_, row.data(), row.size() * sizeof(uint16_t));
  }
  const std::byte* data() const { return all_.data() + at_; }

 private:
  std::vector<std::byte> all_;
  const size_t at_;
};

class PackSamplesTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { Choose(GetParam()); }
  void TearDown() override { Choose(0); }

 private:
  static void Choose(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST_P(PackSamplesTest, KeepsEverySampleAndNothingBehindTheRow) {
  constexpr std::byte kUntouched{0x5a};
  std::mt19937 random(1);
  for (const int bit_depth : {10, 12})
    for (int samples = 1; samples < 70; ++samples) {
      std::vector<uint16_t> row(samples);
      for (uint16_t& sample : row) sample = static_cast<uint16_t>(random() % (1u << bit_depth));
      row[random() % samples] = static_cast<uint16_t>((1 << bit_depth) - 1);
      std::vector<std::byte> packed(PackedRowBytes(samples, bit_depth) + 32, kUntouched);
      EXPECT_TRUE(PackSamples(Bytes(row, samples % 3 == 0).data(), samples, bit_depth, packed.data()));
      for (int i = 0; i < samples; ++i) ASSERT_EQ(Unpacked(packed, i, bit_depth), row[i]) << i << " of " << samples;
      for (size_t i = PackedRowBytes(samples, bit_depth); i < packed.size(); ++i) ASSERT_EQ(packed[i], kUntouched);
    }
}

TEST_P(PackSamplesTest, FindsSamplesBeyondTheirDepth) {
  for (const int bit_depth : {10, 12})
    for (int place = 0; place < 41; ++place) {
      std::vector<uint16_t> row(41, 3);
      row[place] = static_cast<uint16_t>(1 << (bit_depth + place % (16 - bit_depth)));
      std::vector<std::byte> packed(PackedRowBytes(41, bit_depth));
      EXPECT_FALSE(PackSamples(Bytes(row, place % 3 == 0).data(), 41, bit_depth, packed.data())) << place;
    }
}

TEST(PackTrial, TheQuickerWayStays) {
  for (const bool packing_is_quick : {false, true}) {
    PackTrial trial;
    int packed = 0;
    for (int i = 0; i < 16; ++i) {
      const bool packs = trial.PacksNext();
      packed += packs;
      trial.Report(packs, packs == packing_is_quick ? 1.0 : 2.0);
    }
    EXPECT_EQ(packed, 8) << "both ways are tried";
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(trial.PacksNext(), packing_is_quick);
      trial.Report(packing_is_quick, 9.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PackSamplesTest, ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& target) { return hwy::TargetName(target.param); });

}  // namespace
}  // namespace acutance
