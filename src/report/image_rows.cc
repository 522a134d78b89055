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

/// Products and sums are rounded one by one, so that every instruction set makes the same bytes.
void StoreRgbPixels(const uint32_t* y, const uint32_t* u, const uint32_t* v, float share, const ColorFactors& factors,
                    uint8_t* rgb) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<uint8_t, decltype(df)> d8;
  const auto sample = [&](const uint32_t* sums) {
    const auto sum = hn::ConvertTo(df, hn::LoadU(di, reinterpret_cast<const int32_t*>(sums)));
    return hn::Mul(sum, hn::Set(df, share));
  };
  const auto times = [&](float factor, auto value) { return hn::Mul(hn::Set(df, factor), value); };
  const auto byte = [&](auto value) { return hn::DemoteTo(d8, hn::ConvertTo(di, hn::Add(value, hn::Set(df, 0.5f)))); };
  const auto luma = hn::Mul(hn::Sub(sample(y), hn::Set(df, factors.black)), hn::Set(df, factors.luma));
  const auto cb = hn::Sub(sample(u), hn::Set(df, 128.0f)), cr = hn::Sub(sample(v), hn::Set(df, 128.0f));
  const auto green = hn::Sub(hn::Sub(luma, times(factors.green_u, cb)), times(factors.green_v, cr));
  hn::StoreInterleaved3(byte(hn::Add(luma, times(factors.red_v, cr))), byte(green),
                        byte(hn::Add(luma, times(factors.blue_u, cb))), d8, rgb);
}

void StoreRgb(const std::array<const uint32_t*, 3>& sums, size_t count, float share, const ColorFactors& factors,
              uint8_t* rgb) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  size_t x = 0;
  for (; x + lanes <= count; x += lanes)
    StoreRgbPixels(sums[0] + x, sums[1] + x, sums[2] + x, share, factors, rgb + 3 * x);
  if (x == count) return;
  constexpr size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
  uint32_t rest[3][kMostLanes] = {};
  uint8_t last[3 * kMostLanes];
  for (int p = 0; p < 3; ++p) std::copy(sums[p] + x, sums[p] + count, rest[p]);
  StoreRgbPixels(rest[0], rest[1], rest[2], share, factors, last);
  std::memcpy(rgb + 3 * x, last, 3 * (count - x));
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
HWY_EXPORT(Repeats);
HWY_EXPORT(AddUpTo255);

void StoreRgbRow(const std::array<const uint32_t*, 3>& sums, size_t count, float share, const ColorFactors& factors,
                 uint8_t* rgb) {
  HWY_DYNAMIC_DISPATCH(StoreRgb)(sums, count, share, factors, rgb);
}

void FindRepeats(std::string_view bytes, uint64_t* bits) {
  HWY_DYNAMIC_DISPATCH(Repeats)(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), bits);
}

void AddBytes(const uint8_t* bytes, const uint8_t* more, size_t count, uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(AddUpTo255)(bytes, more, count, to);
}

}  // namespace acutance
#endif
