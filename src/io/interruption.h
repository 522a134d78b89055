// Ends waits for pipes, in videos that are read and in those that are only being opened.
#pragma once

#include <atomic>

namespace acutance {

class Interruption {
 public:
  /// Where the system has no descriptor left, waits last as if nothing interrupted them.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// For good. Any thread.
  void Interrupt();
  bool is_on() const { return is_on_; }
  /// Readable once it is on; -1: there is none.
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
  std::atomic<bool> is_on_ = false;
};

}  // namespace acutance
