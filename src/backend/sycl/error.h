// What the runtime throws, as values. Nothing of the runtime is called outside of Try() but destructors.
#pragma once

#include <string_view>
#include <utility>

#include "base/status.h"

namespace acutance::sycl_backend {

/// Of the exception that is being handled: "<device>: could not <doing>: <what it says>".
Status CaughtError(std::string_view device, std::string_view doing);

/// Ok, or what `work` threw.
template <class Work>
Status Try(std::string_view device, std::string_view doing, Work&& work) {
  try {
    std::forward<Work>(work)();
    return {};
  } catch (...) {
    return CaughtError(device, doing);
  }
}

}  // namespace acutance::sycl_backend
