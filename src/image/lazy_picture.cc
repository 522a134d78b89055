#include "image/lazy_picture.h"

#include <utility>

#include "base/trace.h"

namespace acutance {

Status LazyPicture::Materialize() const {
  if (is_done_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (is_done_) return {};
  const TraceSpan span("convert");
  ACU_ASSIGN_OR_RETURN(result_, conversion_->Apply(source_));
  is_done_.store(true, std::memory_order_release);
  return {};
}

Picture DeferPicture(Picture source, const PictureFormat& format,
                     std::shared_ptr<const DeferrableConversion> conversion) {
  Picture picture{.format = format, .planes = {}, .memory = nullptr};
  picture.lazy = std::make_shared<const LazyPicture>(std::move(source), std::move(conversion));
  return picture;
}

Result<Picture> Materialize(const Picture& picture) {
  if (!picture.lazy) return picture;
  ACU_RETURN_IF_ERROR(picture.lazy->Materialize());
  return picture.lazy->result();
}

Result<Plane> PlaneOf(const Picture& picture, int plane) {
  if (!picture.lazy) return picture.planes[plane];
  if (picture.lazy->conversion()->PassesThrough(plane)) return picture.lazy->source().planes[plane];
  ACU_RETURN_IF_ERROR(picture.lazy->Materialize());
  return picture.lazy->result().planes[plane];
}

}  // namespace acutance
