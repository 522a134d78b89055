#include "backend/hip/context.h"

#include "backend/hip/error.h"
#include "backend/hip/kernel.h"

namespace acutance::hip {

Context::Context(const Driver& driver, DeviceInfo info) : driver_(driver), info_(std::move(info)) {}

Context::~Context() { modules_.clear(); }

Status Context::Check(hipError_t result, std::string_view doing) {
  Status status = CallStatus(driver_, info_.name, result, doing);
  if (IsDeviceLost(result)) {
    const std::lock_guard lock(lost_mutex_);
    if (lost_.ok()) lost_ = status;
  }
  return status;
}

Status Context::Lost() {
  const std::lock_guard lock(lost_mutex_);
  if (lost_.ok()) return {};
  return Error(StatusCode::kIo, "{} is lost since an earlier failure ({}); restart the program to use it again",
               info_.name, lost_.message());
}

Result<const Module*> Context::LoadModule(const KernelBinary& binary) {
  const std::lock_guard lock(modules_mutex_);
  std::unique_ptr<Module>& module = modules_[binary.code.data()];
  if (!module) {
    ACU_ASSIGN_OR_RETURN(module, Module::Load(*this, binary));
  }
  return module.get();
}

CurrentContext::CurrentContext(Context& context) : context_(context) {
  const Driver& driver = context.driver();
  const int device = context.info().index;
  hipError_t result = driver.hipGetDevice(&previous_);
  if (result == hipSuccess && previous_ != device) result = driver.hipSetDevice(device);
  pushed_ = result == hipSuccess;
  status_ = context.Lost();
  if (status_.ok()) status_ = context.Check(result, "make it current");
}

CurrentContext::~CurrentContext() {
  if (pushed_ && previous_ != context_.info().index) (void)context_.driver().hipSetDevice(previous_);
}

}  // namespace acutance::hip
