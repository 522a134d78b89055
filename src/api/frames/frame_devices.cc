#include <acutance/frame_scorer.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/system/process.h"
#include "base/threads/exception_barrier.h"
#include "devices/backends.h"
#include "devices/selftest.h"
#include "devices/shared_device.h"
#include "metric/registry.h"

namespace acutance::api {
namespace {

Expected<std::vector<SelfTest>> TestsOf(const std::vector<std::string>& features) {
  std::vector<SelfTest> tests;
  for (const std::string& feature : features) {
    ACU_ASSIGN_OR_RETURN(const Metric* metric, NamedMetric(feature));
    tests.push_back(MetricSelfTest(*metric));
  }
  return tests;
}

std::vector<FrameDevice> DevicesOf(const Backend& backend, bool takes_software, const std::vector<SelfTest>& tests) {
  std::vector<FrameDevice> devices;
  for (const acutance::DeviceInfo& info : backend.probe().devices) {
    if (info.is_cpu && !takes_software) continue;
    const Status usable = CatchExceptions([&]() -> Status {
      ACU_ASSIGN_OR_RETURN(const std::shared_ptr<SharedDevice> device, SharedDevice::Open(backend.name, info.index));
      return CheckAllOnce(device->device(), tests);
    });
    if (usable.ok())
      devices.push_back({info.backend, info.index, info.name, info.memory_bytes, info.wave_size, info.is_integrated});
  }
  return devices;
}

std::vector<FrameDevice> FindDevices(const std::string& backend, const std::vector<std::string>& features) {
  if (RunsOnCpu({.backend = backend})) return {};
  const auto tests = TestsOf(features);
  if (!tests.ok()) return {};
  for (const Backend* candidate : Backends()) {
    if (backend != "auto" && backend != candidate->name) continue;
    std::vector<FrameDevice> devices = DevicesOf(*candidate, backend != "auto", *tests);
    if (!devices.empty()) return devices;
  }
  return {};
}

struct Found {
  const ProcessGuard process;
  std::mutex mutex;  // guards what follows
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<FrameDevice>> lists;
};

/// Never destroyed: clients may call while the program ends.
Found& TheFound() {
  static Found& found = *new Found();
  return found;
}

}  // namespace

std::vector<FrameDevice> ListFrameDevices(const std::string& backend, const std::vector<std::string>& features) {
  Found& found = TheFound();
  if (found.process.forked()) return {};
  const std::lock_guard lock(found.mutex);
  const auto [list, is_new] = found.lists.try_emplace({backend, features});
  if (is_new) list->second = FindDevices(backend, features);
  return list->second;
}

}  // namespace acutance::api
