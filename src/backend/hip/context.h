// An opened device: what buffers, kernels and queues share, and what outlives them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "backend/hip/driver.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::hip {

class Module;

class Context {
 public:
  Context(const Driver& driver, DeviceInfo info);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceInfo& info() const { return info_; }

  /// Ok, or what failed while `doing` that. Remembers a failure that no later call survives.
  Status Check(hipError_t result, std::string_view doing);

  /// The module of `binary`, loaded once for all kernels in it and kept: `binary` is embedded in the program.
  Result<const Module*> LoadModule(const KernelBinary& binary);

 private:
  friend class CurrentContext;
  Status Lost();

  const Driver& driver_;
  const DeviceInfo info_;
  std::mutex lost_mutex_;
  Status lost_;  // the first failure that lost the device
  std::mutex modules_mutex_;
  std::map<const std::byte*, std::unique_ptr<Module>> modules_;  // by the embedded code
};

/// Makes a device current on this thread for a scope, whatever was current before.
class CurrentContext {
 public:
  explicit CurrentContext(Context& context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  /// Why the device cannot be used: it is lost.
  const Status& status() const { return status_; }
  /// Whether handles can be given back, which a lost device may still do.
  bool pushed() const { return pushed_; }

 private:
  Context& context_;
  int previous_ = -1;
  bool pushed_ = false;
  Status status_;
};

}  // namespace acutance::hip
