// Compares metrics with their CPU code on every device of a backend; CTest runs it once a metric and backend.
//
//   parity_sweep BACKEND METRIC [--sizes]   --sizes: each size once, without options and shapes
//   parity_sweep BACKEND scaling [--sizes]  the kernels that scale pictures
//   parity_sweep metrics NAME...            whether these are the metrics that have a plan
//
// Exit status 0 when all are equal, 1 otherwise, 2 for wrong usage, 77 without a device. The emulator runs a case that
// launches a kernel, of a sample type and in a shape, for the first time at all its wave sizes, other cases at one of
// them in turn; with ACUTANCE_LONG_TESTS=1 every case at all.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "backend/emu/emu.h"
#include "backend/vulkan/vulkan.h"
#include "base/environment.h"
#include "base/system/process.h"
#include "devices/backends.h"
#include "metric/registry.h"
#include "tests/parity/scaling.h"
#include "tests/parity/sweep.h"

namespace acutance {
namespace {

constexpr int kNoDevice = 77;
constexpr int kWaves[] = {4, 8, 16, 32, 64};

std::set<std::string> MetricsWithPlans() {
  std::set<std::string> names;
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan != nullptr) names.insert(std::string(metric->name));
  return names;
}

int CompareMetrics(const std::vector<std::string>& names) {
  const std::set<std::string> expected = MetricsWithPlans();
  const bool same = std::set(names.begin(), names.end()) == expected;
  fmt::print("{}: {}\n", same ? "all metrics with a plan are swept" : "not all, or others than",
             fmt::join(expected, " "));
  return same ? 0 : 1;
}

/// Cases to compare on each device.
struct Sweep {
  std::vector<SweepCase> metric;
  std::vector<ScalingCase> scaling;
};

/// Counts what was compared, and prints each difference.
class Tally {
 public:
  void Check(Device& device, const SweepCase& which) {
    runs_ += which.shapes.size();
    Note(device, CheckShapes(device, which.parity, which.shapes));
  }
  void Check(Device& device, const ScalingCase& which) {
    ++runs_;
    Note(device, CheckScalingCase(device, which));
  }
  int Finish() const {
    fmt::print("{} runs, {} clips differ\n", runs_, failed_);
    return runs_ > 0 && failed_ == 0 ? 0 : 1;
  }

 private:
  void Note(Device& device, const Status& status) {
    if (status.ok()) return;
    ++failed_;
    fmt::print("{} ({}): {}\n", device.info().name, device.info().driver, status.message());
  }

  size_t runs_ = 0, failed_ = 0;
};

/// Whether a case launches a kernel that no case before it did.
class NewKernels {
 public:
  bool In(const SweepCase& which) {
    const size_t before = launched_.size();
    for (const KernelImage* image : LaunchedKernels({&which, 1}, "emu")) launched_.insert(image);
    return launched_.size() > before;
  }

 private:
  std::set<const KernelImage*> launched_;
};

int SweepEmulator(const Sweep& sweep) {
  Tally tally;
  uint64_t seed = 0;
  const auto check = [&](const auto& which, int wave) {
    tally.Check(*OpenEmuDevice({.wave_size = wave, .seed = ++seed}).value(), which);
  };
  const bool at_all = IsOn("ACUTANCE_LONG_TESTS", false);
  NewKernels kernels;
  size_t turn = 0;
  for (const SweepCase& which : sweep.metric) {
    const bool is_new = kernels.In(which);
    if (!at_all && !is_new) check(which, kWaves[turn++ % std::size(kWaves)]);
    else
      for (const int wave : kWaves) check(which, wave);
  }
  for (const ScalingCase& which : sweep.scaling)
    for (const int wave : kWaves) check(which, wave);
  return tally.Finish();
}

/// llvmpipe's waves follow from LP_NATIVE_VECTOR_WIDTH, in bits: as many 32-bit numbers as fit.
bool HasWaveOfEnvironment(const DeviceInfo& info) {
  const char* bits = std::getenv("LP_NATIVE_VECTOR_WIDTH");
  if (bits == nullptr || info.family != "llvmpipe" || info.wave_size == std::atoi(bits) / 32) return true;
  fmt::print("{}: waves of {}, where LP_NATIVE_VECTOR_WIDTH is {}\n", info.name, info.wave_size, bits);
  return false;
}

int SweepDevices(const Backend& backend, const Sweep& sweep) {
  const BackendProbe probe = backend.probe();
  if (probe.devices.empty()) {
    fmt::print("{}: {}\n", backend.name, probe.missing);
    return kNoDevice;
  }
  Tally tally;
  for (const DeviceInfo& info : probe.devices) {
    if (!HasWaveOfEnvironment(info)) return 1;
    auto device = backend.open(info.index);
    Status status = device.status();
    for (const KernelImage* image : LaunchedKernels(sweep.metric, info.family))
      if (status.ok()) status = (*device)->LoadKernel(*image).status();
    if (!status.ok()) {
      fmt::print("{}: {}\n", info.name, status.message());
      return 1;
    }
    for (const SweepCase& which : sweep.metric) tally.Check(**device, which);
    for (const ScalingCase& which : sweep.scaling) tally.Check(**device, which);
  }
  return tally.Finish();
}

/// Prints the messages of the validation layer; there are none unless ACUTANCE_VULKAN_VALIDATION is set.
int CheckValidation() {
  for (const std::string& message : VulkanValidationMessages()) fmt::print("validation: {}\n", message);
  return VulkanValidationMessages().empty() ? 0 : 1;
}

int Main(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "metrics") return CompareMetrics({words.begin() + 1, words.end()});
  const bool sizes = words.size() == 3 && words[2] == "--sizes";
  const Backend* backend = words.empty() ? nullptr : FindBackend(words[0]);
  const bool scales = words.size() > 1 && words[1] == "scaling";
  const Metric* metric = words.size() < 2 ? nullptr : FindMetric(words[1]);
  if (words.size() > (sizes ? 3 : 2) || !backend || !(scales || (metric && metric->make_plan))) {
    fmt::print(stderr, "usage: parity_sweep BACKEND METRIC|scaling [--sizes] | metrics NAME...\n");
    return 2;
  }
  const SweepExtent extent = sizes ? SweepExtent::kSizes : SweepExtent::kFull;
  Sweep sweep;
  if (scales) sweep.scaling = ScalingCases(extent);
  else sweep.metric = SweepCases(*metric, extent);
  if (backend == &kEmuBackend) return SweepEmulator(sweep);
  const int result = SweepDevices(*backend, sweep);
  return result == 0 ? CheckValidation() : result;
}

}  // namespace
}  // namespace acutance

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  return acutance::Main({argv + 1, argv + argc});
}
