#include "backend/sycl/kernel.h"

namespace acutance::sycl_backend {

Result<std::unique_ptr<Kernel>> SyclKernel::Load(std::shared_ptr<Context> context, const KernelImage& image) {
  const DeviceInfo& info = context->info();
  if (image.sycl_source.empty())
    return Error(StatusCode::kUnsupported, "kernel {} was not built for SYCL", image.symbol);
  if (image.shared_bytes > info.shared_bytes)
    return Error(StatusCode::kUnsupported, "kernel {} needs {} bytes of shared memory, {} has {} a workgroup",
                 image.symbol, image.shared_bytes, info.name, info.shared_bytes);
  if (static_cast<size_t>(image.group_x) * image.group_y > context->largest_group())
    return Error(StatusCode::kUnsupported, "kernel {} has workgroups of {}x{} work items, {} runs at most {}",
                 image.symbol, image.group_x, image.group_y, info.name, context->largest_group());
  return std::unique_ptr<Kernel>(new SyclKernel(std::move(context), image));
}

SyclKernel::SyclKernel(std::shared_ptr<Context> context, const KernelImage& image)
    : context_(std::move(context)),
      compiled_(context_->compiler().Add(image)),
      group_x_(image.group_x),
      group_y_(image.group_y),
      args_bytes_(image.args_bytes) {}

}  // namespace acutance::sycl_backend
