// An opened device: what buffers, kernels and queues share, and what outlives them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <sycl/sycl.hpp>

#include "backend/sycl/compiler.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/progress_timeout.h"

namespace acutance::sycl_backend {

class Context {
 public:
  static Result<std::shared_ptr<Context>> Make(const sycl::device& device, DeviceInfo info);

  const DeviceInfo& info() const { return info_; }
  const sycl::device& device() const { return device_; }
  const sycl::context& context() const { return context_; }
  size_t largest_allocation() const { return largest_allocation_; }
  size_t largest_group() const { return largest_group_; }  // work items of a workgroup
  Compiler& compiler() { return compiler_; }
  ProgressTimeout& patience() { return patience_; }

  /// Waits until the runtime's event has come. A device that makes no progress is lost.
  Status WaitFor(sycl::event& event, std::string_view doing);

  /// Whether the device hangs: calls would hang, too, and what it may still write is never freed.
  bool is_abandoned() const { return abandoned_; }
  /// Ok, or why the device takes no calls any more.
  Status Lost() const;

 private:
  Context(const sycl::device& device, DeviceInfo info);

  const DeviceInfo info_;
  const sycl::device device_;
  const sycl::context context_;
  const size_t largest_allocation_;
  const size_t largest_group_;
  Compiler compiler_;
  ProgressTimeout patience_;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace acutance::sycl_backend
