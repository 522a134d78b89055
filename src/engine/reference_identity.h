// How a run names the pictures of a kept reference, so that devices find what an earlier run left.
#pragma once

#include <cstdint>

#include "engine/pairing.h"
#include "engine/score_run.h"
#include "image/picture_identity.h"

namespace acutance {

class ReferenceIdentity {
 public:
  /// Opens the reference of a run. pairing: null: frames are paired by their order.
  Result<std::unique_ptr<VideoSource>> Open(const RunRequest& request, const OpenOptions& options, Pairing* pairing);

  /// The reader passes over so many frames first.
  void Skip(int64_t frames) { skipped_ = frames; }

  /// What was done to the reference's pictures.
  void Prepare(const InputFacts& reference);

  /// The reference picture of the pair of that number.
  PictureIdentity Of(int64_t pair) const;

 private:
  PictureIdentity first_;
  int64_t skipped_ = 0;
  const Pairing* pairing_ = nullptr;
};

}  // namespace acutance
