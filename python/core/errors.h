// Makes Python exceptions, the classes of acutance._errors, of the C++ API's errors.
#pragma once

#include <acutance/acutance.h>
#include <nanobind/nanobind.h>

#include <string>
#include <utility>

namespace acutance::python {

/// Throws the exception class of the status's code. Holds the GIL.
[[noreturn]] void Raise(const Status& status);

/// Raises InvalidArgumentError.
[[noreturn]] void RaiseArgument(const std::string& message);

/// SessionError, for a use of a session that its state forbids.
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
