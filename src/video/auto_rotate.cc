#include "video/auto_rotate.h"

#include <utility>

#include "video/open_video.h"
#include "video/video_filter.h"

namespace acutance {
namespace {

template <class Sample>
void TurnPlane(const Plane& from, const Orientation& orientation, int width, int height, std::byte* to,
               ptrdiff_t stride) {
  for (int y = 0; y < height; ++y) {
    auto* row = reinterpret_cast<Sample*>(to + y * stride);
    const int v = orientation.mirrored_y ? height - 1 - y : y;
    for (int x = 0; x < width; ++x) {
      const int u = orientation.mirrored_x ? width - 1 - x : x;
      row[x] = orientation.transposed ? from.Row<Sample>(u)[v] : from.Row<Sample>(v)[u];
    }
  }
}

/// Where chroma samples lie after that.
ChromaSiting Turn(ChromaSiting siting, const Orientation& orientation) {
  if (orientation.transposed) std::swap(siting.horizontal, siting.vertical);
  if (orientation.mirrored_x) siting.horizontal = 1 - siting.horizontal;
  if (orientation.mirrored_y) siting.vertical = 1 - siting.vertical;
  return siting;
}

class TurnedVideo : public VideoFilter {
 public:
  explicit TurnedVideo(std::unique_ptr<VideoSource> source)
      : VideoFilter(std::move(source)),
        orientation_(this->source().facts().orientation),
        format_(this->source().format()) {
    if (orientation_.transposed) std::swap(format_.width, format_.height);
  }

  const PictureFormat& format() const override { return format_; }

  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.orientation = {};
    if (orientation_.transposed) facts.pixel_aspect = 1 / facts.pixel_aspect;
    facts.siting = Turn(facts.siting.value_or(ChromaSiting()), orientation_);
    return facts;
  }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture turned, AllocatePicture(format_));
    Picture out = turned.Share();
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      const int width = format_.PlaneWidth(p), height = format_.PlaneHeight(p);
      if (!picture.planes[p].data) out.planes[p] = {};
      else if (format_.bit_depth == 8)
        TurnPlane<uint8_t>(picture.planes[p], orientation_, width, height, turned.data[p], turned.stride[p]);
      else TurnPlane<uint16_t>(picture.planes[p], orientation_, width, height, turned.data[p], turned.stride[p]);
    }
    return out;
  }

 private:
  const Orientation orientation_;
  PictureFormat format_;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> AutoRotate(std::unique_ptr<VideoSource> source) {
  if (source->is_on_device()) return Error(StatusCode::kUnsupported, "pictures in a device's memory are not turned");
  if (source->facts().orientation.transposed && source->format().pixel_format == PixelFormat::k422)
    return Error(StatusCode::kUnsupported,
                 "4:2:2 video that is shown upright cannot be turned: its chroma would lie "
                 "otherwise; convert it, for example to yuv444p");
  return std::unique_ptr<VideoSource>(std::make_unique<TurnedVideo>(std::move(source)));
}

Result<std::unique_ptr<VideoSource>> OpenTurned(const std::string& path, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (video->facts().orientation == Orientation()) return video;
  return AutoRotate(std::move(video));
}

}  // namespace acutance
