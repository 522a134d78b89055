// Guard of this process' signal handlers. When Intel's runtime looks for devices, the compiler inside of it installs
// handlers for 14 signals, those of Ctrl-C and of crashes among them: a crash then prints a stack for up to five
// seconds, and where that hangs, the process ends by SIGALRM.
#pragma once

#include <csignal>

namespace acutance::sycl_backend {

/// While it lives, the runtime may set handlers; its destructor restores the previous ones.
class SignalGuard {
 public:
  SignalGuard() {
    for (int signal = 1; signal < kEnd; ++signal) known_[signal] = ::sigaction(signal, nullptr, &before_[signal]) == 0;
  }
  ~SignalGuard() {
    for (int signal = 1; signal < kEnd; ++signal)
      if (struct sigaction now{};
          known_[signal] && ::sigaction(signal, nullptr, &now) == 0 && Differ(now, before_[signal]))
        ::sigaction(signal, &before_[signal], nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;

 private:
  static constexpr int kEnd = 32;  // the first real-time signal, of which the C library takes two

  static bool Differ(const struct sigaction& a, const struct sigaction& b) {
    return a.sa_handler != b.sa_handler || a.sa_flags != b.sa_flags;
  }

  struct sigaction before_[kEnd] = {};
  bool known_[kEnd] = {};
};

}  // namespace acutance::sycl_backend
