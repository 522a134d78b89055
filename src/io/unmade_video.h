// A video made of another one in a way that devices know, too: its pictures may come unmade (image/unmade_picture.h).
#pragma once

#include <memory>
#include <utility>

#include "io/wrapped_video.h"
#include "scale/picture_scaling.h"

namespace acutance {

class UnmadeVideo : public WrappedVideo {
 public:
  std::shared_ptr<const PictureScaling> scaling() const override { return scaling_; }
  void LeaveUnmade() override {
    leaves_unmade_ = true;
    if (HasScalingBelow()) source_->LeaveUnmade();
  }
  bool is_instant() const override { return leaves_unmade_ && source().is_instant(); }
  bool is_costly() const override { return !leaves_unmade_ || IsCostly(source()); }

  /// What devices make of the source, to which more is added; where they make nothing, what changes nothing yet.
  static std::shared_ptr<const PictureScaling> ScalingBelow(const VideoSource& source) {
    const auto before = source.scaling();
    return before ? before : std::make_shared<const PictureScaling>(source.format());
  }

 protected:
  /// scaling: from what lies below to this video's pictures; null: devices do not make them.
  UnmadeVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureScaling> scaling)
      : WrappedVideo(std::move(source)), scaling_(std::move(scaling)) {}

  /// Make() on the host, of a picture that is there.
  virtual Result<Picture> MakeNow(const Picture& picture) = 0;
  Result<Picture> Make(const Picture& picture) final {
    return leaves_unmade_ ? MakeLater(SourceOf(picture), format(), scaling_) : MakeNow(picture);
  }
  /// Whether scaling() has what the source's scaling() does.
  virtual bool HasScalingBelow() const { return source().scaling() != nullptr; }

  std::shared_ptr<const PictureScaling> scaling_;  // stays once pictures are read or other videos are made of this one

 private:
  bool leaves_unmade_ = false;
};

}  // namespace acutance
