// SYCL backend: Intel GPUs and CPUs, through Intel's SYCL runtime. All code that needs the runtime is in the plugin
// library libacutance_sycl.so, which is opened at run time. C++ objects cross its interface, so that program and plugin
// must come from one build.
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kSyclBackend;

namespace sycl_backend {

struct Plugin {
  const char* build;  // ACUTANCE_SYCL_BUILD as the plugin was compiled with; the other members mean something if equal
  BackendProbe (*probe)();
  Result<std::unique_ptr<Device>> (*open)(int index);
};

inline constexpr const char* kPluginSymbol = "acutance_sycl_plugin";  // of type Plugin

}  // namespace sycl_backend
}  // namespace acutance
