#include "scale/picture_scaling.h"

#include <utility>

#include "image/raise_plane.h"

namespace acutance {
namespace {

Picture ShareAsFarAs(const Picture& source, const MutablePicture& made) {
  Picture picture = made.Share();
  for (int p = 0; p < made.format.PlaneCount(); ++p)
    if (!source.planes[p].data) picture.planes[p] = {};
  return picture;
}

}  // namespace

PictureScaling::PictureScaling(std::shared_ptr<const Scaler> scaler, int bit_depth)
    : scaler_(std::move(scaler)), format_(scaler_->format()) {
  format_.bit_depth = bit_depth;
}

std::shared_ptr<const PictureScaling> PictureScaling::Raised(int bit_depth) const {
  return std::make_shared<const PictureScaling>(scaler_, bit_depth);
}

Result<Picture> PictureScaling::Make(const Picture& source) const {
  ACU_ASSIGN_OR_RETURN(const MutablePicture scaled, pool_.Allocate(scaler_->format()));
  scaler_->Scale(source, scaled);
  if (format_ == scaler_->format()) return ShareAsFarAs(source, scaled);
  ACU_ASSIGN_OR_RETURN(const MutablePicture raised, pool_.Allocate(format_));
  const Picture from = ShareAsFarAs(source, scaled);
  for (int p = 0; p < format_.PlaneCount(); ++p)
    if (from.planes[p].data)
      RaisePlane(from.planes[p], from.format.bit_depth, format_.bit_depth, raised.data[p], raised.stride[p]);
  return ShareAsFarAs(source, raised);
}

}  // namespace acutance
