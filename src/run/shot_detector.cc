#include "run/shot_detector.h"

namespace acutance {

void ShotDetector::Watch(const Picture& reference, bool is_signed) {
  if (!sees_) return;
  ++watched_;
  sees_ = reference.planes[0].data != nullptr;
  if (!sees_ || is_signed) return;
  if (!fingerprints_) fingerprints_.emplace(MakeFingerprintCrew(threads_));
  fingerprints_->Add(reference);
  Add(fingerprints_->TakeMade());
}

void ShotDetector::Add(std::span<const FrameFingerprint> fingerprints) {
  for (const FrameFingerprint& fingerprint : fingerprints) {
    cuts_.Add(fingerprint);
    if (keeps_moments_) moments_.push_back(fingerprint.cells);
  }
}

std::optional<std::vector<int64_t>> ShotDetector::Find() {
  if (!sees_) return std::nullopt;
  if (fingerprints_) Add(fingerprints_->TakeAll());
  return cuts_.Find();
}

std::optional<int64_t> ShotDetector::NearestReferenceFrameOf(const Picture& distorted, int64_t frame) const {
  return NearestReferenceFrame(FingerprintOf(distorted).cells, moments_, frame);
}

}  // namespace acutance
