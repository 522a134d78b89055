// Ends waits for pipes, in videos that are read and in those that are only being opened.
#pragma once

#include <atomic>

namespace acutance {

class CancellationToken {
 public:
  /// Where the system has no descriptor left, waits last as if nothing interrupted them.
  CancellationToken();
  ~CancellationToken();
  CancellationToken(const CancellationToken&) = delete;
  CancellationToken& operator=(const CancellationToken&) = delete;

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
