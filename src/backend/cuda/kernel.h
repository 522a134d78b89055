// Modules of embedded code and the kernels in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend/cuda/context.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/kernel_image.h"

namespace acutance::cuda {

/// Loaded code. Belongs to its context.
class Module {
 public:
  static Result<std::unique_ptr<Module>> Load(Context& context, const KernelBinary& binary);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUmodule handle() const { return handle_; }

 private:
  Module(Context& context, CUmodule handle) : context_(context), handle_(handle) {}

  Context& context_;
  CUmodule handle_;
};

class CudaKernel : public Kernel {
 public:
  /// From machine code for exactly this GPU where the build has it, else from PTX, which the driver compiles.
  static Result<std::unique_ptr<Kernel>> Load(const std::shared_ptr<Context>& context, const KernelImage& image);

  CUfunction function() const { return function_; }
  const std::string& symbol() const { return symbol_; }
  int group_x() const { return group_x_; }
  int group_y() const { return group_y_; }
  uint32_t args_bytes() const { return args_bytes_; }

 private:
  CudaKernel(std::shared_ptr<Context> context, CUfunction function, const KernelImage& image);

  const std::shared_ptr<Context> context_;
  CUfunction function_;
  const std::string symbol_;
  const int group_x_;
  const int group_y_;
  const uint32_t args_bytes_;
};

}  // namespace acutance::cuda
