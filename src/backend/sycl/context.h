// An opened device: what buffers, kernels and queues share, and what outlives them.
#pragma once

#include <cstddef>
#include <memory>
#include <sycl/sycl.hpp>

#include "backend/sycl/compiler.h"
#include "base/status.h"
#include "exec/device.h"

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

 private:
  Context(const sycl::device& device, DeviceInfo info);

  const DeviceInfo info_;
  const sycl::device device_;
  const sycl::context context_;
  const size_t largest_allocation_;
  const size_t largest_group_;
  Compiler compiler_;
};

}  // namespace acutance::sycl_backend
