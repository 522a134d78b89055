#include "io/chroma_video.h"

#include <algorithm>
#include <utility>

#include "io/wrapped_video.h"
#include "scale/scale_rows.h"

namespace acutance {
namespace {

bool IsHalvedAcross(PixelFormat format) { return format == PixelFormat::k420 || format == PixelFormat::k422; }
bool IsHalvedDown(PixelFormat format) { return format == PixelFormat::k420; }

/// One side of chroma. ScaleAxis places result i at (i + siting + 1/2) * step - 1/2 - siting: with s for where halved
/// samples lie, those of full chroma are at (i - s) / 2 between halved ones, and halved ones at 2 i + s.
ScaleTaps MakeAxis(ScaleFilter filter, int from, int to, bool was_halved, bool is_halved, double from_siting,
                   double to_siting) {
  ScaleAxis axis{.from = from, .to = to};
  if (was_halved && !is_halved) axis.step = 0.5, axis.siting = from_siting - 0.5;
  if (!was_halved && is_halved) axis.step = 2, axis.siting = to_siting - 0.5;
  return MakeScaleTaps(filter, axis);
}

template <class Sample>
void FillPlane(const MutablePicture& picture, int p) {
  for (int y = 0; y < picture.format.PlaneHeight(p); ++y)
    std::fill_n(picture.Row<Sample>(p, y), picture.format.PlaneWidth(p),
                static_cast<Sample>(1 << (picture.format.bit_depth - 1)));
}

class ChromaVideo : public WrappedVideo {
 public:
  ChromaVideo(std::unique_ptr<VideoSource> source, const ChromaChange& change)
      : WrappedVideo(std::move(source)), format_(this->source().format()), siting_(change.to_siting) {
    const PictureFormat from = format_;
    format_.pixel_format = change.to;
    if (from.PlaneCount() == 1 || format_.PlaneCount() == 1) return;
    across_ = MakeAxis(change.filter, from.PlaneWidth(1), format_.PlaneWidth(1), IsHalvedAcross(from.pixel_format),
                       IsHalvedAcross(change.to), change.siting.horizontal, change.to_siting.horizontal);
    down_ = MakeAxis(change.filter, from.PlaneHeight(1), format_.PlaneHeight(1), IsHalvedDown(from.pixel_format),
                     IsHalvedDown(change.to), change.siting.vertical, change.to_siting.vertical);
    across_near_ = NearTaps(across_, format_.PlaneWidth(1));
  }

  const PictureFormat& format() const override { return format_; }
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.siting = siting_;
    return facts;
  }
  void SkipChroma() override {
    luma_only_ = true;
    WrappedVideo::SkipChroma();
  }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    Picture out = picture;
    out.format = format_;
    out.planes[1] = out.planes[2] = {};
    if (luma_only_ || format_.PlaneCount() == 1) return out;
    ACU_ASSIGN_OR_RETURN(const MutablePicture made, AllocatePicture(format_));
    const Picture shared = made.Share();
    for (int p = 1; p <= 2; ++p) {
      out.planes[p] = shared.planes[p];
      if (picture.format.PlaneCount() == 1) Fill(made, p);
      else if (picture.planes[p].data) ScalePlane(JobOf(picture, made, p));
      else out.planes[p] = {};
    }
    out.memory = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(picture.memory,
                                                                                                       made.memory);
    return out;
  }

 private:
  static void Fill(const MutablePicture& made, int p) {
    if (made.format.bit_depth == 8) FillPlane<uint8_t>(made, p);
    else FillPlane<uint16_t>(made, p);
  }

  ScaleJob JobOf(const Picture& from, const MutablePicture& to, int p) const {
    return {.from = from.planes[p],
            .to = to.data[p],
            .to_stride = to.stride[p],
            .to_width = format_.PlaneWidth(p),
            .to_height = format_.PlaneHeight(p),
            .bit_depth = format_.bit_depth,
            .across = &across_,
            .across_near = &across_near_,
            .down = &down_};
  }

  PictureFormat format_;
  const ChromaSiting siting_;
  ScaleTaps across_, down_;
  NearTaps across_near_;
  bool luma_only_ = false;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> ChangeChroma(std::unique_ptr<VideoSource> source, const ChromaChange& change) {
  const PictureFormat& from = source->format();
  PictureFormat to = from;
  to.pixel_format = change.to;
  if (source->is_on_device())
    return Error(StatusCode::kUnsupported, "the chroma of pictures in a device's memory is not brought to another's");
  for (const PictureFormat& format : {from, to})
    if (format.PlaneCount() > 1 && (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0))
      return Error(StatusCode::kUnsupported, "pictures of {}x{} have no chroma", format.width, format.height);
  return std::unique_ptr<VideoSource>(std::make_unique<ChromaVideo>(std::move(source), change));
}

}  // namespace acutance
