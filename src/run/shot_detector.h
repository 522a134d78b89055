// Finds where the reference's shots begin, beside a run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/fingerprint_stream.h"
#include "align/nearest_reference_frame.h"
#include "align/shot_cuts.h"
#include "image/picture.h"

namespace acutance {

class ShotDetector {
 public:
  /// keeps_moments: for NearestReferenceFrameOf.
  ShotDetector(int threads, bool keeps_moments) : threads_(threads), keeps_moments_(keeps_moments) {}

  /// The next frame. is_signed: its fingerprint comes by Add, before Find.
  void Watch(const Picture& reference, bool is_signed);
  void Add(std::span<const FrameFingerprint> fingerprints);
  int64_t watched() const { return watched_; }

  /// The frames at which a shot begins; nullopt: the pictures were not in the host's memory.
  std::optional<std::vector<int64_t>> Find();
  /// The reference's frame that a distorted picture shows, where it is not `frame`. After Find.
  std::optional<int64_t> NearestReferenceFrameOf(const Picture& distorted, int64_t frame) const;

 private:
  const int threads_;
  const bool keeps_moments_;
  ShotCuts cuts_;
  bool sees_ = true;
  int64_t watched_ = 0;
  std::vector<FrameCells> moments_;
  std::optional<FingerprintStream> fingerprints_;  // not set: none are made here
};

}  // namespace acutance
