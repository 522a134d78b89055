#include "convert/chroma_scaler.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "convert/scale_rows.h"

namespace acutance {
namespace {

bool IsHalvedAcross(PixelFormat format) { return format == PixelFormat::k420 || format == PixelFormat::k422; }
bool IsHalvedDown(PixelFormat format) { return format == PixelFormat::k420; }

/// A side of chroma before and after.
struct Side {
  int from, to;  // samples
  bool was_halved, is_halved;
  double from_siting, to_siting;
};

/// ScaleAxis places result i at (i + siting + 1/2) * step - 1/2 - siting: with s for where halved samples lie, those of
/// full chroma are at (i - s) / 2 between halved ones, and halved ones at 2 i + s.
ScaleTaps MakeAxis(ScaleFilter filter, const Side& side) {
  ScaleAxis axis{.from = side.from, .to = side.to};
  if (side.was_halved && !side.is_halved) axis.step = 0.5, axis.siting = side.from_siting - 0.5;
  if (!side.was_halved && side.is_halved) axis.step = 2, axis.siting = side.to_siting - 0.5;
  return MakeScaleTaps(filter, axis);
}

/// Fills a plane with gray.
template <class Sample>
void Fill(const MutablePicture& picture, int p) {
  for (int y = 0; y < picture.format.PlaneHeight(p); ++y)
    std::fill_n(picture.Row<Sample>(p, y), picture.format.PlaneWidth(p),
                static_cast<Sample>(1 << (picture.format.bit_depth - 1)));
}

}  // namespace

ChromaScaler::ChromaScaler(const PictureFormat& from, const ChromaChange& change) : from_(from), to_(from) {
  to_.pixel_format = change.to;
  if (from_.PlaneCount() == 1 || to_.PlaneCount() == 1) return;
  across_ = MakeAxis(change.filter, {.from = from_.PlaneWidth(1),
                                     .to = to_.PlaneWidth(1),
                                     .was_halved = IsHalvedAcross(from_.pixel_format),
                                     .is_halved = IsHalvedAcross(to_.pixel_format),
                                     .from_siting = change.siting.horizontal,
                                     .to_siting = change.to_siting.horizontal});
  down_ = MakeAxis(change.filter, {.from = from_.PlaneHeight(1),
                                   .to = to_.PlaneHeight(1),
                                   .was_halved = IsHalvedDown(from_.pixel_format),
                                   .is_halved = IsHalvedDown(to_.pixel_format),
                                   .from_siting = change.siting.vertical,
                                   .to_siting = change.to_siting.vertical});
  across_near_ = CompactTaps(across_, to_.PlaneWidth(1));
}

Result<ChromaScaler> ChromaScaler::Make(const PictureFormat& from, const ChromaChange& change) {
  PictureFormat to = from;
  to.pixel_format = change.to;
  for (const PictureFormat& format : {from, to})
    if (format.PlaneCount() > 1 && (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0))
      return Error(StatusCode::kUnsupported, "pictures of {}x{} have no chroma", format.width, format.height);
  return ChromaScaler(from, change);
}

Result<Picture> ChromaScaler::Scale(const Picture& source, PicturePool& pool, bool luma_only) const {
  Picture out = source;
  out.format = to_;
  out.planes[1] = out.planes[2] = {};
  if (luma_only || to_.PlaneCount() == 1) return out;
  ACU_ASSIGN_OR_RETURN(const MutablePicture made, pool.Allocate(to_));
  const Picture shared = made.Share();
  for (int p = 1; p <= 2; ++p) {
    if (!adds() && !source.planes[p].data) continue;
    out.planes[p] = shared.planes[p];
    if (adds()) to_.bit_depth == 8 ? Fill<uint8_t>(made, p) : Fill<uint16_t>(made, p);
    else
      ScalePlane({.from = source.planes[p],
                  .to = made.data[p],
                  .to_stride = made.stride[p],
                  .to_width = to_.PlaneWidth(p),
                  .to_height = to_.PlaneHeight(p),
                  .bit_depth = to_.bit_depth,
                  .across = &across_,
                  .across_near = &across_near_,
                  .down = &down_});
  }
  using Memory = std::shared_ptr<const void>;
  out.memory = std::make_shared<std::pair<Memory, Memory>>(source.memory, made.memory);
  return out;
}

}  // namespace acutance
