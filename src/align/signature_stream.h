// Signatures made beside a run: reading a video's frames would else wait for them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/work_crew.h"
#include "image/picture.h"
#include "signature/frame_signature.h"

namespace acutance {

/// The signatures of a video's pictures in their order. One thread adds pictures, one takes signatures.
class SignatureStream {
 public:
  /// crew: null for none.
  explicit SignatureStream(std::shared_ptr<WorkCrew> crew);

  void Add(Picture picture);
  /// The signatures that were not taken yet, up to the first that is not made.
  std::vector<FrameSignature> TakeMade();
  /// The signatures of all pictures so far that were not taken yet.
  std::vector<FrameSignature> TakeAll();

 private:
  struct Slot {
    Picture picture;
    FrameSignature signature;
    enum { kWaits, kMade, kFailed } state = kWaits;
  };
  struct Slots {
    std::mutex mutex;
    std::condition_variable finished;
    std::deque<Slot> waiting;  // from the first that was not taken
  };

  static void Make(Slots& slots, Slot& slot) noexcept;
  static std::vector<FrameSignature> TakeFirst(Slots& slots, size_t count);

  const std::shared_ptr<WorkCrew> crew_;
  const std::shared_ptr<Slots> slots_;
};

/// Makes a crew of as many threads as keep up with a run of `threads`: none beside a single one.
std::shared_ptr<WorkCrew> MakeSignatureCrew(int threads);

}  // namespace acutance
