// Opened device of the CUDA driver or the HIP runtime, which buffers, kernels and queues share and which outlives them.
//
// Both have the same interface under different names, and the templates of this folder are the shared part of the two
// backends. Their parameter `Api` is one device of one driver (cuda/api.h, hip/api.h): handle types, and a function for
// each call.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "exec/device.h"
#include "exec/progress_timeout.h"

namespace acutance::gpu {

template <class Api>
class CurrentContext;

template <class Api>
class Context {
 public:
  using Code = typename Api::Code;
  using Module = typename Api::Module;

  Context(Api api, DeviceInfo info) : api_(std::move(api)), info_(std::move(info)) {}
  ~Context() {
    {
      const CurrentContext<Api> current(*this);
      if (current.pushed())
        for (const auto& [part, loaded] : modules_)
          if (loaded->is_there) api_.UnloadModule(loaded->module);
    }
    if (!is_abandoned()) api_.Close();
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Api& api() const { return api_; }
  const DeviceInfo& info() const { return info_; }

  /// Ok, or an error that says what failed while `doing` that. Remembers a failure that no later call survives.
  Status Check(Code code, std::string_view doing) {
    Status status = CallStatus(api_.driver, info_.name, code, doing);
    if (IsDeviceLost(code)) health_.Lose(status);
    return status;
  }

  /// Waits until `query` no longer says that the device is at work; see Check. A device that makes no progress is lost.
  template <class Query>
  Status WaitFor(Query&& query, std::string_view doing) {
    Code code = Api::kSuccess;
    ACU_ASSIGN_OR_RETURN(const bool ended, health_.patience().Wait([&]() -> Result<bool> {
      code = query();
      return code != Api::kNotReady;
    }));
    if (ended) return Check(code, doing);
    health_.Abandon();
    return Error(StatusCode::kIo, "{}: could not {}: it made no progress for too long and is given up", info_.name,
                 doing);
  }

  void LimitWaits(std::chrono::milliseconds longest) { health_.patience().Limit(longest); }
  bool is_abandoned() const { return health_.is_abandoned(); }
  /// Ok, or why the device takes no calls any more.
  Status Lost() const { return health_.Check(info_.name); }

  /// The module of the kernel's part of `binary` (Api::PartOf), loaded once for all kernels in it: `binary` is embedded
  /// in the program. Threads load different parts side by side.
  Result<Module> LoadModule(const KernelBinary& binary, std::string_view symbol) {
    const std::string_view part = Api::PartOf(binary, symbol);
    const std::shared_ptr<Loaded> loaded = LoadedOf({binary.code.data(), std::string(part)});
    const std::lock_guard lock(loaded->mutex);
    if (loaded->is_there) return loaded->module;
    std::string log;
    const Code code = api_.LoadModule(&loaded->module, binary, part, log);
    ACU_RETURN_IF_ERROR(Check(code, fmt::format("load the {} code of its kernels{}{}", binary.target,
                                                log.empty() ? "" : "; the driver's compiler says: ", log)));
    loaded->is_there = true;
    return loaded->module;
  }

  /// Whether that module is loaded, or another thread is at it.
  bool HasModule(const KernelBinary& binary, std::string_view symbol) {
    const std::shared_ptr<Loaded> loaded = LoadedOf({binary.code.data(), std::string(Api::PartOf(binary, symbol))});
    const std::unique_lock lock(loaded->mutex, std::try_to_lock);
    return !lock || loaded->is_there;
  }

 private:
  /// A module, or the place of one.
  struct Loaded {
    std::mutex mutex;
    bool is_there = false;
    Module module{};
  };
  using Part = std::pair<const std::byte*, std::string>;  // of embedded code

  std::shared_ptr<Loaded> LoadedOf(const Part& part) {
    const std::lock_guard lock(modules_mutex_);
    std::shared_ptr<Loaded>& loaded = modules_[part];
    if (!loaded) loaded = std::make_shared<Loaded>();
    return loaded;
  }

  Api api_;
  const DeviceInfo info_;
  DeviceHealth health_{"restart the program to use it again"};
  std::mutex modules_mutex_;
  std::map<Part, std::shared_ptr<Loaded>> modules_;
};

/// Makes a device current on this thread for a scope, over what was current before.
template <class Api>
class CurrentContext {
 public:
  explicit CurrentContext(Context<Api>& context) : api_(context.api()) {
    if (context.is_abandoned()) {
      status_ = context.Lost();
      return;
    }
    const typename Api::Code code = api_.Enter(previous_);
    pushed_ = code == Api::kSuccess;
    status_ = context.Lost();
    if (status_.ok()) status_ = context.Check(code, "make it current");
  }
  ~CurrentContext() {
    if (pushed_) api_.Leave(previous_);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  /// Why the device cannot be used: it is lost.
  const Status& status() const { return status_; }
  /// Whether handles can be given back, which a lost device may still do.
  bool pushed() const { return pushed_; }

 private:
  const Api& api_;
  typename Api::Previous previous_{};
  bool pushed_ = false;
  Status status_;
};

/// A handle that its owner releases with the call kFree of Api.
template <class Api, class Handle, auto kFree>
class Owned {
 public:
  Owned(std::shared_ptr<Context<Api>> context, Handle handle) : context_(std::move(context)), handle_(handle) {}
  ~Owned() {
    const CurrentContext<Api> current(*context_);
    if (current.pushed()) (context_->api().*kFree)(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Context<Api>& context() const { return *context_; }
  Handle handle() const { return handle_; }

 private:
  const std::shared_ptr<Context<Api>> context_;
  const Handle handle_;
};

}  // namespace acutance::gpu
