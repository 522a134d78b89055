// Sum of the times that scopes took, on any threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace acutance {

class TimeSum {
 public:
  class Scope {
   public:
    explicit Scope(TimeSum& sum) : sum_(sum) {}
    ~Scope() {
      sum_.nanoseconds_.fetch_add((Clock::now() - begin_) / std::chrono::nanoseconds(1), std::memory_order_relaxed);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    TimeSum& sum_;
    const Clock::time_point begin_ = Clock::now();
  };

  double seconds() const { return static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) * 1e-9; }

 private:
  std::atomic<int64_t> nanoseconds_ = 0;
};

}  // namespace acutance
