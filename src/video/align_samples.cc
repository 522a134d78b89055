#include "video/align_samples.h"

#include <utility>

#include "video/device_filter.h"

namespace acutance {
namespace {

class AlignSamplesFilter : public DeviceFilter {
 public:
  AlignSamplesFilter(std::unique_ptr<VideoSource> source, std::shared_ptr<const PictureConversion> scaling)
      : DeviceFilter(std::move(source), std::move(scaling)) {}

  /// Copies are not worth the memory that keeping pictures for another reading takes.
  bool is_instant() const override { return source().is_instant(); }

 protected:
  Result<Picture> Apply(const Picture& picture) override { return scaling_->Make(picture); }
};

}  // namespace

std::unique_ptr<VideoSource> AlignSamples(std::unique_ptr<VideoSource> source) {
  auto nothing = std::make_shared<const PictureConversion>(source->format());
  return std::make_unique<AlignSamplesFilter>(std::move(source), std::move(nothing));
}

}  // namespace acutance
