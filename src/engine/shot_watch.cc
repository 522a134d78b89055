#include "engine/shot_watch.h"

namespace acutance {

void ShotWatch::Watch(const Picture& reference, bool is_signed) {
  if (!sees_) return;
  ++watched_;
  sees_ = reference.planes[0].data != nullptr;
  if (!sees_ || is_signed) return;
  if (!signatures_) signatures_.emplace(MakeSignatureCrew(threads_));
  signatures_->Add(reference);
  Add(signatures_->TakeMade());
}

void ShotWatch::Add(std::span<const FrameSignature> signatures) {
  for (const FrameSignature& signature : signatures) {
    cuts_.Add(signature);
    if (keeps_moments_) moments_.push_back(signature.cells);
  }
}

std::optional<std::vector<int64_t>> ShotWatch::Find() {
  if (!sees_) return std::nullopt;
  if (signatures_) Add(signatures_->TakeAll());
  return cuts_.Find();
}

std::optional<int64_t> ShotWatch::ShownMomentOf(const Picture& distorted, int64_t frame) const {
  return ShownMoment(SignatureOf(distorted).cells, moments_, frame);
}

}  // namespace acutance
