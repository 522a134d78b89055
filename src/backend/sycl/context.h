// Opened SYCL device, which buffers, kernels and queues share and which outlives them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>

#include "backend/sycl/compiler.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/progress_timeout.h"

namespace acutance::sycl_backend {

/// The error for the exception that is being handled: "<device>: could not <doing>: <its message>". Outside of Try()
/// only destructors of the runtime are called.
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

class Context {
 public:
  static Result<std::shared_ptr<Context>> Make(const sycl::device& device, DeviceInfo info);

  const DeviceInfo& info() const { return info_; }
  const sycl::device& device() const { return device_; }
  const sycl::context& context() const { return context_; }
  size_t largest_allocation() const { return largest_allocation_; }
  size_t largest_group() const { return largest_group_; }  // work items of a workgroup
  Compiler& compiler() { return compiler_; }
  DeviceHealth& health() { return health_; }

  /// Waits until the event is complete. A device that makes no progress is lost.
  Status WaitFor(sycl::event& event, std::string_view doing);

  bool is_abandoned() const { return health_.is_abandoned(); }
  /// Ok, or why the device takes no calls any more.
  Status Lost() const { return health_.Check(info_.name); }

 private:
  Context(const sycl::device& device, DeviceInfo info);

  const DeviceInfo info_;
  const sycl::device device_;
  const sycl::context context_;
  const size_t largest_allocation_;
  const size_t largest_group_;
  Compiler compiler_;
  DeviceHealth health_;
};

}  // namespace acutance::sycl_backend
