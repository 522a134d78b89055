#include "backend/cuda/context.h"

#include "backend/cuda/error.h"
#include "backend/cuda/kernel.h"

namespace acutance::cuda {

Result<std::shared_ptr<Context>> Context::Retain(const Driver& driver, CUdevice device, DeviceInfo info) {
  CUcontext context = nullptr;
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, info.name, driver.cuDevicePrimaryCtxRetain(&context, device), "open its context"));
  return std::shared_ptr<Context>(new Context(driver, device, context, std::move(info), true));
}

std::shared_ptr<Context> Context::Borrow(const Driver& driver, CUdevice device, CUcontext context, DeviceInfo info) {
  return std::shared_ptr<Context>(new Context(driver, device, context, std::move(info), false));
}

Context::Context(const Driver& driver, CUdevice device, CUcontext context, DeviceInfo info, bool retained)
    : driver_(driver), device_(device), context_(context), info_(std::move(info)), retained_(retained) {}

Context::~Context() {
  modules_.clear();
  if (retained_) driver_.cuDevicePrimaryCtxRelease_v2(device_);
}

Status Context::Check(CUresult result, std::string_view doing) {
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
  const CUresult result = context.driver_.cuCtxPushCurrent_v2(context.context_);
  pushed_ = result == CUDA_SUCCESS;
  status_ = context.Lost();
  if (status_.ok()) status_ = context.Check(result, "make its context current");
}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  if (pushed_) context_.driver_.cuCtxPopCurrent_v2(&popped);
}

}  // namespace acutance::cuda
