#include "convert/scaler.h"

#include <algorithm>

#include "convert/aom_taps.h"
#include "convert/scale_rows.h"

namespace acutance {
namespace {

constexpr int kMostRatio = 64;

/// A side of luma, or of chroma.
struct PlaneSide {
  int luma_from, luma_to;
  int from, to;         // samples
  bool chroma_is_half;  // of luma, in pictures of this format
  bool is_half;         // this is such chroma
  double siting;
};

ScaleTaps MakePlaneAxis(ScaleFilter filter, const PlaneSide& side) {
  return MakeScaleTaps(filter, {.from = side.from,
                                .to = side.to,
                                .step = static_cast<double>(side.luma_from) / side.luma_to,
                                .subsample = side.is_half ? 2 : 1,
                                .siting = side.is_half ? side.siting : 0});
}

/// AVM's tool takes chroma to lie on luma's columns and between its rows, even if the video declares another place.
ScaleTaps MakeAomAxis(const PlaneSide& side, bool is_across) {
  return MakeAomTaps(FindAomRatio(side.luma_from, side.luma_to, side.chroma_is_half), side.from, side.to,
                     is_across && side.is_half);
}

/// AVM's tool passes over an axis that stays. Above 14 bits it is undefined, and rows keep less than whole samples.
ScaleRounding RoundingOf(ScaleFilter filter, const PictureFormat& from, const PictureFormat& to) {
  if (filter != ScaleFilter::kAom) return ScaleRounding::kUp;
  return from.height == to.height && from.bit_depth <= ScaleTaps::kBits ? ScaleRounding::kWholeSamples
                                                                        : ScaleRounding::kAwayFromZero;
}

}  // namespace

Scaler::Scaler(const PictureFormat& from, const PictureFormat& to, const ScaleOptions& options) : from_(from), to_(to) {
  const bool half_width = from.pixel_format != PixelFormat::k444 && from.pixel_format != PixelFormat::k400;
  const bool half_height = from.pixel_format == PixelFormat::k420;
  const auto axes = [&](int plane) {
    const PlaneSide across = {from.width,
                              to.width,
                              from.PlaneWidth(plane),
                              to.PlaneWidth(plane),
                              half_width,
                              plane > 0 && half_width,
                              options.siting.horizontal};
    const PlaneSide down = {from.height,
                            to.height,
                            from.PlaneHeight(plane),
                            to.PlaneHeight(plane),
                            half_height,
                            plane > 0 && half_height,
                            options.siting.vertical};
    const bool is_aom = options.filter == ScaleFilter::kAom;
    Axes made{.across = is_aom ? MakeAomAxis(across, true) : MakePlaneAxis(options.filter, across),
              .down = is_aom ? MakeAomAxis(down, false) : MakePlaneAxis(options.filter, down),
              .across_near = {}};
    made.across.rounding = RoundingOf(options.filter, from, to);
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
