#include "video/crop.h"

#include <utility>

#include "video/video_filter.h"

namespace acutance {
namespace {

class CroppedVideo : public VideoFilter {
 public:
  CroppedVideo(std::unique_ptr<VideoSource> source, const Rectangle& rectangle)
      : VideoFilter(std::move(source)), rectangle_(rectangle), format_(this->source().format()) {
    format_.width = rectangle.width;
    format_.height = rectangle.height;
  }

  const PictureFormat& format() const override { return format_; }

  bool is_costly() const override { return IsCostly(source()); }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    Picture part = picture;
    part.format = format_;
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      Plane& plane = part.planes[p];
      if (!plane.data) continue;
      const int x = rectangle_.x / (p > 0 ? ChromaStepX(format_.pixel_format) : 1);
      const int y = rectangle_.y / (p > 0 ? ChromaStepY(format_.pixel_format) : 1);
      plane.data += y * plane.stride + ptrdiff_t{x} * format_.BytesPerSample();
      plane.width = format_.PlaneWidth(p);
      plane.height = format_.PlaneHeight(p);
      plane.more_columns = plane.more_rows = 0;
    }
    return part;
  }

 private:
  const Rectangle rectangle_;
  PictureFormat format_;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> CropVideo(std::unique_ptr<VideoSource> source, const Rectangle& rectangle) {
  const PictureFormat& format = source->format();
  const auto& [width, height, x, y] = rectangle;
  if (source->is_on_device()) return Error(StatusCode::kUnsupported, "pictures in a device's memory are not cropped");
  if (width < 1 || height < 1 || x < 0 || y < 0 || width > format.width - x || height > format.height - y)
    return Error(StatusCode::kUnsupported, "the crop {} does not lie in pictures of {}x{}", ToText(rectangle),
                 format.width, format.height);
  if (x % ChromaStepX(format.pixel_format) != 0 || y % ChromaStepY(format.pixel_format) != 0)
    return Error(StatusCode::kUnsupported, "the crop {} begins inside a chroma sample; {} does not", ToText(rectangle),
                 ToText(AlignToChroma(rectangle, format.pixel_format)));
  return std::unique_ptr<VideoSource>(std::make_unique<CroppedVideo>(std::move(source), rectangle));
}

}  // namespace acutance
