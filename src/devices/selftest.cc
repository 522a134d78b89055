#include "devices/selftest.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/file_cache.h"
#include "base/hash.h"
#include "devices/scaling_selftest.h"
#include "metric/registry.h"

namespace acutance {
namespace {

/// A hash of all variants of the kernels, for tuning chooses among them: of their binaries for the backend or, where it
/// compiles the source itself or they lie in files, of that. A session waits for it: 1 MB takes a millisecond.
uint64_t HashKernels(const DeviceInfo& info, const std::vector<std::string>& kernels) {
  uint64_t hash = Hash(info.kernels);
  const std::byte* last = nullptr;  // variants of a kernel share a binary: once is enough
  for (const KernelImage& image : KernelImages()) {
    if (!std::ranges::binary_search(kernels, image.kernel)) continue;
    hash = Hash(image.symbol, hash);
    bool has_binary = false;
    for (const KernelBinary& binary : image.binaries) {
      if (binary.backend != info.backend) continue;
      has_binary = true;
      if (binary.code.data() != last) hash = Hash(binary.code, hash);
      last = binary.code.data();
    }
    if (!has_binary) hash = Hash(image.sycl_source, hash);
  }
  return hash;
}

const FileCache& Passed() {
  static const FileCache passed("selftests", 1000);
  return passed;
}

}  // namespace

SelfTest MetricSelfTest(const Metric& metric) {
  return {std::string(metric.name), KernelsOf(metric), [&metric](Device& device) { return TestMetric(device, metric); },
          [&metric](const std::string& family) { return KernelsToLoad(metric, family); }};
}

SelfTest UnpackSelfTest() { return {"decoding", {"unpack_samples"}, TestUnpacking, nullptr}; }

SelfTest ExpandSelfTest() { return {"expanding", {"expand_samples"}, TestExpanding, nullptr}; }

SelfTest ScaleSelfTest() {
  return {"scaling", {"convert_color", "scale_across", "scale_down", "expand_samples"}, TestScaling, nullptr};
}

std::vector<SelfTest> AllSelfTests() {
  std::vector<SelfTest> tests = {UnpackSelfTest(), ExpandSelfTest(), ScaleSelfTest()};
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan) tests.push_back(MetricSelfTest(*metric));
  return tests;
}

std::string KernelsHash(const DeviceInfo& info, const SelfTest& test) {
  return fmt::format("{:016x}", HashKernels(info, test.kernels));
}

std::string SelfTestKey(const DeviceInfo& info, const SelfTest& test) {
  return fmt::format("{} | {} | {} | driver {} | {} | kernels {}", info.backend, info.name, info.identity, info.driver,
                     test.name, KernelsHash(info, test));
}

Status CheckOnce(Device& device, const SelfTest& test) {
  if (device.info().is_reference) return {};
  return Passed().Read(SelfTestKey(device.info(), test)) ? Status() : CheckAnew(device, test);
}

Status CheckAllOnce(Device& device, std::span<const SelfTest> tests, const std::function<bool()>& cancelled) {
  if (device.info().is_reference) return {};
  std::vector<const SelfTest*> due;
  std::vector<const KernelImage*> images;
  for (const SelfTest& test : tests) {
    if (Passed().Read(SelfTestKey(device.info(), test))) continue;
    due.push_back(&test);
    if (test.ahead) std::ranges::copy(test.ahead(device.info().family), std::back_inserter(images));
  }
  device.LoadAhead(images);
  for (const SelfTest* test : due) {
    if (cancelled && cancelled()) return Error(StatusCode::kCancelled, "cancelled");
    ACU_RETURN_IF_ERROR(CheckAnew(device, *test));
  }
  return {};
}

Status CheckAnew(Device& device, const SelfTest& test) {
  const std::string key = SelfTestKey(device.info(), test);
  if (test.ahead) device.LoadAhead(test.ahead(device.info().family));
  Status status = test.run(device);
  if (status.ok()) Passed().Write(key, {});
  else Passed().Remove(key);
  return status;
}

}  // namespace acutance
