// How a run names the pictures of a kept reference, so that devices find what an earlier run left.
#pragma once

#include <cstdint>

#include "image/picture_key.h"
#include "run/pairing.h"
#include "run/score_run.h"

namespace acutance {

class ReferenceKeys {
 public:
  /// Opens the reference of a run. pairing: null: frames are paired by their order.
  Result<std::unique_ptr<VideoSource>> Open(const RunRequest& request, const OpenOptions& options, Pairing* pairing);

  /// The reader passes over so many frames first.
  void Skip(int64_t frames) { skipped_ = frames; }

  /// What was done to the reference's pictures.
  void Prepare(const Input& reference);

  /// The reference picture of the pair of that number.
  PictureKey Of(int64_t pair) const;

 private:
  PictureKey first_;
  int64_t skipped_ = 0;
  const Pairing* pairing_ = nullptr;
};

}  // namespace acutance
