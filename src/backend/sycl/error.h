// Makes values of the runtime's exceptions. Outside of Try() only destructors of the runtime are
// called.
#pragma once

#include <string_view>
#include <utility>

#include "base/status.h"

namespace acutance::sycl_backend {

/// The error for the exception that is being handled: "<device>: could not <doing>: <what it
/// says>".
Status StatusFromException(std::string_view device, std::string_view doing);

/// Runs `work`: Ok, or the error for the exception that it threw.
template <class Work>
Status Try(std::string_view device, std::string_view doing, Work&& work) {
  try {
    std::forward<Work>(work)();
    return {};
  } catch (...) {
    return StatusFromException(device, doing);
  }
}

}  // namespace acutance::sycl_backend
