// Observer of a run's scored picture pairs.
#pragma once

#include "base/status.h"
#include "video/pair_reader.h"

namespace acutance {

class Session;
struct ScoredRun;

/// Calls come from one thread. An error ends the run. Pictures in a device's memory have no planes.
class FrameObserver {
 public:
  virtual ~FrameObserver() = default;

  /// Called before the first pair, and again where the run restarts with other pairs: those before do not count.
  virtual Status Start(const Session& session, const ScoredRun& run) = 0;
  /// A pair that is scored.
  virtual Status Add(const FramePair& pair) = 0;
  /// Called after the last pair of a run without an error.
  virtual Status Finish() = 0;
};

}  // namespace acutance
