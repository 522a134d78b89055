#include "io/scaled_video.h"

#include <utility>

#include "io/buffer_pool.h"
#include "io/wrapped_video.h"

namespace acutance {
namespace {

/// Where planes lie in a buffer.
struct PlaneLayout {
  explicit PlaneLayout(const PictureFormat& format) {
    constexpr ptrdiff_t kAlign = 64;
    for (int p = 0; p < format.PlaneCount(); ++p) {
      stride[p] = (ptrdiff_t{format.PlaneWidth(p)} * format.BytesPerSample() + kAlign - 1) / kAlign * kAlign;
      offset[p] = bytes;
      bytes += stride[p] * format.PlaneHeight(p);
    }
  }
  std::array<ptrdiff_t, 3> stride{};
  std::array<size_t, 3> offset{};
  size_t bytes = 0;
};

class ScaledVideo : public WrappedVideo {
 public:
  ScaledVideo(std::unique_ptr<VideoSource> source, Scaler scaler)
      : WrappedVideo(std::move(source)), scaler_(std::move(scaler)), layout_(format()), pool_(layout_.bytes) {}

  const PictureFormat& format() const override { return scaler_.format(); }
  /// Pixels are square: other sizes than that of the display are a caller's choice.
  VideoFacts facts() const override {
    VideoFacts facts = source().facts();
    facts.pixel_aspect = 1;
    return facts;
  }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    ACU_ASSIGN_OR_RETURN(const std::shared_ptr<std::byte> memory, pool_.Get());
    MutablePicture scaled{.format = format(), .stride = layout_.stride, .memory = memory};
    for (int p = 0; p < format().PlaneCount(); ++p) scaled.data[p] = memory.get() + layout_.offset[p];
    scaler_.Scale(picture, scaled);
    Picture result = scaled.Share();
    for (int p = 0; p < format().PlaneCount(); ++p)
      if (!picture.planes[p].data) result.planes[p] = {};
    return result;
  }

 private:
  const Scaler scaler_;
  const PlaneLayout layout_;
  BufferPool pool_;
};

}  // namespace

Result<std::unique_ptr<VideoSource>> ScaleVideo(std::unique_ptr<VideoSource> source, int width, int height,
                                                const ScaleOptions& options) {
  if (source->is_on_device()) return Error(StatusCode::kUnsupported, "pictures in a device's memory are not scaled");
  PictureFormat to = source->format();
  to.width = width;
  to.height = height;
  ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(source->format(), to, options));
  return std::unique_ptr<VideoSource>(std::make_unique<ScaledVideo>(std::move(source), std::move(scaler)));
}

}  // namespace acutance
