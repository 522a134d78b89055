// A device proves itself before its first use: each metric's kernels, on pictures made by a formula, must give the
// CPU's results.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "exec/kernel_image.h"
#include "metric/metric.h"

namespace acutance {

/// What one use of a device relies on.
struct SelfTest {
  std::string name;                  // "vif"
  std::vector<std::string> kernels;  // in the order of their names
  std::function<Status(Device&)> run;
  /// Kernels to load before, for a device of a family; null: none.
  std::function<std::vector<const KernelImage*>(const std::string& family)> ahead = nullptr;
};

/// TestMetric. The metric has a device plan.
SelfTest MetricSelfTest(const Metric& metric);

/// TestUnpacking: for videos that the device decodes.
SelfTest UnpackSelfTest();

/// TestRaising: for metrics that read pictures of more bits than the videos have.
SelfTest RaiseSelfTest();

/// TestScaling: for videos of another size than the reference.
SelfTest ScaleSelfTest();

/// UnpackSelfTest, RaiseSelfTest and ScaleSelfTest, then those of all metrics that have a device plan.
std::vector<SelfTest> AllSelfTests();

/// Runs the test, unless this device passed it with this driver and these kernels before: the user's cache folder says
/// so (base/file_cache.h).
Status CheckOnce(Device& device, const SelfTest& test);

/// The same for all of them, with their kernels loaded together (Device::LoadAhead). The first failure ends it.
Status CheckAllOnce(Device& device, std::span<const SelfTest> tests);

/// Ok where the cache says that the device passed all of them; runs none.
Status CheckProved(const Device& device, std::span<const SelfTest> tests);

/// Runs the test whatever is remembered, and remembers its outcome: a device that fails is no longer believed.
Status CheckAnew(Device& device, const SelfTest& test);

/// Of the test's kernels as the device runs them, in hexadecimal digits.
std::string KernelsHash(const DeviceInfo& info, const SelfTest& test);

/// What the cache remembers: the backend, the individual device, its driver, the test and a hash of its kernels.
std::string SelfTestKey(const DeviceInfo& info, const SelfTest& test);

}  // namespace acutance
