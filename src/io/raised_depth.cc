#include "io/raised_depth.h"

#include <utility>

#include "io/wrapped_video.h"

namespace acutance {
namespace {

template <class Sample>
void ShiftPlane(const Plane& from, int shift, std::byte* to, ptrdiff_t stride) {
  for (int y = 0; y < from.height; ++y) {
    const Sample* in = from.Row<Sample>(y);
    auto* out = reinterpret_cast<uint16_t*>(to + y * stride);
    for (int x = 0; x < from.width; ++x) out[x] = static_cast<uint16_t>(in[x] << shift);
  }
}

class RaisedDepth : public WrappedVideo {
 public:
  RaisedDepth(std::unique_ptr<VideoSource> source, int bit_depth)
      : WrappedVideo(std::move(source)), format_(this->source().format()) {
    format_.bit_depth = bit_depth;
  }

  const PictureFormat& format() const override { return format_; }

 protected:
  Result<Picture> Make(const Picture& picture) override {
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
};

}  // namespace

void RaisePlane(const Plane& plane, int from_depth, int to_depth, std::byte* to, ptrdiff_t stride) {
  const int shift = to_depth - from_depth;
  if (from_depth == 8) ShiftPlane<uint8_t>(plane, shift, to, stride);
  else ShiftPlane<uint16_t>(plane, shift, to, stride);
}

std::unique_ptr<VideoSource> RaiseBitDepth(std::unique_ptr<VideoSource> source, int bit_depth) {
  return std::make_unique<RaisedDepth>(std::move(source), bit_depth);
}

}  // namespace acutance
