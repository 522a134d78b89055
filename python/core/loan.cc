#include "python/core/loan.h"

#include <mutex>
#include <utility>

namespace acutance::python {
namespace {

/// Arrays to give back. The engine's threads never wait for the GIL: they put loans here, which needs no memory, and
/// the next call from Python empties the list.
struct Returned {
  std::mutex mutex;
  std::unique_ptr<Loan> first;
};

Returned& GetReturned() {
  static Returned& returned = *new Returned;  // outlives the interpreter: a session may end after it
  return returned;
}

}  // namespace

bool IsOnHost(const Array& array) {
  const int type = array.device_type();
  return type == nanobind::device::cpu::value || type == nanobind::device::cuda_host::value ||
         type == nanobind::device::rocm_host::value;
}

Loan::Loan(std::vector<Array> arrays, int64_t frame, std::shared_ptr<ChangedFrame> changed)
    : arrays_(std::move(arrays)), frame_(frame), changed_(std::move(changed)) {}

std::shared_ptr<Loan> Loan::Make(std::vector<Array> arrays, int64_t frame, std::shared_ptr<ChangedFrame> changed) {
  return {new Loan(std::move(arrays), frame, std::move(changed)), Return};
}

/// Reads one byte of each of 64 rows, at places that step through the row. No address depends on
/// a value or a division, so that the cache misses overlap.
uint64_t Loan::Fingerprint() const {
  constexpr int64_t kProbes = 64;
  constexpr int64_t kStep = 40503;  // odd, near 2^16 / golden ratio: spreads over any width
  uint64_t hash = 14695981039346656037u;
  for (const Array& array : arrays_) {
    const auto height = static_cast<int64_t>(array.shape(0));
    const auto row_bytes = static_cast<int64_t>(array.shape(1) * array.itemsize());
    if (height == 0 || row_bytes == 0 || !IsOnHost(array)) continue;
    const auto* data = static_cast<const uint8_t*>(array.data());
    const auto stride = array.stride(0) * static_cast<int64_t>(array.itemsize());
    const int64_t step = kStep % row_bytes;
    for (int64_t i = 0, column = 0; i < kProbes; ++i) {
      hash = (hash ^ data[i * height / kProbes * stride + column]) * 1099511628211u;
      column += step;
      if (column >= row_bytes) column -= row_bytes;
    }
  }
  return hash;
}

void Loan::Verify() const {
  if (fingerprint_ && *fingerprint_ != Fingerprint()) *changed_ = frame_;
}

void Loan::Return(Loan* loan) {
  loan->Verify();
  Returned& returned = GetReturned();
  const std::lock_guard lock(returned.mutex);
  loan->next_ = std::move(returned.first);
  returned.first.reset(loan);
}

std::unique_ptr<Loan> Loan::TakeNext() { return std::move(next_); }

void ReturnArrays() {
  std::unique_ptr<Loan> loan;
  Returned& returned = GetReturned();
  {
    const std::lock_guard lock(returned.mutex);
    loan = std::move(returned.first);
  }
  while (loan) loan = loan->TakeNext();
}

}  // namespace acutance::python
