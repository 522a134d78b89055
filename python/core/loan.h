// Arrays that Python lends to a session: not copied, referenced, and given back where the GIL is held.
#pragma once

#include <acutance/acutance.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace acutance::python {

using Array = nanobind::ndarray<nanobind::ro>;

/// Whether the processor can read it.
bool IsOnHost(const Array& array);

/// The frame whose samples changed while a session was reading them; -1: none did.
using ChangedFrame = std::atomic<int64_t>;

/// The arrays of one picture. If the engine still reads them when add() has returned, the loan
/// remembers some samples and compares them when the engine is done: a caller who fills one
/// buffer again and again gets an error instead of wrong scores. Samples in a device's memory are
/// not compared.
class Loan {
 public:
  /// The arrays are 2-d, with contiguous rows. Holds the GIL; the last owner may release the Loan on any thread.
  static std::shared_ptr<Loan> Make(std::vector<Array> arrays, int64_t frame, std::shared_ptr<ChangedFrame> changed);

  const std::vector<Array>& arrays() const { return arrays_; }
  void Remember() { fingerprint_ = Fingerprint(); }

  /// Compares the remembered samples now, if there are any.
  void Verify() const;

  /// The rest of the list of loans to give back that this one begins.
  std::unique_ptr<Loan> TakeNext();

 private:
  Loan(std::vector<Array> arrays, int64_t frame, std::shared_ptr<ChangedFrame> changed);
  uint64_t Fingerprint() const;
  static void Return(Loan* loan);

  std::vector<Array> arrays_;
  const int64_t frame_;
  const std::shared_ptr<ChangedFrame> changed_;
  std::optional<uint64_t> fingerprint_;
  std::unique_ptr<Loan> next_;  // in the list of those to give back
};

/// Gives back to Python all arrays that sessions are done with. Holds the GIL.
void ReturnArrays();

}  // namespace acutance::python
