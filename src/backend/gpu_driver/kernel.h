// Kernels in modules of embedded code.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/gpu_driver/context.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/device_checks.h"
#include "exec/kernel_image.h"

namespace acutance::gpu {

template <class Api>
struct GpuKernel : Kernel {
  GpuKernel(std::shared_ptr<Context<Api>> owner, typename Api::Function entry, const KernelImage& image)
      : context(std::move(owner)),
        function(entry),
        symbol(image.symbol),
        group_x(image.group_x),
        group_y(image.group_y),
        args_bytes(image.args_bytes) {}

  const std::shared_ptr<Context<Api>> context;  // whose module holds the function
  const typename Api::Function function;
  const std::string symbol;
  const int group_x, group_y;
  const uint32_t args_bytes;
};

template <class Api>
Result<typename Api::Function> FindFunction(Context<Api>& context, typename Api::Module module,
                                            const KernelImage& image) {
  const std::string symbol(image.symbol);
  typename Api::Function function{};
  ACU_RETURN_IF_ERROR(context.Check(context.api().FindFunction(&function, module, symbol.c_str()),
                                    fmt::format("find kernel {} in its module", symbol)));
  int threads = 0;
  ACU_RETURN_IF_ERROR(context.Check(context.api().MaxGroupSize(&threads, function),
                                    fmt::format("read the limits of kernel {}", symbol)));
  ACU_RETURN_IF_ERROR(CheckWorkgroup(image, context.info(), threads));
  return function;
}

/// Loads the first of the image's binaries that the driver takes.
template <class Api>
Result<std::unique_ptr<Kernel>> LoadKernel(const std::shared_ptr<Context<Api>>& context, const KernelImage& image) {
  const CurrentContext<Api> current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  ACU_RETURN_IF_ERROR(CheckSharedMemory(image, context->info()));
  Status failure = Api::NotBuilt(image, context->info().family);
  for (const KernelBinary& binary : Api::Binaries(image, context->info().family)) {
    const Result<typename Api::Module> module = context->LoadModule(binary, image.symbol);
    if (!module.ok()) {  // an old driver refuses a new toolkit's machine code, and still compiles PTX
      failure = module.status();
      continue;
    }
    ACU_ASSIGN_OR_RETURN(const auto function, FindFunction(*context, *module, image));
    return std::unique_ptr<Kernel>(new GpuKernel<Api>(context, function, image));
  }
  return failure;
}

}  // namespace acutance::gpu
