#include <utility>

#include "video/filters.h"
#include "video/fit_frames.h"
#include "video/video_filter.h"

namespace acutance {
namespace {

template <class Sample>
void RotatePlane(const Plane& from, const Orientation& orientation, int width, int height, std::byte* to,
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

/// Where chroma samples lie after rotation.
ChromaSiting Rotated(ChromaSiting siting, const Orientation& orientation) {
  if (orientation.transposed) std::swap(siting.horizontal, siting.vertical);
  if (orientation.mirrored_x) siting.horizontal = 1 - siting.horizontal;
  if (orientation.mirrored_y) siting.vertical = 1 - siting.vertical;
  return siting;
}

class RotatedVideo : public VideoFilter {
 public:
  explicit RotatedVideo(std::unique_ptr<VideoSource> source)
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
    facts.siting = Rotated(facts.siting.value_or(ChromaSiting()), orientation_);
    return facts;
  }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture rotated, AllocatePicture(format_));
    Picture out = rotated.Share();
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      const int width = format_.PlaneWidth(p), height = format_.PlaneHeight(p);
      if (!picture.planes[p].data) out.planes[p] = {};
      else if (format_.bit_depth == 8)
        RotatePlane<uint8_t>(picture.planes[p], orientation_, width, height, rotated.data[p], rotated.stride[p]);
      else RotatePlane<uint16_t>(picture.planes[p], orientation_, width, height, rotated.data[p], rotated.stride[p]);
    }
    return out;
  }

 private:
  const Orientation orientation_;
  PictureFormat format_;
};

class CroppedVideo : public VideoFilter {
 public:
  CroppedVideo(std::unique_ptr<VideoSource> source, const Rectangle& rectangle, bool is_declared)
      : VideoFilter(std::move(source)),
        rectangle_(rectangle),
        is_declared_(is_declared),
        format_(this->source().format()) {
    format_.width = rectangle.width;
    format_.height = rectangle.height;
  }

  const PictureFormat& format() const override { return format_; }

  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    if (is_declared_ && facts.changed_samples.empty()) facts.changed_samples = "cropped as its container declares";
    return facts;
  }

  bool is_costly() const override { return IsCostly(source()); }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    Picture part = WithoutOwnSize(picture);
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
  const bool is_declared_;
  PictureFormat format_;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> AutoRotate(std::unique_ptr<VideoSource> source) {
  if (source->facts().orientation.transposed && source->format().pixel_format == PixelFormat::k422)
    return Error(StatusCode::kUnsupported,
                 "4:2:2 video cannot be rotated by a quarter turn: its chroma format would change; convert it, for "
                 "example to yuv444p");
  return std::unique_ptr<VideoSource>(std::make_unique<RotatedVideo>(std::move(source)));
}

Result<std::unique_ptr<VideoSource>> CropVideo(std::unique_ptr<VideoSource> source, const Rectangle& rectangle) {
  const PictureFormat& format = source->format();
  const auto& [width, height, x, y] = rectangle;
  if (width < 1 || height < 1 || x < 0 || y < 0 || width > format.width - x || height > format.height - y)
    return Error(StatusCode::kUnsupported, "the crop {} does not lie in pictures of {}x{}", ToText(rectangle),
                 format.width, format.height);
  if (x % ChromaStepX(format.pixel_format) != 0 || y % ChromaStepY(format.pixel_format) != 0)
    return Error(StatusCode::kUnsupported, "the crop {} begins inside a chroma sample; {} does not", ToText(rectangle),
                 ToText(AlignToChroma(rectangle, format.pixel_format)));
  return std::unique_ptr<VideoSource>(std::make_unique<CroppedVideo>(std::move(source), rectangle, false));
}

Result<std::unique_ptr<VideoSource>> CropAsDeclared(std::unique_ptr<VideoSource> source) {
  const VideoFacts facts = source->facts();
  const PictureFormat format = source->format();
  const int width = format.width - facts.crop_left - facts.crop_right;
  const int height = format.height - facts.crop_top - facts.crop_bottom;
  if (width == format.width && height == format.height) return source;
  if (width < 1 || height < 1)
    return Error(StatusCode::kBadData, "the crop that the container declares leaves nothing of {}x{}", format.width,
                 format.height);
  const Rectangle shown = AlignToChroma({width, height, facts.crop_left, facts.crop_top}, format.pixel_format);
  return std::unique_ptr<VideoSource>(std::make_unique<CroppedVideo>(std::move(source), shown, true));
}

}  // namespace acutance
