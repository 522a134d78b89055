#include "image/unmade_picture.h"

#include <utility>

namespace acutance {

Status UnmadePicture::Make() const {
  if (is_made_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (is_made_) return {};
  ACU_ASSIGN_OR_RETURN(made_, maker_->Make(source_));
  is_made_.store(true, std::memory_order_release);
  return {};
}

Picture MakeLater(Picture source, const PictureFormat& format, std::shared_ptr<const PictureMaker> maker) {
  Picture picture{.format = format, .planes = {}, .memory = nullptr};
  picture.unmade = std::make_shared<const UnmadePicture>(std::move(source), std::move(maker));
  return picture;
}

Result<Picture> MakeIfUnmade(const Picture& picture) {
  if (!picture.unmade) return picture;
  ACU_RETURN_IF_ERROR(picture.unmade->Make());
  return picture.unmade->made();
}

Result<Plane> PlaneOf(const Picture& picture, int plane) {
  if (!picture.unmade) return picture.planes[plane];
  if (picture.unmade->maker()->Keeps(plane)) return picture.unmade->source().planes[plane];
  ACU_RETURN_IF_ERROR(picture.unmade->Make());
  return picture.unmade->made().planes[plane];
}

}  // namespace acutance
