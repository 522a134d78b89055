// Self-tests of devices before their first use: on pictures made by a formula, each metric's kernels must give the
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

/// The test of the kernels that one use of a device needs.
struct SelfTest {
  std::string name;                  // "vif"
  std::vector<std::string> kernels;  // in the order of their names
  std::function<Status(Device&)> run;
  /// Kernels to load before, for a device of a family; null: none.
  std::function<std::vector<const KernelImage*>(const std::string& family)> ahead = nullptr;
};

/// Tests all that a session can ask of the device for this metric: all depths and workload classes, the smallest
/// pictures and odd ones, different pictures and equal ones; and every option that reaches a kernel, with samples of
/// either type. The error names the metric, the options, the size, and the first result that differs.
Status TestMetric(Device& device, const Metric& metric);

/// The kernels that the metric runs on devices of the family, except those that only 16-bit samples need.
std::vector<const KernelImage*> KernelsToLoad(const Metric& metric, const std::string& family);

/// The names of all kernels that it runs, in their order.
std::vector<std::string> KernelsOf(const Metric& metric);

/// Tests of the kernels that rearrange samples, for both sample sizes: those that split NVDEC's frames into planes
/// (exec/surface_splitter.h), with every second sample and with shifted ones, as in the chroma of NV12 and P010; and
/// those that expand bit depths (image/expand_plane.h), in two pictures whose rows fill no word. The error names the
/// first wrong sample.
Status TestUnpacking(Device& device);
Status TestExpanding(Device& device);

/// TestMetric. The metric has a device plan.
SelfTest MetricSelfTest(const Metric& metric);

/// TestUnpacking: for videos that the device decodes.
SelfTest UnpackSelfTest();

/// TestExpanding: for videos of fewer bits than the reference.
SelfTest ExpandSelfTest();

/// TestScaling: for videos of another size than the reference.
SelfTest ScaleSelfTest();

/// UnpackSelfTest, ExpandSelfTest and ScaleSelfTest, then those of all metrics that have a device plan.
std::vector<SelfTest> AllSelfTests();

/// Runs the test, unless this device passed it before with this driver and these kernels, by the user's cache folder
/// (base/file_cache.h).
Status CheckOnce(Device& device, const SelfTest& test);

/// The same for all of them, with their kernels loaded together (Device::LoadAhead). The first failure ends it, and
/// `cancelled`, which is asked before each test: kCancelled then, and those that passed are cached.
Status CheckAllOnce(Device& device, std::span<const SelfTest> tests, const std::function<bool()>& cancelled = nullptr);

/// Runs the test regardless of the cache, and caches its outcome: a device that fails loses an earlier pass.
Status CheckAnew(Device& device, const SelfTest& test);

/// The hash of the test's kernels as the device runs them, in hexadecimal digits.
std::string KernelsHash(const DeviceInfo& info, const SelfTest& test);

/// The key of a cached pass: the backend, the individual device, its driver, the test and a hash of its kernels.
std::string SelfTestKey(const DeviceInfo& info, const SelfTest& test);

}  // namespace acutance
