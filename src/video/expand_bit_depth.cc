#include "video/expand_bit_depth.h"

#include <utility>

#include "image/expand_plane.h"
#include "video/device_filter.h"

namespace acutance {
namespace {

class RaisedDepth : public DeviceFilter {
 public:
  RaisedDepth(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureConversion> scaling, int bit_depth)
      : DeviceFilter(std::move(source), std::move(scaling)), format_(this->source().format()) {
    format_.bit_depth = bit_depth;
  }

  const PictureFormat& format() const override { return format_; }

 protected:
  Result<Picture> Apply(const Picture& picture) override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture raised, AllocatePicture(format_));
    Picture out = raised.Share();
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      const Plane& plane = picture.planes[p];
      if (!plane.data) out.planes[p] = {};
      else ExpandPlane(plane, picture.format.bit_depth, format_.bit_depth, raised.data[p], raised.stride[p]);
    }
    return out;
  }

 private:
  PictureFormat format_;
};

}  // namespace

std::unique_ptr<VideoSource> RaiseBitDepth(std::unique_ptr<VideoSource> source, int bit_depth) {
  auto scaling = DeviceFilter::ScalingBelow(*source)->Raised(bit_depth);
  return std::make_unique<RaisedDepth>(std::move(source), std::move(scaling), bit_depth);
}

}  // namespace acutance
