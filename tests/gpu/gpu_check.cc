// Proves a device, on a machine that has one (tools/gpu/README.md):
//
//   gpu_check devices                    what each backend finds, and why not
//   gpu_check parity BACKEND [--quick]   every word of the kernel language, then every plan in every shape and with
//                                        every switch against the CPU: any difference fails
//   gpu_check leak BACKEND [--quick]     opens and closes 100 times, then runs 200 sessions: growing memory fails
//   gpu_check session BACKEND            one session: what compute-sanitizer watches
//   gpu_check speed BACKEND              frame pairs a second, from memory
//
// BACKEND: cuda, hip, vulkan, sycl, or emu, which needs no device. Exit status 0 when all holds, 1 otherwise, 2 for
// wrong usage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "backend/testing/language_probe.h"
#include "engine/backends.h"
#include "metric/registry.h"
#include "tests/gpu/memory_in_use.h"
#include "tests/gpu/speed.h"
#include "tests/parity/parity.h"

namespace acutance {
namespace {

struct Settings {
  const Backend* backend = nullptr;
  bool quick = false;

  std::vector<std::pair<int, int>> Sizes() const {
    if (quick) return {{3, 3}, {17, 9}, {16, 16}, {97, 61}};
    return {{3, 3}, {17, 9}, {16, 16}, {33, 33}, {64, 48}, {97, 61}, {200, 130}, {641, 359}, {1920, 1080}};
  }
};

int PrintDevices() {
  for (const Backend* backend : Backends()) {
    const BackendProbe probe = backend->probe();
    if (probe.devices.empty()) fmt::print("{:6} none: {}\n", backend->name, probe.missing);
    for (const DeviceInfo& d : probe.devices)
      fmt::print("{:6} {} {} ({}, {}): waves of {}, {} MiB, {} KiB shared\n", backend->name, d.index, d.name, d.family,
                 d.driver, d.wave_size, d.memory_bytes >> 20, d.shared_bytes >> 10);
  }
  return 0;
}

std::vector<const Metric*> MetricsWithPlans() {
  std::vector<const Metric*> metrics;
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan) metrics.push_back(metric);
  return metrics;
}

/// The defaults, and each switch of the metric turned over.
std::vector<OptionTexts> OptionCases(const Metric& metric) {
  std::vector<OptionTexts> cases(1);
  for (const OptionSpec& option : metric.options)
    if (const bool* value = std::get_if<bool>(&option.default_value))
      cases.push_back({{std::string(option.name), *value ? "false" : "true"}});
  return cases;
}

/// "", which stands for the tuning table's choice, and every shape that any kernel was built in.
std::vector<std::string> AllShapes() {
  std::set<std::string> shapes = {""};
  for (const KernelImage& image : KernelImages())
    for (std::string& shape : ShapesOf(image.kernel)) shapes.insert(std::move(shape));
  return {shapes.begin(), shapes.end()};
}

/// The cases of a metric with given options; batch, pixel format and length take turns.
std::vector<ParityCase> Cases(const Settings& settings, const Metric& metric, const OptionTexts& options) {
  constexpr std::array kFormats = {PixelFormat::k420, PixelFormat::k444, PixelFormat::k422, PixelFormat::k400};
  std::vector<ParityCase> cases;
  for (const auto& [width, height] : settings.Sizes())
    for (const int depth : {8, 10, 12, 16})
      for (const Content content : kContents)
        for (const std::string& shape : AllShapes()) {
          if (!Accepts(metric, options, {width, height, depth})) continue;
          const uint32_t turn = static_cast<uint32_t>(cases.size());
          const bool large = width * height > 1'000'000;
          if (large && (depth > 10 || content > Content::kExtremes)) continue;  // the CPU's part takes a second each
          cases.push_back({.metric = &metric,
                           .options = options,
                           .format = {width, height, depth, kFormats[turn % kFormats.size()]},
                           .content = content,
                           .frames = large ? 3 : 4 + static_cast<int>(turn % 4),
                           .batch = 1 + static_cast<int>(turn % 3),
                           .seed = turn,
                           .shape = shape});
        }
  return cases;
}

/// Runs all cases of a metric with given options, and prints a line.
bool CheckCases(Device& device, const Settings& settings, const Metric& metric, const OptionTexts& options) {
  std::string title(metric.name);
  for (const auto& [name, value] : options) title += fmt::format(" {}={}", name, value);
  int count = 0, failed = 0;
  std::string first;
  for (const ParityCase& which : Cases(settings, metric, options)) {
    const Status status = CheckParity(device, which);
    ++count;
    if (!status.ok() && failed++ == 0) first = status.message();
  }
  fmt::print("  {:40} {:5} runs, {} differ\n", title, count, failed);
  if (failed) fmt::print("    first: {}\n", first);
  std::fflush(stdout);
  return failed == 0 && count > 0;
}

Status CheckAll(const Settings& settings) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  fmt::print("parity with the CPU on {} ({}, waves of {})\n", device->info().name, device->info().driver,
             device->info().wave_size);
  ACU_RETURN_IF_ERROR(RunLanguageProbe(*device));
  fmt::print("  {:40} equal, doubles included\n", "every word of the kernel language");
  bool equal = true;
  for (const Metric* metric : MetricsWithPlans())
    for (const OptionTexts& options : OptionCases(*metric))
      equal = CheckCases(*device, settings, *metric, options) && equal;
  return equal ? Status() : Error(StatusCode::kBadData, "{} differs from the CPU", device->info().name);
}

