#include "scale/color_changer.h"

#include <algorithm>

#include "scale/color_math.kernel.h"

namespace acutance {
namespace {

/// One plane of a result, of all planes of its source.
struct Sum {
  const std::array<int64_t, 3>& weights;
  int64_t bias;
  int bits;
  uint32_t top;
};

template <class Sample>
void AddPlanes(const Picture& source, const Sum& sum, std::byte* to, ptrdiff_t stride) {
  const auto& [first, second, third] = sum.weights;
  for (int y = 0; y < source.format.height; ++y) {
    const Sample *a = source.planes[0].Row<Sample>(y), *b = source.planes[1].Row<Sample>(y),
                 *c = source.planes[2].Row<Sample>(y);
    auto* out = reinterpret_cast<Sample*>(to + y * stride);
    for (int x = 0; x < source.format.width; ++x)
      out[x] = static_cast<Sample>(color_result(color_term(first, a[x], sum.top) + color_term(second, b[x], sum.top) +
                                                    color_term(third, c[x], sum.top) + sum.bias,
                                                sum.bits, sum.top));
  }
}

template <class Sample>
void MapPlane(const Plane& from, const std::vector<uint16_t>& table, std::byte* to, ptrdiff_t stride) {
  for (int y = 0; y < from.height; ++y) {
    const Sample* in = from.Row<Sample>(y);
    auto* out = reinterpret_cast<Sample*>(to + y * stride);
    for (int x = 0; x < from.width; ++x) out[x] = static_cast<Sample>(table[std::min<size_t>(in[x], table.size() - 1)]);
  }
}

}  // namespace

ColorChanger::ColorChanger(const PictureFormat& format, const ColorWeights& weights)
    : format_(format), weights_(weights) {
  const uint32_t top = (uint32_t{1} << format.bit_depth) - 1;
  for (int p = 0; p < format.PlaneCount(); ++p)
    if (SourcesOf(p) == std::vector{p})
      for (uint32_t value = 0; value <= top; ++value)
        tables_[p].push_back(static_cast<uint16_t>(
            color_result(color_term(weights.weights[p][p], value, top) + weights.bias[p], weights.bits, top)));
}

std::vector<int> ColorChanger::SourcesOf(int plane) const {
  std::vector<int> sources;
  for (int p = 0; p < format_.PlaneCount(); ++p)
    if (weights_.weights[plane][p] != 0) sources.push_back(p);
  return sources;
}

void ColorChanger::MakePlane(const Picture& source, const MutablePicture& to, int plane) const {
  const bool is_small = format_.bit_depth == 8;
  std::byte* const out = to.data[plane];
  const ptrdiff_t stride = to.stride[plane];
  if (const std::vector<uint16_t>& table = tables_[plane]; !table.empty())
    return (is_small ? MapPlane<uint8_t> : MapPlane<uint16_t>)(source.planes[plane], table, out, stride);
  const Sum sum = {weights_.weights[plane], weights_.bias[plane], weights_.bits,
                   (uint32_t{1} << format_.bit_depth) - 1};
  (is_small ? AddPlanes<uint8_t> : AddPlanes<uint16_t>)(source, sum, out, stride);
}

Result<Picture> ColorChanger::Change(const Picture& source, PicturePool& pool, bool luma_only) const {
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
