// Whether samples should travel packed: packing costs the host's cores what it saves on the bus.
#pragma once

#include <mutex>

namespace acutance {

/// Tries some batches each way, then stays with the quicker one. Any thread.
class PackTrial {
 public:
  /// Whether the next batch should be packed.
  bool PacksNext() {
    const std::lock_guard lock(mutex_);
    if (plain_.batches < kBatches) return false;
    if (packed_.batches < kBatches) return true;
    return packed_.seconds < plain_.seconds;
  }

  /// The pictures of a whole batch took so long to be handed to the device.
  void Report(bool packed, double seconds) {
    const std::lock_guard lock(mutex_);
    Tried& tried = packed ? packed_ : plain_;
    if (tried.batches >= kBatches) return;
    ++tried.batches;
    if (tried.batches > kWarmUp) tried.seconds += seconds;
  }

 private:
  static constexpr int kBatches = 8;
  static constexpr int kWarmUp = 2;  // batches that begin while others still travel the other way
  struct Tried {
    int batches = 0;
    double seconds = 0;
  };

  std::mutex mutex_;  // guards what follows
  Tried plain_, packed_;
};

}  // namespace acutance
