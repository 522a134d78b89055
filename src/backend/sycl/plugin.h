// The interface of the plugin library libacutance_sycl.so. C++ objects cross it, so that program
// and plugin must come from one build.
#pragma once

#include "exec/device.h"

namespace acutance::sycl_backend {

struct Plugin {
  const char* build;  // ACUTANCE_SYCL_BUILD as the plugin was compiled with; the other members mean something if equal
  BackendProbe (*probe)();
  Result<std::unique_ptr<Device>> (*open)(int index);
};

inline constexpr const char* kPluginSymbol = "acutance_sycl_plugin";  // of type Plugin

}  // namespace acutance::sycl_backend
