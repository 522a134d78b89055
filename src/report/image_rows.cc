#include "report/image_rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "report/image_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
using DI = hn::RebindToSigned<DF>;
using D8 = hn::Rebind<uint8_t, DF>;
constexpr size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE VF FloatsOf(const uint8_t* bytes) {
  return hn::ConvertTo(DF(), hn::PromoteTo(DI(), hn::LoadU(D8(), bytes)));
}

HWY_INLINE VF Times(float factor, VF value) { return hn::Mul(hn::Set(DF(), factor), value); }

/// Products and sums are rounded one by one, so that every instruction set makes the same bytes.
HWY_INLINE void StoreRgbPixels(VF y, VF u, VF v, const ColorFactors& factors, uint8_t* rgb) {
  const DF df;
  const auto byte = [&](VF value)
                        HWY_ATTR { return hn::DemoteTo(D8(), hn::ConvertTo(DI(), hn::Add(value, hn::Set(df, 0.5f)))); };
  const VF luma = Times(factors.luma, hn::Sub(y, hn::Set(df, factors.black)));
  const VF cb = hn::Sub(u, hn::Set(df, 128.0f)), cr = hn::Sub(v, hn::Set(df, 128.0f));
  const VF green = hn::Sub(hn::Sub(luma, Times(factors.green_u, cb)), Times(factors.green_v, cr));
  hn::StoreInterleaved3(byte(hn::Add(luma, Times(factors.red_v, cr))), byte(green),
                        byte(hn::Add(luma, Times(factors.blue_u, cb))), D8(), rgb);
}

/// load(plane's values): a vector of samples.
template <class Value, class Load>
HWY_INLINE void StoreRgbWith(const std::array<const Value*, 3>& values, size_t count, const ColorFactors& factors,
                             Load load, uint8_t* rgb) {
  const size_t lanes = hn::Lanes(DF());
  size_t x = 0;
  for (; x + lanes <= count; x += lanes)
    StoreRgbPixels(load(values[0] + x), load(values[1] + x), load(values[2] + x), factors, rgb + 3 * x);
  if (x == count) return;
  Value rest[3][kMostLanes] = {};
  uint8_t last[3 * kMostLanes];
  for (int p = 0; p < 3; ++p) std::copy(values[p] + x, values[p] + count, rest[p]);
  StoreRgbPixels(load(rest[0]), load(rest[1]), load(rest[2]), factors, last);
  std::memcpy(rgb + 3 * x, last, 3 * (count - x));
}

void StoreRgb(const std::array<const uint32_t*, 3>& sums, size_t count, float share, const ColorFactors& factors,
              uint8_t* rgb) {
  const auto load = [&](const uint32_t* at) HWY_ATTR {
    return Times(share, hn::ConvertTo(DF(), hn::LoadU(DI(), reinterpret_cast<const int32_t*>(at))));
  };
  StoreRgbWith(sums, count, factors, load, rgb);
}

void StoreRgbOfSamples(const std::array<const uint8_t*, 3>& samples, size_t count, const ColorFactors& factors,
                       uint8_t* rgb) {
  StoreRgbWith(
      samples, count, factors, [](const uint8_t* at) HWY_ATTR { return FloatsOf(at); }, rgb);
}

void Twice(const uint8_t* samples, size_t count, uint8_t* to) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t x = 0;
  for (; x + 2 * lanes <= count; x += 2 * lanes) {
    const auto both = hn::LoadU(d, samples + x / 2);
    hn::StoreInterleaved2(both, both, d, to + x);
  }
  for (; x < count; ++x) to[x] = samples[x / 2];
}

