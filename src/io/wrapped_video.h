// A video made of another one, picture by picture: all but its pictures is the other's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/video_source.h"

namespace acutance {

class WrappedVideo : public VideoSource {
 public:
  explicit WrappedVideo(std::unique_ptr<VideoSource> source) : source_(std::move(source)) {}

  const PictureFormat& format() const override { return source_->format(); }
  VideoColor color() const override { return source_->color(); }
  VideoFacts facts() const override { return source_->facts(); }
  std::optional<int64_t> frame_count() const override { return source_->frame_count(); }
  std::optional<double> frame_rate() const override { return source_->frame_rate(); }
  std::optional<double> time() const override { return source_->time(); }
  std::vector<std::string> warnings() const override { return source_->warnings(); }
  Status CheckIntact() const override { return source_->CheckIntact(); }
  void SkipChroma() override { source_->SkipChroma(); }
  void Interrupt() override { source_->Interrupt(); }
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

 private:
  const std::unique_ptr<VideoSource> source_;
};

}  // namespace acutance
