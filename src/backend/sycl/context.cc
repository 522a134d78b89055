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

Status Context::WaitFor(sycl::event& event, std::string_view doing) {
  ACU_RETURN_IF_ERROR(Lost());
  using State = sycl::info::event_command_status;
  bool ended = false;
  ACU_RETURN_IF_ERROR(Try(info_.name, doing, [&] {
    ended = patience_
                .Wait([&]() -> Result<bool> {
                  const State state = event.get_info<sycl::info::event::command_execution_status>();
                  return state != State::submitted && state != State::running;
                })
                .value();
    if (ended) event.wait_and_throw();
  }));
  if (ended) return {};
  abandoned_ = true;
  return Error(StatusCode::kIo, "{}: could not {}: it made no progress for too long and is given up", info_.name,
               doing);
}

Status Context::Lost() const {
  if (!abandoned_) return {};
  return Error(StatusCode::kIo, "{} is lost since an earlier failure (it hangs); open it again to use it", info_.name);
}

}  // namespace acutance::sycl_backend
