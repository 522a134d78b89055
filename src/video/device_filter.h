// A video made of another one in a way that devices know, too: its pictures may come lazy (image/lazy_picture.h).
#pragma once

#include <memory>
#include <utility>

#include "convert/picture_conversion.h"
#include "video/video_filter.h"

namespace acutance {

class DeviceFilter : public VideoFilter {
 public:
  std::shared_ptr<const PictureConversion> scaling() const override { return scaling_; }
  void DeferConversion() override {
    leaves_lazy_ = true;
    if (HasScalingBelow()) source_->DeferConversion();
  }
  bool is_instant() const override { return leaves_lazy_ && source().is_instant(); }
  bool is_costly() const override { return !leaves_lazy_ || IsCostly(source()); }

  /// What devices make of the source, to which more is added; where they make nothing, what changes nothing yet.
  static std::shared_ptr<const PictureConversion> ScalingBelow(const VideoSource& source) {
    const auto before = source.scaling();
    return before ? before : std::make_shared<const PictureConversion>(source.format());
  }

 protected:
  /// scaling: from what lies below to this video's pictures; null: devices do not make them.
  DeviceFilter(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureConversion> scaling)
      : VideoFilter(std::move(source)), scaling_(std::move(scaling)) {}

  /// Make() on the host, of a picture that is there.
  virtual Result<Picture> Apply(const Picture& picture) = 0;
  Result<Picture> Make(const Picture& picture) final {
    return leaves_lazy_ ? DeferPicture(SourceOf(picture), format(), scaling_) : Apply(picture);
  }
  /// Whether scaling() has what the source's scaling() does.
  virtual bool HasScalingBelow() const { return source().scaling() != nullptr; }

  std::shared_ptr<const PictureConversion>
      scaling_;  // stays once pictures are read or other videos are made of this one

 private:
  bool leaves_lazy_ = false;
};

}  // namespace acutance
