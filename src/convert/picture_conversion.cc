#include "convert/picture_conversion.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "image/expand_plane.h"

namespace acutance {
namespace {

/// The picture, with planes where the source has some.
Picture ShareAs(const Picture& source, const MutablePicture& made) {
  Picture picture = made.Share();
  for (int p = 0; p < made.format.PlaneCount(); ++p)
    if (!source.planes[p].data) picture.planes[p] = {};
  return picture;
}

bool IsAligned(const Picture& picture) {
  const auto is_aligned = [&](const Plane& plane) {
    return reinterpret_cast<uintptr_t>(plane.data) % picture.format.BytesPerSample() == 0;
  };
  return std::ranges::all_of(picture.planes, is_aligned);
}

/// A copy with aligned samples, including further columns and rows.
Result<Picture> AlignedCopy(const Picture& source, PicturePool& pool) {
  PictureFormat room = source.format;
  room.width += source.planes[1].more_columns;
  room.height += source.planes[1].more_rows;
  ACU_ASSIGN_OR_RETURN(const MutablePicture copy, pool.Allocate(room));
  Picture picture = source;
  picture.memory = copy.memory;
  for (int p = 0; p < room.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    if (!plane.data) continue;
    const Plane from = plane.Whole();
    plane.data = copy.data[p];
    plane.stride = copy.stride[p];
    const size_t row_bytes = static_cast<size_t>(from.width) * room.BytesPerSample();
    for (int y = 0; y < from.height; ++y) std::memcpy(copy.Row<std::byte>(p, y), from.Row<std::byte>(y), row_bytes);
  }
  return picture;
}

}  // namespace

template <class Part>
std::shared_ptr<const PictureConversion> PictureConversion::With(Part part, Part PictureConversion::*member) const {
  if (part->source_format() != format_) return nullptr;
  auto next = std::make_shared<PictureConversion>(*this);
  next->format_ = part->format();
  next.get()->*member = std::move(part);
  return next;
}

std::shared_ptr<const PictureConversion> PictureConversion::WithColor(
    std::shared_ptr<const ColorConverter> color) const {
  return is_identity() ? With(std::move(color), &PictureConversion::color_) : nullptr;
}

std::shared_ptr<const PictureConversion> PictureConversion::WithSize(std::shared_ptr<const Scaler> scaler) const {
  const bool has_later = scaler_ || chroma_ || expands_depth();
  return has_later ? nullptr : With(std::move(scaler), &PictureConversion::scaler_);
}

std::shared_ptr<const PictureConversion> PictureConversion::WithChroma(
    std::shared_ptr<const ChromaScaler> chroma) const {
  return chroma_ || expands_depth() ? nullptr : With(std::move(chroma), &PictureConversion::chroma_);
}

std::shared_ptr<const PictureConversion> PictureConversion::WithBitDepth(int bit_depth) const {
  auto next = std::make_shared<PictureConversion>(*this);
  next->format_.bit_depth = bit_depth;
  return next;
}

std::vector<int> PictureConversion::SourcesOf(int plane) const {
  return color_ ? color_->SourcesOf(plane) : std::vector{plane};
}

std::vector<PictureConversion::Step> PictureConversion::Steps(int plane) const {
  std::vector<Step> steps;
  if (scaler_)
    steps.push_back({&scaler_->across(plane), &scaler_->down(plane), &scaler_->source_format(), &scaler_->format()});
  if (chroma_ && plane > 0)
    steps.push_back({&chroma_->across(), &chroma_->down(), &chroma_->source_format(), &chroma_->format()});
  return steps;
}

bool PictureConversion::PassesThrough(int plane) const {
  return !color_ && !scaler_ && !(chroma_ && plane > 0) && !expands_depth();
}

Result<Picture> PictureConversion::Apply(const Picture& source, bool luma_only) const {
  Picture picture = source;
  if (!IsAligned(source)) {
    ACU_ASSIGN_OR_RETURN(picture, AlignedCopy(source, pool_));
  }
  if (color_) {
    ACU_ASSIGN_OR_RETURN(picture, color_->Convert(picture, pool_, luma_only));
  }
  if (scaler_) {
    ACU_ASSIGN_OR_RETURN(const MutablePicture scaled, pool_.Allocate(scaler_->format()));
    scaler_->Scale(picture, scaled);
    picture = ShareAs(picture, scaled);
  }
  if (chroma_) {
    ACU_ASSIGN_OR_RETURN(picture, chroma_->Scale(picture, pool_, luma_only));
  }
  if (format_ == picture.format) return picture;
  ACU_ASSIGN_OR_RETURN(const MutablePicture deeper, pool_.Allocate(format_));
  for (int p = 0; p < format_.PlaneCount(); ++p)
    if (picture.planes[p].data)
      ExpandPlane(picture.planes[p], picture.format.bit_depth, format_.bit_depth, deeper.data[p], deeper.stride[p]);
  return ShareAs(picture, deeper);
}

}  // namespace acutance
