// Host memory budget of a session: how many frames may be in flight.
#pragma once

#include <cstddef>
#include <optional>

#include "base/status.h"
#include "engine/session_spec.h"

namespace acutance {

class MemoryBudget {
 public:
  /// features: with extractors. The specification's conversions: those that devices do.
  MemoryBudget(const FeatureSet& features, const SessionSpec& spec);

  /// The frames for which the limit has room: SessionSpec::max_memory, else half of the machine's available memory. An
  /// error where a limit that was asked for has room for none; at least one otherwise.
  Result<int> MostFrames() const;

  /// The pictures of one frame of all videos: planes that metrics read, derived inputs, and the sources of lazy ones.
  size_t pair_bytes() const { return pair_; }
  /// Buffers of the features that run on the CPU, about, for one frame.
  size_t work_bytes() const { return work_; }
  /// Pictures of earlier frames and those that the caller reads ahead.
  size_t held_bytes() const { return held_; }

 private:
  const PictureFormat format_;
  const std::optional<size_t> limit_;
  size_t pair_ = 0, work_ = 0, held_ = 0;
};

}  // namespace acutance
