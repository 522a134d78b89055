#include "image/lazy_picture.h"

#include <utility>

#include "base/trace.h"

namespace acutance {

Status LazyPicture::Make() const {
  if (is_made_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (is_made_) return {};
  const TraceSpan span("convert");
  ACU_ASSIGN_OR_RETURN(made_, maker_->Make(source_));
  is_made_.store(true, std::memory_order_release);
  return {};
}

Picture DeferPicture(Picture source, const PictureFormat& format, std::shared_ptr<const PictureMaker> maker) {
  Picture picture{.format = format, .planes = {}, .memory = nullptr};
  picture.lazy = std::make_shared<const LazyPicture>(std::move(source), std::move(maker));
  return picture;
}

Result<Picture> Materialize(const Picture& picture) {
  if (!picture.lazy) return picture;
  ACU_RETURN_IF_ERROR(picture.lazy->Make());
  return picture.lazy->made();
}

Result<Plane> PlaneOf(const Picture& picture, int plane) {
  if (!picture.lazy) return picture.planes[plane];
  if (picture.lazy->maker()->Keeps(plane)) return picture.lazy->source().planes[plane];
  ACU_RETURN_IF_ERROR(picture.lazy->Make());
  return picture.lazy->made().planes[plane];
}

}  // namespace acutance