/// Everything once: open, every metric's plan, close.
Status RunSession(const Settings& settings) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  for (const Metric* metric : MetricsWithPlans())
    ACU_RETURN_IF_ERROR(CheckParity(*device, {.metric = metric, .format = {97, 61, 10}, .frames = 5, .batch = 2}));
  return {};
}

/// Repeats, and fails when memory grows after the first tenth, in which allocators and drivers fill their pools.
template <class Work>
Status Repeat(const char* what, int times, const DeviceMemory& memory, Work work) {
  constexpr int64_t kHostSlackKib = 2048;
  int64_t host = 0, device = 0;
  for (int i = 0; i < times; ++i) {
    if (i == times / 10) host = HostKib(), device = memory.UsedKib();
    ACU_RETURN_IF_ERROR(work());
  }
  const int64_t host_growth = HostKib() - host, device_growth = memory.UsedKib() - device;
  fmt::print("  {} {} times: host memory {:+} KiB, device memory {:+} KiB\n", what, times, host_growth, device_growth);
  std::fflush(stdout);
  if (host_growth <= kHostSlackKib && device_growth <= 0) return {};
  return Error(StatusCode::kOutOfMemory, "{} leaks: its memory grows", what);
}

Status CheckLeaks(const Settings& settings) {
  const int divisor = settings.quick ? 10 : 1;
  const DeviceMemory memory;
  ACU_RETURN_IF_ERROR(
      Repeat("open and close", 100 / divisor, memory, [&] { return settings.backend->open(0).status(); }));
  return Repeat("a session", 200 / divisor, memory, [&] { return RunSession(settings); });
}

Status PrintSpeed(const Settings& settings) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  fmt::print("frame pairs a second on {}, pictures in memory, two batches in flight\n", device->info().name);
  for (const Metric* metric : MetricsWithPlans())
    for (const auto& [width, height] : {std::pair{576, 324}, {1920, 1080}, {3840, 2160}})
      for (const int depth : {8, 10}) {
        ACU_ASSIGN_OR_RETURN(const Speed speed, MeasureSpeed(*device, *metric, {width, height, depth}));
        fmt::print("  {:12} {:4}x{:4} {:2} bit, batch {:2}: {:9.0f}\n", metric->name, width, height, depth, speed.batch,
                   speed.pairs_per_second);
      }
  return {};
}

int Run(const std::string& command, const Settings& settings) {
  constexpr std::array<std::pair<const char*, Status (*)(const Settings&)>, 4> kCommands = {
      {{"parity", CheckAll}, {"leak", CheckLeaks}, {"session", RunSession}, {"speed", PrintSpeed}}};
  for (const auto& [name, run] : kCommands) {
    if (command != name) continue;
    const Status status = run(settings);
    fmt::print("{} {}: {}\n", command, settings.backend->name, status.ok() ? "good" : "FAILED: " + status.message());
    return status.ok() ? 0 : 1;
  }
  return 2;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "devices") return PrintDevices();
  Settings settings;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") settings.quick = true;
    for (const Backend* backend : Backends())
      if (arguments[i] == backend->name) settings.backend = backend;
  }
  const int result = settings.backend ? Run(arguments[0], settings) : 2;
  if (result == 2) fmt::print(stderr, "usage: gpu_check devices | (parity|leak|session|speed) BACKEND [--quick]\n");
  return result;
}

}  // namespace
}  // namespace acutance

int main(int argc, char** argv) { return acutance::Main({argv + 1, argv + argc}); }
