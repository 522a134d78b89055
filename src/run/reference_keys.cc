#include "run/reference_keys.h"
#include "video/open_video.h"

#include <string>

namespace acutance {

Result<std::unique_ptr<VideoSource>> ReferenceKeys::Open(const RunRequest& request, const OpenOptions& options,
                                                         Pairing* pairing) {
  first_ = {};
  pairing_ = pairing;
  if (!pairing)
    return request.cached_reference ? request.cached_reference->Open(options, first_.video)
                                    : OpenVideo(request.reference, options);
  Result<std::unique_ptr<VideoSource>> video = pairing->Open(request.reference, options, 0);
  first_.video = pairing->reference_name();
  return video;
}

/// Crops, sizes and depths are told by their words; what becomes of colors, fields and chroma depends on the other
/// videos, too, so that such pictures have no name.
void ReferenceKeys::Prepare(const Input& reference) {
  std::string how;
  bool has_value = !reference.facts.is_rgb;
  for (const InputChange& change : reference.changes) {
    has_value &=
        change.change == Change::kCrop || change.change == Change::kScale || change.change == Change::kBitDepth;
    how += change.text + "; ";
  }
  first_.preparation = PreparationOf(how);
  if (!has_value) first_.video = 0;
}

PictureKey ReferenceKeys::Of(int64_t pair) const {
  if (!first_.has_value()) return {};
  PictureKey identity = first_;
  const int64_t frame = skipped_ + pair;
  identity.frame = pairing_ ? pairing_->ReferenceFrame(frame) : frame;
  return identity;
}

}  // namespace acutance
