#include "backend/sycl/error.h"

#include <exception>
#include <new>
#include <sycl/sycl.hpp>

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

}  // namespace acutance::sycl_backend
