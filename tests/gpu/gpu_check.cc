// Proves a device, on a machine that has one (tools/gpu/README.md):
//
//   gpu_check devices                     what each backend finds, and why not
//   gpu_check metrics                     the metrics with a plan, which METRIC may name
//   gpu_check language BACKEND            every word of the kernel language
//   gpu_check parity BACKEND [METRIC]...  every plan in every shape and with every switch against the CPU
//   gpu_check scaling BACKEND             pictures of another size against the CPU's
//   gpu_check leak BACKEND                opens and closes 100 times, then runs 200 sessions: growing memory fails
//   gpu_check session BACKEND [METRIC]... every plan with every switch once: what compute-sanitizer watches
//   gpu_check times BACKEND [METRIC]...   what the device needs for a frame pair
//   gpu_check starts BACKEND              what starting recordings and copies costs
//
// BACKEND: as `acutance devices` lists them; emu needs no device. --quick: less of the same. Exit status 0 when all
// holds, 1 otherwise, 2 for wrong usage.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/testing/exact_probe.h"
#include "backend/testing/language_probe.h"
#include "base/system/process.h"
#include "devices/backends.h"
#include "metric/registry.h"
#include "metric/test_size.h"
#include "tests/gpu/measurements.h"
#include "tests/parity/parity.h"
#include "tests/parity/scaling.h"

namespace acutance {
namespace {

struct Settings {
  const Backend* backend = nullptr;
  std::vector<const Metric*> metrics;  // those with a plan, or those of them that were named
  bool quick = false;

