#include "io/raised_depth.h"

#include <utility>

#include "image/raise_plane.h"
#include "io/wrapped_video.h"
#include "scale/picture_scaling.h"

namespace acutance {
namespace {

class RaisedDepth : public WrappedVideo {
 public:
  RaisedDepth(std::unique_ptr<VideoSource> source, int bit_depth)
      : WrappedVideo(std::move(source)), format_(this->source().format()) {
    format_.bit_depth = bit_depth;
    const auto before = this->source().scaling();
    scaling_ = before ? before->Raised(bit_depth) : PictureScaling(this->source().format()).Raised(bit_depth);
  }

  const PictureFormat& format() const override { return format_; }

  std::shared_ptr<const PictureScaling> scaling() const override { return scaling_; }
  void LeaveUnmade() override {
    leaves_unmade_ = true;
    if (source().scaling()) source_->LeaveUnmade();
  }
  bool is_instant() const override { return leaves_unmade_ && source().is_instant(); }
  bool is_costly() const override { return !leaves_unmade_ || IsCostly(source()); }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    if (leaves_unmade_) return MakeLater(SourceOf(picture), format_, scaling_);
    ACU_ASSIGN_OR_RETURN(const MutablePicture raised, AllocatePicture(format_));
    Picture out = raised.Share();
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      const Plane& plane = picture.planes[p];
      if (!plane.data) out.planes[p] = {};
      else RaisePlane(plane, picture.format.bit_depth, format_.bit_depth, raised.data[p], raised.stride[p]);
    }
    return out;
  }

 private:
  PictureFormat format_;
  std::shared_ptr<const PictureScaling> scaling_;
  bool leaves_unmade_ = false;
};

}  // namespace

std::unique_ptr<VideoSource> RaiseBitDepth(std::unique_ptr<VideoSource> source, int bit_depth) {
  return std::make_unique<RaisedDepth>(std::move(source), bit_depth);
}

}  // namespace acutance
