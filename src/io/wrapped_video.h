// A video made of another one, picture by picture: all but its pictures is the other's.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "image/unmade_picture.h"
#include "io/forwarded_video.h"

namespace acutance {

class WrappedVideo : public ForwardedVideo {
 public:
  using ForwardedVideo::ForwardedVideo;

  // Its pictures are made in the host's memory.
  bool is_raw() const override { return false; }
  bool is_instant() const override { return false; }
  bool is_on_device() const override { return false; }
  Result<int64_t> Skip(int64_t count) override { return source_->Skip(count); }
  bool Jump(double part) override { return source_->Jump(part); }

  Result<std::optional<Picture>> Next() override {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, source_->Next());
    if (!picture) return std::optional<Picture>();
    ACU_ASSIGN_OR_RETURN(Picture made, Make(*picture));
    return std::optional(std::move(made));
  }

  // Next() in two steps, of all wrapped videos that this one is made of: the first reads, in order, and the second may
  // run on several threads at once, in any order.
  Result<std::optional<Picture>> NextUnmade() {
    WrappedVideo* const inner = dynamic_cast<WrappedVideo*>(source_.get());
    return inner ? inner->NextUnmade() : source_->Next();
  }
  Result<Picture> MakeWhole(const Picture& unmade) {
    WrappedVideo* const inner = dynamic_cast<WrappedVideo*>(source_.get());
    if (!inner) return Make(unmade);
    ACU_ASSIGN_OR_RETURN(const Picture picture, inner->MakeWhole(unmade));
    return Make(picture);
  }
  /// Whether that takes long: it makes samples.
  virtual bool is_costly() const { return true; }
  static bool IsCostly(const VideoSource& video) {
    const auto* wrapped = dynamic_cast<const WrappedVideo*>(&video);
    return wrapped && wrapped->is_costly();
  }

 protected:
  /// The picture that stands in the place of the other video's. Planes without samples stay so. Several threads may
  /// call it.
  virtual Result<Picture> Make(const Picture& picture) = 0;
  const VideoSource& source() const { return *source_; }
  /// What a picture of the other video is made of, where it comes unmade; else the picture.
  static const Picture& SourceOf(const Picture& picture) { return picture.unmade ? picture.unmade->source() : picture; }
};

}  // namespace acutance
