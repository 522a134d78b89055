#include "backend/sycl/context.h"

#include "backend/sycl/error.h"

namespace acutance::sycl_backend {

Result<std::shared_ptr<Context>> Context::Make(const sycl::device& device, DeviceInfo info) {
  std::shared_ptr<Context> context;
  ACU_RETURN_IF_ERROR(Try(info.name, "open it", [&] { context.reset(new Context(device, info)); }));
  return context;
}

Context::Context(const sycl::device& device, DeviceInfo info)
    : info_(std::move(info)),
      device_(device),
      context_(device),
      largest_allocation_(device.get_info<sycl::info::device::max_mem_alloc_size>()),
      largest_group_(device.get_info<sycl::info::device::max_work_group_size>()),
      compiler_(device_, context_, info_) {}

}  // namespace acutance::sycl_backend
