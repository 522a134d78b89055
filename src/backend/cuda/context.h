// A device's primary context: what buffers, kernels and queues share, and what outlives them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "backend/cuda/driver.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::cuda {

class Module;

class Context {
 public:
  /// Retains the primary context of a device.
  static Result<std::shared_ptr<Context>> Retain(const Driver& driver, CUdevice device, DeviceInfo info);
  /// Uses a context that somebody else keeps.
  static std::shared_ptr<Context> Borrow(const Driver& driver, CUdevice device, CUcontext context, DeviceInfo info);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceInfo& info() const { return info_; }
  CUcontext handle() const { return context_; }

  /// Ok, or what failed while `doing` that. Remembers a failure that no later call survives.
  Status Check(CUresult result, std::string_view doing);

  /// The module of `binary`, loaded once for all kernels in it and kept: `binary` is embedded in the program.
  Result<const Module*> LoadModule(const KernelBinary& binary);

 private:
  friend class CurrentContext;
  Context(const Driver& driver, CUdevice device, CUcontext context, DeviceInfo info, bool retained);
  Status Lost();

  const Driver& driver_;
  const CUdevice device_;
  CUcontext context_;
  const DeviceInfo info_;
  const bool retained_;  // given back at the end
  std::mutex lost_mutex_;
  Status lost_;  // the first failure that lost the device
  std::mutex modules_mutex_;
  std::map<const std::byte*, std::unique_ptr<Module>> modules_;  // by the embedded code
};

/// Makes a context current on this thread for a scope, whatever was current before.
class CurrentContext {
 public:
  explicit CurrentContext(Context& context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  /// Why the context cannot be used: the device is lost.
  const Status& status() const { return status_; }
  /// Whether handles can be given back, which a lost device may still do.
  bool pushed() const { return pushed_; }

 private:
  Context& context_;
  bool pushed_;
  Status status_;
};

}  // namespace acutance::cuda