/// Sums in the order in which stb_image_write has them.
HWY_INLINE void SplitPixels(const uint8_t* rgb, float* luma, float* blue, float* red) {
  const DF df;
  hn::Vec<D8> bytes[3];
  hn::LoadInterleaved3(D8(), rgb, bytes[0], bytes[1], bytes[2]);
  const auto floats = [&](hn::Vec<D8> part) HWY_ATTR { return hn::ConvertTo(df, hn::PromoteTo(DI(), part)); };
  const VF r = floats(bytes[0]), g = floats(bytes[1]), b = floats(bytes[2]);
  const auto sum = [&](float of_r, float of_g, float of_b)
                       HWY_ATTR { return hn::Add(hn::Add(Times(of_r, r), Times(of_g, g)), Times(of_b, b)); };
  hn::StoreU(hn::Sub(sum(0.29900f, 0.58700f, 0.11400f), hn::Set(df, 128.0f)), df, luma);
  hn::StoreU(sum(-0.16874f, -0.33126f, 0.50000f), df, blue);
  hn::StoreU(sum(0.50000f, -0.41869f, -0.08131f), df, red);
}

void SplitRgb(const uint8_t* rgb, size_t count, float* luma, float* blue, float* red) {
  const size_t lanes = hn::Lanes(DF());
  size_t x = 0;
  for (; x + lanes <= count; x += lanes) SplitPixels(rgb + 3 * x, luma + x, blue + x, red + x);
  if (x == count) return;
  uint8_t rest[3 * kMostLanes] = {};
  float last[3][kMostLanes];
  std::memcpy(rest, rgb + 3 * x, 3 * (count - x));
  SplitPixels(rest, last[0], last[1], last[2]);
  std::copy_n(last[0], count - x, luma + x);
  std::copy_n(last[1], count - x, blue + x);
  std::copy_n(last[2], count - x, red + x);
}

uint64_t RoundAll(const float* coefficients, const float* factors, int16_t* rounded) {
  constexpr size_t kCells = 64;
  const hn::CappedTag<float, 8> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<int16_t, decltype(d)> d16;
  for (size_t i = 0; i < kCells; i += hn::Lanes(d)) {
    const auto value = hn::Mul(hn::LoadU(d, coefficients + i), hn::LoadU(d, factors + i));
    const auto half = hn::CopySign(hn::Set(d, 0.5f), value);
    hn::StoreU(hn::DemoteTo(d16, hn::ConvertTo(di, hn::Add(value, half))), d16, rounded + i);
  }
  uint64_t bits = 0;
#if HWY_TARGET == HWY_SCALAR
  for (size_t i = 0; i < kCells; ++i) bits |= uint64_t{rounded[i] != 0} << i;
#else
  const hn::CappedTag<int16_t, 32> dc;
  for (size_t i = 0; i < kCells; i += hn::Lanes(dc)) {
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(dc, hn::Ne(hn::LoadU(dc, rounded + i), hn::Zero(dc)), bytes);
    for (size_t byte = 0; byte < hn::Lanes(dc) / 8; ++byte) bits |= uint64_t{bytes[byte]} << (i + 8 * byte);
  }
#endif
  return bits;
}

void Repeats(const uint8_t* bytes, size_t size, uint64_t* bits) {
  constexpr size_t kWord = 64;
  const hn::CappedTag<uint8_t, kWord> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t word = 0; word * kWord < size; ++word) {
    const size_t begin = word * kWord;
    uint8_t found[kWord / 8 + 8] = {};
    if (lanes >= 8 && begin > 0 && begin + kWord <= size) {
      for (size_t i = 0; i < kWord; i += lanes) {
        const uint8_t* at = bytes + begin + i;
        hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, at), hn::LoadU(d, at - 1)), found + i / 8);
      }
    } else {
      for (size_t i = begin == 0 ? 1 : begin; i < std::min(size, begin + kWord); ++i)
        found[(i - begin) / 8] = static_cast<uint8_t>(found[(i - begin) / 8] | (bytes[i] == bytes[i - 1]) << i % 8);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < kWord / 8; ++i) value |= uint64_t{found[i]} << 8 * i;
    bits[word] = value;
  }
}

void Subtract(const uint8_t* bytes, const uint8_t* less, size_t count, uint8_t* to) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Sub(hn::LoadU(d, bytes + i), hn::LoadU(d, less + i)), d, to + i);
  for (; i < count; ++i) to[i] = static_cast<uint8_t>(bytes[i] - less[i]);
}

