#include "backend/sycl/context.h"

#include <exception>
#include <new>

namespace acutance::sycl_backend {
namespace {

StatusCode CodeOf(const sycl::exception& exception) {
  if (exception.code() == sycl::errc::memory_allocation) return StatusCode::kOutOfMemory;
  if (exception.code() == sycl::errc::build) return StatusCode::kUnsupported;
  // The runtime's own results come as errc::runtime, with their name in the text.
  const std::string_view text = exception.what();
  const bool memory = text.find("OUT_OF_DEVICE_MEMORY") != text.npos || text.find("OUT_OF_HOST_MEMORY") != text.npos;
  return memory ? StatusCode::kOutOfMemory : StatusCode::kIo;
}

}  // namespace

Status StatusFromException(std::string_view device, std::string_view doing) {
  auto error = [&](StatusCode code, std::string_view text) {
    return Error(code, "{}: could not {}: {}", device, doing, text);
  };
  try {
    throw;
  } catch (const sycl::exception& exception) {
    return error(CodeOf(exception), exception.what());
  } catch (const std::bad_alloc&) {
    return error(StatusCode::kOutOfMemory, "out of host memory");
  } catch (const std::exception& exception) {
    return error(StatusCode::kIo, exception.what());
  } catch (...) {
    return error(StatusCode::kIo, "the runtime does not say why");
  }
}

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
    ended = health_.patience()
                .Wait([&]() -> Result<bool> {
                  const State state = event.get_info<sycl::info::event::command_execution_status>();
                  return state != State::submitted && state != State::running;
                })
                .value();
    if (ended) event.wait_and_throw();
  }));
  if (ended) return {};
  health_.Abandon();
  return Error(StatusCode::kIo, "{}: could not {}: it made no progress for too long and is given up", info_.name,
               doing);
}

}  // namespace acutance::sycl_backend
