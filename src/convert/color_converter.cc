#include "convert/color_converter.h"

#include <algorithm>

#include "convert/color_math.kernel.h"

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

uint32_t LargestOf(int bit_depth) { return (uint32_t{1} << bit_depth) - 1; }

PlaneValues ValuesOf(const SampleRange& range) {
  const int64_t unit = int64_t{1} << (range.bit_depth - 8), top = LargestOf(range.bit_depth), middle = 128 * unit;
  if (range.is_full) return {.luma = {0, top}, .chroma = {middle, top}};
  return {.luma = {16 * unit, 219 * unit}, .chroma = {middle, 224 * unit}};
}

/// The computation of one plane of a result from all planes of its source.
struct Sum {
  const std::array<int64_t, 3>& weights;
  int64_t bias;
  int bits;
  uint32_t from_top, to_top;
};

template <class From, class To>
void AddPlanes(const Picture& source, const Sum& sum, std::byte* to, ptrdiff_t stride) {
  const auto& [first, second, third] = sum.weights;
  const uint32_t top = sum.from_top;
  for (int y = 0; y < source.format.height; ++y) {
    const From *a = source.planes[0].Row<From>(y), *b = source.planes[1].Row<From>(y),
               *c = source.planes[2].Row<From>(y);
    auto* out = reinterpret_cast<To*>(to + y * stride);
    for (int x = 0; x < source.format.width; ++x)
      out[x] = static_cast<To>(color_result(
          color_term(first, a[x], top) + color_term(second, b[x], top) + color_term(third, c[x], top) + sum.bias,
          sum.bits, sum.to_top));
  }
}

template <class From, class To>
void MapPlane(const Plane& from, const std::vector<uint16_t>& table, std::byte* to, ptrdiff_t stride) {
  for (int y = 0; y < from.height; ++y) {
    const From* in = from.Row<From>(y);
    auto* out = reinterpret_cast<To*>(to + y * stride);
    for (int x = 0; x < from.width; ++x) out[x] = static_cast<To>(table[std::min<size_t>(in[x], table.size() - 1)]);
  }
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

ColorConverter::ColorConverter(const PictureFormat& source, const ColorWeights& weights)
    : source_format_(source), format_(source), weights_(weights) {
  format_.bit_depth = weights.bit_depth;
  const uint32_t from_top = LargestOf(source.bit_depth), to_top = LargestOf(format_.bit_depth);
  for (int p = 0; p < format_.PlaneCount(); ++p)
    if (SourcesOf(p) == std::vector{p})
      for (uint32_t value = 0; value <= from_top; ++value)
        tables_[p].push_back(static_cast<uint16_t>(
            color_result(color_term(weights.weights[p][p], value, from_top) + weights.bias[p], weights.bits, to_top)));
}

std::vector<int> ColorConverter::SourcesOf(int plane) const {
  std::vector<int> sources;
  for (int p = 0; p < format_.PlaneCount(); ++p)
    if (weights_.weights[plane][p] != 0) sources.push_back(p);
  return sources;
}

void ColorConverter::MakePlane(const Picture& source, const MutablePicture& to, int plane) const {
  const Sum sum = {weights_.weights[plane], weights_.bias[plane], weights_.bits, LargestOf(source_format_.bit_depth),
                   LargestOf(format_.bit_depth)};
  const auto make = [&]<class From, class To>(From, To) {
    if (const std::vector<uint16_t>& table = tables_[plane]; !table.empty())
      MapPlane<From, To>(source.planes[plane], table, to.data[plane], to.stride[plane]);
    else AddPlanes<From, To>(source, sum, to.data[plane], to.stride[plane]);
  };
  const bool is_from_bytes = source_format_.bit_depth == 8, is_to_bytes = format_.bit_depth == 8;
  if (is_from_bytes && is_to_bytes) make(uint8_t(), uint8_t());
  else if (is_from_bytes) make(uint8_t(), uint16_t());
  else if (is_to_bytes) make(uint16_t(), uint8_t());
  else make(uint16_t(), uint16_t());
}

Result<Picture> ColorConverter::Convert(const Picture& source, PicturePool& pool, bool luma_only) const {
  ACU_ASSIGN_OR_RETURN(const MutablePicture made, pool.Allocate(format_));
  Picture picture = made.Share();
  for (int p = 0; p < format_.PlaneCount(); ++p) {
    const std::vector<int> sources = SourcesOf(p);
    const bool has_sources =
        std::ranges::all_of(sources, [&](int from) { return source.planes[from].data != nullptr; });
    if (!has_sources || (p > 0 && luma_only)) picture.planes[p] = {};
    else MakePlane(source, made, p);
  }
  return picture;
}

}  // namespace acutance
