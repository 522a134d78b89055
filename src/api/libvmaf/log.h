// Log lines on standard error, and errors as errno values.
#pragma once

#include <libvmaf/libvmaf.h>

#include <new>
#include <string_view>

#include "base/status.h"

namespace acutance::libvmaf {

void SetLogLevel(VmafLogLevel level);  // of the process
void Log(VmafLogLevel level, std::string_view message);

/// Logs a failure of a function of the API and returns its negative errno; 0 when ok.
int Report(const char* function, const Status& status);
int ReportOutOfMemory(const char* function);
int ReportUnexpected(const char* function);

/// Runs the body of a function of the API, which gives a Status; no exception leaves it.
template <class Body>
int Call(const char* function, Body&& body) noexcept {
  try {
    return Report(function, body());
  } catch (const std::bad_alloc&) {
    return ReportOutOfMemory(function);
  } catch (...) {
    return ReportUnexpected(function);
  }
}

/// kInvalidArgument that names the argument when it is NULL.
inline Status CheckNotNull(const void* pointer, std::string_view name) {
  if (pointer) return {};
  return Error(StatusCode::kInvalidArgument, "{} is NULL", name);
}

}  // namespace acutance::libvmaf
