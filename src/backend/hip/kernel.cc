#include "backend/hip/kernel.h"

#include "backend/hip/error.h"

namespace acutance::hip {
namespace {

/// The code object for the device's instruction set; null when the build has none.
const KernelBinary* FindBinary(const KernelImage& image, std::string_view family) {
  for (const KernelBinary& binary : image.binaries)
    if (binary.backend == "hip" && binary.target == family && !binary.code.empty()) return &binary;
  return nullptr;
}

/// Refuses what the device could only fail at, in words that say so.
Status CheckLimits(const Context& context, const KernelImage& image) {
  if (image.shared_bytes <= context.info().shared_bytes) return {};
  return Error(StatusCode::kUnsupported, "kernel {} needs {} bytes of shared memory, {} has {} a workgroup",
               image.symbol, image.shared_bytes, context.info().name, context.info().shared_bytes);
}

Result<hipFunction_t> FindFunction(Context& context, const Module& module, const KernelImage& image) {
  const std::string symbol(image.symbol);
  const Driver& driver = context.driver();
  hipFunction_t function = nullptr;
  ACU_RETURN_IF_ERROR(context.Check(driver.hipModuleGetFunction(&function, module.handle(), symbol.c_str()),
                                    fmt::format("find kernel {} in its module", symbol)));
  int threads = 0;
  ACU_RETURN_IF_ERROR(
      context.Check(driver.hipFuncGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
                    fmt::format("read the limits of kernel {}", symbol)));
  if (image.group_x * image.group_y > threads)
    return Error(StatusCode::kUnsupported, "kernel {} has workgroups of {}x{} work items, {} runs at most {} of it",
                 symbol, image.group_x, image.group_y, context.info().name, threads);
  return function;
}

}  // namespace

Result<std::unique_ptr<Module>> Module::Load(Context& context, const KernelBinary& binary) {
  hipModule_t handle = nullptr;
  ACU_RETURN_IF_ERROR(context.Check(context.driver().hipModuleLoadData(&handle, binary.code.data()),
                                    fmt::format("load the {} code of its kernels", binary.target)));
  return std::unique_ptr<Module>(new Module(context, handle));
}

Module::~Module() {
  const CurrentContext current(context_);
  if (current.pushed()) context_.driver().hipModuleUnload(handle_);
}

Result<std::unique_ptr<Kernel>> HipKernel::Load(const std::shared_ptr<Context>& context, const KernelImage& image) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  ACU_RETURN_IF_ERROR(CheckLimits(*context, image));
  const KernelBinary* binary = FindBinary(image, context->info().family);
  if (!binary)
    return Error(StatusCode::kUnsupported, "kernel {} was not built for {}; build with it in ACUTANCE_HIP_TARGETS",
                 image.symbol, context->info().family);
  ACU_ASSIGN_OR_RETURN(const Module* module, context->LoadModule(*binary));
  ACU_ASSIGN_OR_RETURN(hipFunction_t function, FindFunction(*context, *module, image));
  return std::unique_ptr<Kernel>(new HipKernel(context, function, image));
}

HipKernel::HipKernel(std::shared_ptr<Context> context, hipFunction_t function, const KernelImage& image)
    : context_(std::move(context)),
      function_(function),
      symbol_(image.symbol),
      group_x_(image.group_x),
      group_y_(image.group_y),
      args_bytes_(image.args_bytes) {}

}  // namespace acutance::hip
