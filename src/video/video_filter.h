// Base of filters that compute a video from another one, picture by picture.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "image/lazy_picture.h"
#include "io/forwarding_source.h"

namespace acutance {

class VideoFilter : public ForwardingSource {
 public:
  using ForwardingSource::ForwardingSource;

  bool is_raw() const override { return false; }
  bool is_instant() const override { return false; }
  Status DecodeOn(const DeviceDecoding& /*decoding*/) override {
    return Error(StatusCode::kUnsupported, "its pictures are converted on the host");
  }
  Result<int64_t> Skip(int64_t count) override { return source_->Skip(count); }
  bool Jump(double part) override { return source_->Jump(part); }

  Result<std::optional<Picture>> Next() override {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, source_->Next());
    if (!picture) return std::optional<Picture>();
    ACU_ASSIGN_OR_RETURN(Picture made, Make(*picture));
    return std::optional(std::move(made));
  }

  // Next() in two steps, through all filters below this one: the first reads, in order, and the second may run on
  // several threads at once, in any order.
  Result<std::optional<Picture>> NextLazy() {
    VideoFilter* const inner = dynamic_cast<VideoFilter*>(source_.get());
    return inner ? inner->NextLazy() : source_->Next();
  }
  Result<Picture> ApplyAll(const Picture& lazy) {
    VideoFilter* const inner = dynamic_cast<VideoFilter*>(source_.get());
    if (!inner) return Make(lazy);
    ACU_ASSIGN_OR_RETURN(const Picture picture, inner->ApplyAll(lazy));
    return Make(picture);
  }
  /// Whether Make() takes long, because it computes samples.
  virtual bool is_costly() const { return true; }
  static bool IsCostly(const VideoSource& video) {
    const auto* wrapped = dynamic_cast<const VideoFilter*>(&video);
    return wrapped && wrapped->is_costly();
  }

 protected:
  /// The filtered picture. Planes without samples stay so. Several threads may call it.
  virtual Result<Picture> Make(const Picture& picture) = 0;
  const VideoSource& source() const { return *source_; }
  /// The source of a picture of the other video where that is lazy; else the picture.
  static const Picture& SourceOf(const Picture& picture) { return picture.lazy ? picture.lazy->source() : picture; }
};

}  // namespace acutance
