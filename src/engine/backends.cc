// THE list of backends: a new one adds one include and one entry.
#include "engine/backends.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "backend/cuda/cuda.h"
#include "backend/emu/emu.h"
#include "backend/hip/hip.h"
#include "backend/sycl/sycl.h"
#include "backend/vulkan/vulkan.h"
#include "base/nearest.h"

namespace acutance {

bool MachineMayHaveGpu() {
  std::error_code ignored;
  for (const char* node : {"/dev/nvidiactl", "/dev/kfd", "/dev/dri", "/dev/dxg"})
    if (std::filesystem::exists(node, ignored)) return true;
  return false;
}

std::span<const Backend* const> Backends() {
  static constexpr std::array kBackends = {&kCudaBackend, &kHipBackend, &kVulkanBackend, &kSyclBackend, &kEmuBackend};
  return kBackends;
}

const Backend* FindBackend(std::string_view name) {
  for (const Backend* backend : Backends())
    if (backend->name == name) return backend;
  return nullptr;
}

Status CheckDeviceChoice(const DeviceChoice& choice) {
  std::vector<std::string_view> names = {"auto", "cpu"};
  for (const Backend* backend : Backends()) names.push_back(backend->name);
  if (std::ranges::find(names, choice.backend) == names.end())
    return Error(StatusCode::kInvalidArgument, "no such backend '{}'{} (there are {})", choice.backend,
                 Suggestion(choice.backend, names), fmt::join(names, ", "));
  if (choice.index && (choice.backend == "auto" || choice.backend == "cpu"))
    return Error(StatusCode::kInvalidArgument, "--device {} needs --backend with the backend that counts it",
                 *choice.index);
  return {};
}

DevicePicker::DevicePicker(DeviceChoice choice, Check check, std::span<const Backend* const> backends)
    : choice_(std::move(choice)), check_(std::move(check)), backends_(backends) {}

bool DevicePicker::IsWanted(const Backend& backend) const {
  if (choice_.backend != "auto") return choice_.backend == backend.name;
  // The emulator is for finding faults; nobody waits for it by default.
  return &backend != &kEmuBackend && std::ranges::find(choice_.excluded, backend.name) == choice_.excluded.end();
}

void DevicePicker::FindCandidates() {
  searched_ = true;
  for (const Backend* backend : backends_) {
    if (!IsWanted(*backend)) continue;
    const BackendProbe probe = backend->probe();
    if (probe.devices.empty()) notes_.push_back(fmt::format("{}: {}", backend->name, probe.missing));
    for (const DeviceInfo& device : probe.devices) {
      // Software devices are for tests: the CPU's own code is far faster.
      if (choice_.backend == "auto" && device.is_cpu) continue;
      if (!choice_.index || *choice_.index == device.index) candidates_.push_back({backend, device.index});
    }
    if (choice_.index && candidates_.empty() && !probe.devices.empty())
      notes_.push_back(
          fmt::format("{}: no device {}; there are {}", backend->name, *choice_.index, probe.devices.size()));
  }
  std::ranges::reverse(candidates_);
}

Result<std::unique_ptr<Device>> DevicePicker::Open(const Candidate& candidate) const {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, candidate.backend->open(candidate.index));
  ACU_RETURN_IF_ERROR(check_(*device));
  return device;
}

std::unique_ptr<Device> DevicePicker::Next() {
  if (choice_.backend == "cpu") return nullptr;
  if (!searched_) FindCandidates();
  while (!candidates_.empty()) {
    const Candidate candidate = candidates_.back();
    candidates_.pop_back();
    Result<std::unique_ptr<Device>> device = Open(candidate);
    if (device.ok()) return std::move(device).value();
    notes_.push_back(
        fmt::format("{} device {}: {}", candidate.backend->name, candidate.index, device.status().message()));
  }
  return nullptr;
}

}  // namespace acutance
