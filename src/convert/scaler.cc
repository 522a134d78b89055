#include "convert/scaler.h"

#include <algorithm>

#include "convert/scale_rows.h"

namespace acutance {
namespace {

constexpr int kMostRatio = 64;

/// A side of luma, or of chroma with half as many samples.
ScaleTaps MakeAxis(ScaleFilter filter, int luma_from, int luma_to, int from, int to, bool is_halved, double siting) {
  return MakeScaleTaps(filter, {.from = from,
                                .to = to,
                                .step = static_cast<double>(luma_from) / luma_to,
                                .subsample = is_halved ? 2 : 1,
                                .siting = is_halved ? siting : 0});
}

}  // namespace

Scaler::Scaler(const PictureFormat& from, const PictureFormat& to, const ScaleOptions& options) : from_(from), to_(to) {
  const auto axes = [&](int plane) {
    const bool halves_width = plane > 0 && from.pixel_format != PixelFormat::k444;
    const bool halves_height = plane > 0 && from.pixel_format == PixelFormat::k420;
    Axes made{.across = MakeAxis(options.filter, from.width, to.width, from.PlaneWidth(plane), to.PlaneWidth(plane),
                                 halves_width, options.siting.horizontal),
              .down = MakeAxis(options.filter, from.height, to.height, from.PlaneHeight(plane), to.PlaneHeight(plane),
                               halves_height, options.siting.vertical),
              .across_near = {}};
    made.across_near = CompactTaps(made.across, to.PlaneWidth(plane));
    return made;
  };
  luma_ = axes(0);
  if (from.PlaneCount() > 1) chroma_ = axes(1);
}

Result<Scaler> Scaler::Make(const PictureFormat& from, const PictureFormat& to, const ScaleOptions& options) {
  PictureFormat resized = from;
  resized.width = to.width;
  resized.height = to.height;
  if (resized != to) return Error(StatusCode::kInvalidArgument, "a scaler changes only the size of pictures");
  const auto is_far = [](int a, int b) { return std::max(a, b) > int64_t{kMostRatio} * std::min(a, b); };
  if (is_far(from.width, to.width) || is_far(from.height, to.height))
    return Error(StatusCode::kInvalidArgument, "{}x{} is more than {} times as large or small as {}x{}", from.width,
                 from.height, kMostRatio, to.width, to.height);
  for (int p = 0; p < from.PlaneCount(); ++p)
    if (from.PlaneWidth(p) == 0 || from.PlaneHeight(p) == 0 || to.PlaneWidth(p) == 0 || to.PlaneHeight(p) == 0)
      return Error(StatusCode::kInvalidArgument, "pictures of {}x{} and {}x{}: one of them has no chroma", from.width,
                   from.height, to.width, to.height);
  return Scaler(from, to, options);
}

template <void (*kScale)(const ScaleJob&)>
void Scaler::Run(const Picture& from, const MutablePicture& to) const {
  for (int p = 0; p < to.format.PlaneCount(); ++p)
    if (from.planes[p].data)
      kScale({.from = from.planes[p],
              .to = to.data[p],
              .to_stride = to.stride[p],
              .to_width = to.format.PlaneWidth(p),
              .to_height = to.format.PlaneHeight(p),
              .bit_depth = to.format.bit_depth,
              .across = &AxesOf(p).across,
              .across_near = &AxesOf(p).across_near,
              .down = &AxesOf(p).down});
}

void Scaler::Scale(const Picture& from, const MutablePicture& to) const { Run<ScalePlane>(from, to); }
void Scaler::ScaleRef(const Picture& from, const MutablePicture& to) const { Run<ScalePlaneRef>(from, to); }

}  // namespace acutance
