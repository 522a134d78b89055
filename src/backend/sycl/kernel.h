// A kernel of an opened device. It is compiled with others, before the first recording that needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend/sycl/context.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/kernel_image.h"

namespace acutance::sycl_backend {

class SyclKernel : public Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> Load(std::shared_ptr<Context> context, const KernelImage& image);

  /// The kernel, once Compiler::Compile() has run.
  const CompiledKernel& compiled() const { return *compiled_; }
  const std::string& symbol() const { return compiled_->symbol; }
  size_t group_x() const { return group_x_; }
  size_t group_y() const { return group_y_; }
  uint32_t args_bytes() const { return args_bytes_; }

 private:
  SyclKernel(std::shared_ptr<Context> context, const KernelImage& image);

  const std::shared_ptr<Context> context_;  // declared first: the kernel goes before it
  const std::shared_ptr<const CompiledKernel> compiled_;
  const size_t group_x_;
  const size_t group_y_;
  const uint32_t args_bytes_;
};

}  // namespace acutance::sycl_backend
