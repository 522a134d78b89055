#include "convert/color_weights.h"

namespace acutance {
namespace {

/// Divides whole numbers above 0.
int64_t DivideRounded(int64_t numerator, int64_t denominator) {
  return (2 * numerator + denominator) / (2 * denominator);
}

/// What a plane's values mean: `zero` is black or gray, and `span` values from there on are all.
struct Values {
  int64_t zero, span;
};

struct PlaneValues {
  Values luma, chroma;
};

int64_t LargestOf(int bit_depth) { return (int64_t{1} << bit_depth) - 1; }

PlaneValues ValuesOf(const SampleRange& range) {
  const int64_t unit = int64_t{1} << (range.bit_depth - 8), top = LargestOf(range.bit_depth), middle = 128 * unit;
  if (range.is_full) return {.luma = {0, top}, .chroma = {middle, top}};
  return {.luma = {16 * unit, 219 * unit}, .chroma = {middle, 224 * unit}};
}

}  // namespace

ColorWeights WeightsOfRgb(const LumaShares& shares, int from_depth, const SampleRange& range) {
  constexpr int kBits = 24;
  constexpr int64_t kOne = int64_t{1} << kBits, kAllShares = 10000;
  const PlaneValues to = ValuesOf(range);
  const auto weight = [&](int64_t share, int64_t of, const Values& values) {
    return DivideRounded(kOne * share * values.span, of * LargestOf(from_depth));
  };
  const auto [red, blue] = shares;
  const int64_t all = weight(1, 1, to.luma), r = weight(red, kAllShares, to.luma),
                b = weight(blue, kAllShares, to.luma);
  // Cb is (blue - luma) / (2 - 2 blue's share), and Cr the same of red.
  const int64_t half = weight(1, 2, to.chroma), cb = weight(red, 2 * (kAllShares - blue), to.chroma),
                cr = weight(blue, 2 * (kAllShares - red), to.chroma);
  const auto bias = [](const Values& values) { return values.zero * kOne + kOne / 2; };
  return {.bits = kBits,
          .bit_depth = range.bit_depth,
          .weights = {{{r, all - r - b, b}, {-cb, cb - half, half}, {half, cr - half, -cr}}},
          .bias = {bias(to.luma), bias(to.chroma), bias(to.chroma)}};
}

ColorWeights WeightsOfRange(const SampleRange& from_range, const SampleRange& to_range) {
  constexpr int kBits = 36;
  constexpr int64_t kOne = int64_t{1} << kBits;
  const PlaneValues from = ValuesOf(from_range), to = ValuesOf(to_range);
  ColorWeights made{.bits = kBits, .bit_depth = to_range.bit_depth};
  for (int p = 0; p < 3; ++p) {
    const Values& before = p == 0 ? from.luma : from.chroma;
    const Values& after = p == 0 ? to.luma : to.chroma;
    // Above the ratio, so that values in the middle of two become the one further from zero on both of its sides.
    const int64_t weight = kOne * after.span / before.span + 1;
    made.weights[p][p] = weight;
    made.bias[p] = after.zero * kOne + kOne / 2 - weight * before.zero;
  }
  return made;
}

}  // namespace acutance
