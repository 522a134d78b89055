// A video made of another one, picture by picture: all but its pictures is the other's.
#pragma once

#include <memory>
#include <optional>
#include <utility>

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

 protected:
  /// The picture that stands in the place of the other video's. Planes without samples stay so.
  virtual Result<Picture> Make(const Picture& picture) = 0;
  const VideoSource& source() const { return *source_; }
};

}  // namespace acutance
