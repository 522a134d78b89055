// Signatures made beside a run: reading a video's frames would else wait for them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "align/frame_signature.h"
#include "image/picture.h"

namespace acutance {

/// Threads for short work, and a short queue.
class SignatureCrew {
 public:
  /// Fewer threads than asked for where the system has no more; with none, all work is done by who posts it.
  explicit SignatureCrew(int threads);
  /// Ends what was posted first.
  ~SignatureCrew();
  SignatureCrew(const SignatureCrew&) = delete;
  SignatureCrew& operator=(const SignatureCrew&) = delete;

  /// Work that holds `bytes` of memory until it is done, and throws nothing. It runs in the caller's thread where the
  /// queue is full.
  void Post(size_t bytes, const std::function<void()>& work);

 private:
  struct Work {
    size_t bytes;
    std::function<void()> run;
  };

  void Serve();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Work> queue_;
  size_t queued_bytes_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

/// The signatures of a video's pictures in their order. One thread adds pictures, one takes signatures.
class SignatureStream {
 public:
  /// crew: null for none.
  explicit SignatureStream(std::shared_ptr<SignatureCrew> crew);

  void Add(Picture picture);
  /// Those that are made and were not taken yet, up to the first that is not.
  std::vector<FrameSignature> TakeMade();
  /// Those of all pictures so far that were not taken yet.
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

  const std::shared_ptr<SignatureCrew> crew_;
  const std::shared_ptr<Slots> slots_;
};

/// As many threads as keep up with a run of `threads`: none for one, which has its thread alone.
std::shared_ptr<SignatureCrew> MakeSignatureCrew(int threads);

}  // namespace acutance
