// From the C++ API's errors to Python's: classes of acutance._errors.
#pragma once

#include <acutance/acutance.h>
#include <nanobind/nanobind.h>

#include <string>
#include <utility>

namespace acutance::python {

/// Throws the exception class of the status's code. Holds the GIL.
[[noreturn]] void Raise(const Status& status);

/// InvalidArgumentError: what was given cannot be.
[[noreturn]] void RaiseArgument(const std::string& message);

/// SessionError: a session is used in a way that its state forbids.
[[noreturn]] void RaiseSession(const std::string& message);

inline void Check(const Status& status) {
  if (!status.ok()) Raise(status);
}

template <class T>
T Take(Expected<T> expected) {
  if (!expected) Raise(expected.status());
  return *std::move(expected);
}

}  // namespace acutance::python