ByteSums SumOf(const uint8_t* bytes, size_t count) {
  ByteSums sums{0, 0};
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const hn::RepartitionToWide<decltype(d)> d32;
  const size_t lanes = hn::Lanes(d);
  const auto ones = hn::Set(d, int16_t{1}), weights = hn::Sub(hn::Set(d, static_cast<int16_t>(lanes)), hn::Iota(d, 0));
  auto sum = hn::Zero(d32), odd_sum = sum, before = sum, weighted = sum, odd_weighted = sum;
  for (; i + lanes <= count; i += lanes) {
    const auto vector = hn::PromoteTo(d, hn::LoadU(d8, bytes + i));
    before = hn::Add(before, hn::Add(sum, odd_sum));  // each byte once for each vector behind its own
    sum = hn::ReorderWidenMulAccumulate(d32, vector, ones, sum, odd_sum);
    weighted = hn::ReorderWidenMulAccumulate(d32, vector, weights, weighted, odd_weighted);
  }
  const auto total = [&](auto a) HWY_ATTR { return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d32, a))); };
  sums.sum = total(hn::Add(sum, odd_sum));
  sums.weighted = static_cast<uint32_t>(lanes) * total(before) + total(hn::Add(weighted, odd_weighted)) +
                  static_cast<uint32_t>(count - i) * sums.sum;
#endif
  for (; i < count; ++i) {
    sums.sum += bytes[i];
    sums.weighted += static_cast<uint32_t>(count - i) * bytes[i];
  }
  return sums;
}

void AddUpTo255(const uint8_t* bytes, const uint8_t* more, size_t count, uint8_t* to) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::SaturatedAdd(hn::LoadU(d, bytes + i), hn::LoadU(d, more + i)), d, to + i);
  for (; i < count; ++i) to[i] = static_cast<uint8_t>(std::min(bytes[i] + more[i], 255));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(StoreRgb);
HWY_EXPORT(StoreRgbOfSamples);
HWY_EXPORT(Twice);
HWY_EXPORT(SplitRgb);
HWY_EXPORT(RoundAll);
HWY_EXPORT(Repeats);
HWY_EXPORT(Subtract);
HWY_EXPORT(SumOf);
HWY_EXPORT(AddUpTo255);

void StoreRgbRow(const std::array<const uint32_t*, 3>& sums, size_t count, float share, const ColorFactors& factors,
                 uint8_t* rgb) {
  HWY_DYNAMIC_DISPATCH(StoreRgb)(sums, count, share, factors, rgb);
}

void StoreRgbRow(const std::array<const uint8_t*, 3>& samples, size_t count, const ColorFactors& factors,
                 uint8_t* rgb) {
  HWY_DYNAMIC_DISPATCH(StoreRgbOfSamples)(samples, count, factors, rgb);
}

void RepeatSamples(const uint8_t* samples, size_t count, uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(Twice)(samples, count, to);
}

void SplitRgbRow(const uint8_t* rgb, size_t count, float* luma, float* blue, float* red) {
  HWY_DYNAMIC_DISPATCH(SplitRgb)(rgb, count, luma, blue, red);
}

uint64_t RoundCoefficients(const float* coefficients, const float* factors, int16_t* rounded) {
  return HWY_DYNAMIC_DISPATCH(RoundAll)(coefficients, factors, rounded);
}

void FindRepeats(std::string_view bytes, uint64_t* bits) {
  HWY_DYNAMIC_DISPATCH(Repeats)(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), bits);
}

void SubtractBytes(const uint8_t* bytes, const uint8_t* less, size_t count, uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(Subtract)(bytes, less, count, to);
}

ByteSums SumBytes(std::string_view bytes) {
  return HWY_DYNAMIC_DISPATCH(SumOf)(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

void AddBytes(const uint8_t* bytes, const uint8_t* more, size_t count, uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(AddUpTo255)(bytes, more, count, to);
}

}  // namespace acutance
#endif
