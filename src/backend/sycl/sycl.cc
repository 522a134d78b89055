#include "backend/sycl/sycl.h"

#include "backend/sycl/driver.h"

namespace acutance {
namespace sycl_backend {
namespace {

BackendProbe Probe() {
  const Result<const Plugin*> plugin = OpenPlugin();
  return plugin.ok() ? (*plugin)->probe() : BackendProbe{{}, plugin.status().message()};
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const Plugin* plugin, OpenPlugin());
  return plugin->open(index);
}

constexpr const char* kTraces[] = {"/dev/dri", "/dev/dxg"};

}  // namespace
}  // namespace sycl_backend

const Backend kSyclBackend = {
    .name = "sycl",
    .summary = "Intel GPUs, and CPUs for tests, through Intel's SYCL runtime; no Intel GPU has run it yet",
    .probe = sycl_backend::Probe,
    .open = sycl_backend::Open,
    .traces = sycl_backend::kTraces};

}  // namespace acutance
