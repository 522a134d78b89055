// Modules of embedded code and the kernels in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend/hip/context.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/kernel_image.h"

namespace acutance::hip {

/// Loaded code. Belongs to its context.
class Module {
 public:
  static Result<std::unique_ptr<Module>> Load(Context& context, const KernelBinary& binary);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  hipModule_t handle() const { return handle_; }

 private:
  Module(Context& context, hipModule_t handle) : context_(context), handle_(handle) {}

  Context& context_;
  hipModule_t handle_;
};

class HipKernel : public Kernel {
 public:
  /// From the code object for the GPU's instruction set.
  static Result<std::unique_ptr<Kernel>> Load(const std::shared_ptr<Context>& context, const KernelImage& image);

  hipFunction_t function() const { return function_; }
  const std::string& symbol() const { return symbol_; }
  int group_x() const { return group_x_; }
  int group_y() const { return group_y_; }
  uint32_t args_bytes() const { return args_bytes_; }

 private:
  HipKernel(std::shared_ptr<Context> context, hipFunction_t function, const KernelImage& image);

  const std::shared_ptr<Context> context_;
  hipFunction_t function_;
  const std::string symbol_;
  const int group_x_;
  const int group_y_;
  const uint32_t args_bytes_;
};

}  // namespace acutance::hip