  std::vector<std::pair<int, int>> Sizes(const Metric& metric) const {
    const PictureSize smallest = TestSizeOf(metric);
    const std::pair beyond = {smallest.width + 13, smallest.height + 6};
    if (quick) return {{3, 3}, {17, 9}, {16, 16}, {97, 61}, beyond};
    return {{3, 3}, {17, 9}, {16, 16}, {33, 33}, {64, 48}, {97, 61}, beyond, {200, 130}, {641, 359}, {1920, 1080}};
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

/// A picture of a clip in a metric's parity list: all shapes where they may matter, else the table's choice.
struct Case {
  ParityCase parity;
  bool all_shapes;
};

/// The cases of a metric with given options; batch, pixel format and length take turns.
std::vector<Case> Cases(const Settings& settings, const Metric& metric, const OptionTexts& options) {
  constexpr std::array kFormats = {PixelFormat::k420, PixelFormat::k444, PixelFormat::k422, PixelFormat::k400};
  std::vector<Case> cases;
  for (const auto& [width, height] : settings.Sizes(metric))
    for (const int depth : {8, 10, 12, 16})
      for (const Content content : kContents) {
        if (!Accepts(metric, options, {width, height, depth})) continue;
        const uint32_t turn = static_cast<uint32_t>(cases.size());
        const bool large = width * height > 1'000'000;
        if (large && (depth > 10 || content > Content::kExtremes)) continue;  // the CPU's part takes a second each
        const ParityCase parity = {.metric = &metric,
                                   .options = options,
                                   .format = {width, height, depth, kFormats[turn % kFormats.size()]},
                                   .content = content,
                                   .frames = large ? 3 : 4 + static_cast<int>(turn % 4),
                                   .batch = 1 + static_cast<int>(turn % 3),
                                   .seed = turn};
        cases.push_back({parity, content <= Content::kExtremes});
      }
  return cases;
}

/// Runs all cases of a metric with given options, and prints a line.
bool CheckCases(Device& device, const Settings& settings, const Metric& metric, const OptionTexts& options) {
  std::string title(metric.name);
  for (const auto& [name, value] : options) title += fmt::format(" {}={}", name, value);
  const std::vector<std::string> all = ShapesOf(metric, options), chosen = {""};
  size_t count = 0, failed = 0;
  std::string first;
  for (const Case& which : Cases(settings, metric, options)) {
    if (!Accepts(metric, options, which.parity.format)) continue;  // such as chroma options without chroma
    const std::vector<std::string>& shapes = which.all_shapes ? all : chosen;
    const Status status = CheckShapes(device, which.parity, shapes);
    count += shapes.size();
    if (!status.ok() && failed++ == 0) first = status.message();
  }
  fmt::print("  {:40} {:5} runs, {} differ\n", title, count, failed);
  if (failed) fmt::print("    first: {}\n", first);
  std::fflush(stdout);
  return failed == 0 && count > 0;
}

Status CheckLanguage(const Settings& settings) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  ACU_RETURN_IF_ERROR(RunLanguageProbe(*device));
  fmt::print("  {:40} equal, doubles included\n", "every word of the kernel language");
  ACU_RETURN_IF_ERROR(RunExactProbe(*device, settings.quick ? 10'000 : 1'000'000));
  fmt::print("  {:40} equal\n", "exact functions");
  return {};
}

Status CheckPlans(const Settings& settings) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  fmt::print("parity with the CPU on {} ({}, waves of {})\n", device->info().name, device->info().driver,
             device->info().wave_size);
  bool equal = true;
  for (const Metric* metric : settings.metrics)
    for (const OptionTexts& options : OptionCases(*metric))
      equal = CheckCases(*device, settings, *metric, options) && equal;
  return equal ? Status() : Error(StatusCode::kBadData, "{} differs from the CPU", device->info().name);
}

Status CheckScalings(const Settings& settings) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  std::vector<ScalingCase> cases = ScalingCases(settings.quick ? SweepExtent::kSizes : SweepExtent::kFull);
  if (!settings.quick) std::ranges::copy(LargeScalingCases(), std::back_inserter(cases));
  size_t failed = 0;
  std::string first;
  for (const ScalingCase& which : cases)
    if (const Status status = CheckScalingCase(*device, which); !status.ok() && failed++ == 0) first = status.message();
  fmt::print("  {:40} {:5} runs, {} differ\n", "scaling", cases.size(), failed);
  return failed == 0 ? Status() : Error(StatusCode::kBadData, "{}", first);
}

/// Opens a device, runs every metric's plan and closes it. Memory is not filled before use, so
/// that a sanitizer sees reads of uninitialised memory.
Status RunSession(const Settings& settings, bool switches) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  for (const Metric* metric : settings.metrics) {
    const PictureSize smallest = TestSizeOf(*metric);
    const PictureFormat format = {std::max(97, smallest.width + 13), std::max(61, smallest.height + 6), 10};
    for (const OptionTexts& options : switches ? OptionCases(*metric) : std::vector<OptionTexts>(1))
      ACU_RETURN_IF_ERROR(CheckParity(
          *device, {.metric = metric, .options = options, .format = format, .frames = 5, .batch = 2, .poison = false}));
  }
  return {};
}

Status CheckSession(const Settings& settings) { return RunSession(settings, true); }

/// Repeats, and fails when memory grows in both halves of what follows the first tenth. In that tenth allocators and
/// drivers fill their pools; a single step later is a pool that happens to be used for the first time, a leak
/// continues.
template <class Work>
Status Repeat(const char* what, int times, const DeviceMemory& memory, Work work) {
  constexpr int64_t kHostSlackKib = 1024;  // of a half
  const int first = times / 10, middle = (first + times) / 2;
  int64_t host[3] = {}, device[3] = {};
  const auto measure = [&](int at) {
    ::malloc_trim(0);  // what threads freed, and their allocators keep, is no leak
    host[at] = HostKib(), device[at] = memory.UsedKib();
  };
  for (int i = 0; i < times; ++i) {
    if (i == first) measure(0);
    if (i == middle) measure(1);
    ACU_RETURN_IF_ERROR(work());
  }
  measure(2);
  fmt::print("  {} {} times: host memory {:+} and {:+} KiB, device memory {:+} and {:+} KiB\n", what, times,
             host[1] - host[0], host[2] - host[1], device[1] - device[0], device[2] - device[1]);
  std::fflush(stdout);
  const bool host_leaks = host[1] - host[0] > kHostSlackKib && host[2] - host[1] > kHostSlackKib;
  if (!host_leaks && device[2] - device[0] <= 0) return {};
  return Error(StatusCode::kOutOfMemory, "{} leaks: its memory grows", what);
}

Status CheckLeaks(const Settings& settings) {
  const int divisor = settings.quick ? 10 : 1;
  const DeviceMemory memory;
  ACU_RETURN_IF_ERROR(
      Repeat("open and close", 100 / divisor, memory, [&] { return settings.backend->open(0).status(); }));
  return Repeat("a session", (settings.quick ? 100 : 200) / divisor, memory,
                [&] { return RunSession(settings, false); });
}

Status PrintTimes(const Settings& settings) {
  constexpr std::pair<int, int> kLarge[] = {{576, 324}, {1920, 1080}, {3840, 2160}}, kSmall[] = {{216, 160}};
  const std::span<const Metric* const> metrics = settings.metrics;
  const bool several = metrics.size() > 1;
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  if (settings.quick) {
    ACU_RETURN_IF_ERROR(PrintDeviceTimes(*device, metrics.first(several ? 2 : 1), kSmall, 1));
    ACU_RETURN_IF_ERROR(PrintSmallestTimes(*device, metrics));
    return several ? PrintScalingTimes(*device, kSmall) : Status();
  }
  ACU_RETURN_IF_ERROR(PrintDeviceTimes(*device, metrics, kLarge, 0));
  return several ? PrintScalingTimes(*device, kLarge) : Status();
}

Status PrintStarts(const Settings& settings) {
  constexpr size_t kBytes[] = {size_t{64} << 10, size_t{1} << 20, size_t{4} << 20, size_t{12} << 20, size_t{64} << 20};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, settings.backend->open(0));
  if (settings.quick) return PrintStartTimes(*device, std::span(kBytes).first(1), 8);
  return PrintStartTimes(*device, kBytes, 200);
}

int Run(const std::string& command, const Settings& settings) {
  constexpr std::array<std::pair<const char*, Status (*)(const Settings&)>, 7> kCommands = {
      {{"language", CheckLanguage},
       {"parity", CheckPlans},
       {"scaling", CheckScalings},
       {"leak", CheckLeaks},
       {"session", CheckSession},
       {"times", PrintTimes},
       {"starts", PrintStarts}}};
  for (const auto& [name, run] : kCommands) {
    if (command != name) continue;
    const Status status = run(settings);
    fmt::print("{} {}: {}\n", command, settings.backend->name, status.ok() ? "good" : "FAILED: " + status.message());
    return status.ok() ? 0 : 1;
  }
  return 2;
}

/// Reads BACKEND [METRIC]... [--quick]; false when a word is none of them.
bool ReadSettings(std::span<const std::string> words, Settings& settings) {
  for (const std::string& word : words) {
    const Metric* metric = FindMetric(word);
    const Backend* backend = FindBackend(word);
    if (word == "--quick") settings.quick = true;
    else if (backend) settings.backend = backend;
    else if (metric && metric->make_plan) settings.metrics.push_back(metric);
    else return false;
  }
  if (settings.metrics.empty()) settings.metrics = MetricsWithPlans();
  return settings.backend != nullptr;
}

int Main(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "devices") return PrintDevices();
  if (command == "metrics") {
    for (const Metric* metric : MetricsWithPlans()) fmt::print("{}\n", metric->name);
    return 0;
  }
  Settings settings;
  int result = 2;
  if (!arguments.empty() && ReadSettings(std::span(arguments).subspan(1), settings)) result = Run(command, settings);
  if (result == 2)
    fmt::print(stderr,
               "usage: gpu_check devices | metrics | (language|scaling|leak|starts) BACKEND [--quick] | "
               "(parity|session|times) "
               "BACKEND [METRIC]... [--quick]\n");
  return result;
}

}  // namespace
}  // namespace acutance

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  return acutance::Main({argv + 1, argv + argc});
}
