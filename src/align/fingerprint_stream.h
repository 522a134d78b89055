// Background computation of fingerprints, so that reading a video's frames does not wait for them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/threads/thread_pool.h"
#include "fingerprint/frame_fingerprint.h"
#include "image/picture.h"

namespace acutance {

/// The fingerprints of a video's pictures, in order. One thread adds pictures, one takes fingerprints.
class FingerprintStream {
 public:
  /// crew: null for none.
  explicit FingerprintStream(std::shared_ptr<ThreadPool> crew);

  void Add(Picture picture);
  /// The fingerprints that were not taken yet, up to the first that is not made.
  std::vector<FrameFingerprint> TakeMade();
  /// The fingerprints of all pictures so far that were not taken yet.
  std::vector<FrameFingerprint> TakeAll();

 private:
  struct Slot {
    Picture picture;
    FrameFingerprint fingerprint;
    enum { kWaits, kMade, kFailed } state = kWaits;
  };
  struct Slots {
    std::mutex mutex;
    std::condition_variable finished;
    std::deque<Slot> waiting;  // from the first that was not taken
  };

  static void Make(Slots& slots, Slot& slot) noexcept;
  static std::vector<FrameFingerprint> TakeFirst(Slots& slots, size_t count);

  const std::shared_ptr<ThreadPool> crew_;
  const std::shared_ptr<Slots> slots_;
};

/// As many background threads as a run of `threads` threads needs; null for a single one.
std::shared_ptr<ThreadPool> MakeFingerprintCrew(int threads);

}  // namespace acutance
