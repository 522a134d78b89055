#include "io/chroma_video.h"

#include <utility>

#include "io/wrapped_video.h"
#include "scale/picture_scaling.h"

namespace acutance {
namespace {

class ChromaVideo : public WrappedVideo {
 public:
  ChromaVideo(std::unique_ptr<VideoSource> source, std::shared_ptr<const ChromaScaler> scaler,
              const ChromaSiting& siting)
      : WrappedVideo(std::move(source)), scaler_(std::move(scaler)), siting_(siting) {
    if (scaler_->adds()) return;  // what is there already costs nothing
    if (const auto before = this->source().scaling()) scaling_ = before->WithChroma(scaler_);
    else scaling_ = PictureScaling(scaler_->source_format()).WithChroma(scaler_);
  }

  const PictureFormat& format() const override { return scaler_->format(); }
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.siting = siting_;
    return facts;
  }
  void SkipChroma() override {
    luma_only_ = true;
    WrappedVideo::SkipChroma();
  }

  std::shared_ptr<const PictureScaling> scaling() const override { return scaling_; }
  void LeaveUnmade() override {
    leaves_unmade_ = true;
    if (source().scaling()) source_->LeaveUnmade();
  }
  bool is_instant() const override { return leaves_unmade_ && source().is_instant(); }
  bool is_costly() const override { return !leaves_unmade_ || IsCostly(source()); }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    if (leaves_unmade_) return MakeLater(SourceOf(picture), format(), scaling_);
    if (!luma_only_) return scaler_->Scale(picture, pool_);
    Picture luma = picture;
    luma.format = format();
    luma.planes[1] = luma.planes[2] = {};
    return luma;
  }

 private:
  const std::shared_ptr<const ChromaScaler> scaler_;
  const ChromaSiting siting_;
  std::shared_ptr<const PictureScaling> scaling_;  // null: devices do not make such pictures
  PicturePool pool_;
  bool luma_only_ = false;
  bool leaves_unmade_ = false;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> ChangeChroma(std::unique_ptr<VideoSource> source, const ChromaChange& change) {
  if (source->is_on_device())
    return Error(StatusCode::kUnsupported, "the chroma of pictures in a device's memory is not brought to another's");
  ACU_ASSIGN_OR_RETURN(ChromaScaler made, ChromaScaler::Make(source->format(), change));
  auto scaler = std::make_shared<const ChromaScaler>(std::move(made));
  return std::unique_ptr<VideoSource>(
      std::make_unique<ChromaVideo>(std::move(source), std::move(scaler), change.to_siting));
}

}  // namespace acutance
