// Each operation on one vector, against a plain loop, with each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "simd/pair_products-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane holds no pair, so metrics run their plain loops

size_t AddProducts(const int16_t*, const int16_t*, int32_t*) { return 0; }
size_t AddTaps(const int16_t*, int, int, int32_t*) { return 0; }
size_t AddWords(const uint16_t*, uint32_t*) { return 0; }
size_t AddLongs(const uint32_t*, uint64_t*) { return 0; }
size_t LoadBytes(const uint8_t*, int16_t*, int32_t*) { return 0; }
size_t LoadWords(const uint16_t*, int16_t*, int32_t*) { return 0; }

#else

using D16 = hn::CappedTag<int16_t, 32>;
using D32 = hn::RepartitionToWide<D16>;
using DU16 = hn::RebindToUnsigned<D16>;
using DU32 = hn::RebindToUnsigned<D32>;

// Each function returns how many lanes of results it has written.

size_t AddProducts(const int16_t* a, const int16_t* b, int32_t* acc) {
  const D16 d;
  const D32 d32;
  hn::StoreU(AddPairProducts(hn::LoadU(d32, acc), hn::LoadU(d, a), hn::LoadU(d, b)), d32, acc);
  return hn::Lanes(d32);
}

size_t AddTaps(const int16_t* a, int first, int second, int32_t* acc) {
  const D16 d;
  const D32 d32;
  const auto taps = TapPair(d, first, second);
  hn::StoreU(AddPairProducts(hn::LoadU(d32, acc), hn::LoadU(d, a), taps), d32, acc);
  return hn::Lanes(d32);
}

template <class D, class T, class Sum>
size_t AddPairs(const T* v, Sum* sums) {
  const hn::RepartitionToWide<D> wide;
  hn::StoreU(SumPairs(hn::LoadU(D(), v)), wide, sums);
  return hn::Lanes(wide);
}
size_t AddWords(const uint16_t* v, uint32_t* sums) { return AddPairs<DU16>(v, sums); }
size_t AddLongs(const uint32_t* v, uint64_t* sums) { return AddPairs<DU32>(v, sums); }

template <class Sample>
size_t Load(const Sample* from, int16_t* words, int32_t* integers) {
  hn::StoreU(LoadSamples(D16(), from), D16(), words);
  hn::StoreU(LoadSamples(D32(), from), D32(), integers);
  return hn::Lanes(D32());
}
size_t LoadBytes(const uint8_t* from, int16_t* words, int32_t* integers) { return Load(from, words, integers); }
size_t LoadWords(const uint16_t* from, int16_t* words, int32_t* integers) { return Load(from, words, integers); }

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "simd/mirror.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

HWY_EXPORT(AddProducts);
HWY_EXPORT(AddTaps);
HWY_EXPORT(AddWords);
HWY_EXPORT(AddLongs);
HWY_EXPORT(LoadBytes);
HWY_EXPORT(LoadWords);

constexpr size_t kMost = 32;  // lanes of any vector here

/// Numbers of all sizes, with many of the largest and smallest.
template <class T>
std::array<T, kMost> Numbers(std::mt19937_64& random) {
  std::array<T, kMost> numbers;
  for (T& x : numbers) {
    const T any = static_cast<T>(random());
    const T extremes[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0}};
    x = random() % 2 ? any : extremes[random() % 3];
  }
  return numbers;
}

int32_t Wrapped(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

int32_t PlainSum(int32_t acc, const int16_t* a, const int16_t* b) {
  return Wrapped(int64_t{acc} + int64_t{a[0]} * b[0] + int64_t{a[1]} * b[1]);
}

TEST(PairProducts, WrapLikePlainSums) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const auto a = Numbers<int16_t>(random), b = Numbers<int16_t>(random);
    const auto start = Numbers<int32_t>(random);
    ForEachTarget([&] {
      auto acc = start;
      const size_t lanes = HWY_DYNAMIC_DISPATCH(AddProducts)(a.data(), b.data(), acc.data());
      for (size_t i = 0; i < lanes; ++i) ASSERT_EQ(acc[i], PlainSum(start[i], &a[2 * i], &b[2 * i])) << "lane " << i;
    });
  }
}

TEST(PairProducts, TapsKeepTheirSignsAndOrder) {
  std::mt19937_64 random(2);
  const std::array<int16_t, 2> taps[] = {{3, -5}, {-32768, 32767}, {-1, 0}, {0, -1}};
  for (const auto& [first, second] : taps) {
    const auto a = Numbers<int16_t>(random);
    const auto start = Numbers<int32_t>(random);
    const int16_t pair[] = {first, second};
    ForEachTarget([&, first = first, second = second] {
      auto acc = start;
      const size_t lanes = HWY_DYNAMIC_DISPATCH(AddTaps)(a.data(), first, second, acc.data());
      for (size_t i = 0; i < lanes; ++i) ASSERT_EQ(acc[i], PlainSum(start[i], &a[2 * i], pair)) << "lane " << i;
    });
  }
}

TEST(SumPairs, HoldsTheLargestSums) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const auto words = Numbers<uint16_t>(random);
    const auto longs = Numbers<uint32_t>(random);
    ForEachTarget([&] {
      std::array<uint32_t, kMost> word_sums;
      std::array<uint64_t, kMost> long_sums;
      const size_t word_lanes = HWY_DYNAMIC_DISPATCH(AddWords)(words.data(), word_sums.data());
      for (size_t i = 0; i < word_lanes; ++i) ASSERT_EQ(word_sums[i], uint32_t{words[2 * i]} + words[2 * i + 1]);
      const size_t long_lanes = HWY_DYNAMIC_DISPATCH(AddLongs)(longs.data(), long_sums.data());
      for (size_t i = 0; i < long_lanes; ++i) ASSERT_EQ(long_sums[i], uint64_t{longs[2 * i]} + longs[2 * i + 1]);
    });
  }
}

TEST(LoadSamples, KeepTheirValue) {
  std::mt19937_64 random(4);
  const auto bytes = Numbers<uint8_t>(random);
  const auto words = Numbers<uint16_t>(random);
  ForEachTarget([&] {
    std::array<int16_t, kMost> narrow;
    std::array<int32_t, kMost> wide;
    size_t lanes = HWY_DYNAMIC_DISPATCH(LoadBytes)(bytes.data(), narrow.data(), wide.data());
    for (size_t i = 0; i < lanes; ++i) ASSERT_EQ(wide[i], bytes[i]);
    for (size_t i = 0; i < 2 * lanes; ++i) ASSERT_EQ(narrow[i], bytes[i]);
    lanes = HWY_DYNAMIC_DISPATCH(LoadWords)(words.data(), narrow.data(), wide.data());
    for (size_t i = 0; i < lanes; ++i) ASSERT_EQ(wide[i], words[i]);
    for (size_t i = 0; i < 2 * lanes; ++i) ASSERT_EQ(narrow[i], static_cast<int16_t>(words[i]));
  });
}

TEST(Mirror, LeavesOutTheEdgeItself) {
  std::vector<int> row = {0, 0, 1, 2, 3, 0, 0};
  MirrorBefore(&row[2], 2);
  MirrorAfter(&row[4], 2);
  EXPECT_EQ(row, std::vector<int>({3, 2, 1, 2, 3, 2, 1}));
}

}  // namespace
}  // namespace acutance
#endif  // HWY_ONCE
