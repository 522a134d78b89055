#include "convert/color_converter.h"

#include <algorithm>

#include "convert/color_math.kernel.h"

namespace acutance {
namespace {

/// One plane of a result, of all planes of its source.
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

uint32_t LargestOf(const PictureFormat& format) { return (uint32_t{1} << format.bit_depth) - 1; }

}  // namespace

ColorConverter::ColorConverter(const PictureFormat& source, const ColorWeights& weights)
    : source_format_(source), format_(source), weights_(weights) {
  format_.bit_depth = weights.bit_depth;
  const uint32_t from_top = LargestOf(source), to_top = LargestOf(format_);
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
  const Sum sum = {weights_.weights[plane], weights_.bias[plane], weights_.bits, LargestOf(source_format_),
                   LargestOf(format_)};
  const auto make = [&]<class From, class To>(From, To) {
    if (const std::vector<uint16_t>& table = tables_[plane]; !table.empty())
      MapPlane<From, To>(source.planes[plane], table, to.data[plane], to.stride[plane]);
    else AddPlanes<From, To>(source, sum, to.data[plane], to.stride[plane]);
  };
  if (format_.bit_depth == 8) make(uint8_t(), uint8_t());
  else if (source_format_.bit_depth == 8) make(uint8_t(), uint16_t());
  else make(uint16_t(), uint16_t());
}

Result<Picture> ColorConverter::Change(const Picture& source, PicturePool& pool, bool luma_only) const {
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
