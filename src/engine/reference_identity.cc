#include "engine/reference_identity.h"

#include <string>

namespace acutance {

Result<std::unique_ptr<VideoSource>> ReferenceIdentity::Open(const RunRequest& request, const OpenOptions& options,
                                                             Pairing* pairing) {
  first_ = {};
  pairing_ = pairing;
  if (!pairing)
    return request.kept_reference ? request.kept_reference->Open(options, first_.video)
                                  : OpenVideo(request.reference, options);
  Result<std::unique_ptr<VideoSource>> video = pairing->Open(request.reference, options, 0);
  first_.video = pairing->reference_name();
  return video;
}

/// Crops, sizes and depths are told by their words; what becomes of colors, fields and chroma depends on the other
/// videos, too, so that such pictures have no name.
void ReferenceIdentity::Prepare(const InputFacts& reference) {
  std::string how;
  bool is_told = !reference.facts.is_rgb;
  for (const InputChange& change : reference.changes) {
    is_told &= change.change == FitChange::kCrop || change.change == FitChange::kScale ||
               change.change == FitChange::kBitDepth;
    how += change.text + "; ";
  }
  first_.preparation = PreparationOf(how);
  if (!is_told) first_.video = 0;
}

PictureIdentity ReferenceIdentity::Of(int64_t pair) const {
  if (!first_.is_told()) return {};
  PictureIdentity identity = first_;
  const int64_t frame = skipped_ + pair;
  identity.frame = pairing_ ? pairing_->ReferenceFrame(frame) : frame;
  return identity;
}

}  // namespace acutance
