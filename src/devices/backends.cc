#include "devices/backends.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/did_you_mean.h"
#include "base/threads/exception_barrier.h"

namespace acutance {

#define ACU_BACKEND(backend) extern const Backend backend;
#include "devices/backends.inc"
#undef ACU_BACKEND

bool MachineMayHaveGpu() {
  std::error_code ignored;
  for (const Backend* backend : Backends())
    for (const char* trace : backend->traces)
      if (std::filesystem::exists(trace, ignored)) return true;
  return false;
}

std::span<const Backend* const> Backends() {
  static constexpr const Backend* kBackends[] = {
#define ACU_BACKEND(backend) &backend,
#include "devices/backends.inc"
#undef ACU_BACKEND
      nullptr};  // a build may have none
  return {kBackends, std::size(kBackends) - 1};
}

std::string BackendNames() {
  const std::span<const Backend* const> backends = Backends();
  std::string names;
  for (size_t i = 0; i < backends.size(); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 < backends.size() ? ", " : " or ", backends[i]->name);
  return names;
}

const Backend* FindBackend(std::string_view name) {
  for (const Backend* backend : Backends())
    if (backend->name == name) return backend;
  return nullptr;
}

const Backend* FindContextBackend() {
  const auto found = std::ranges::find_if(Backends(), [](const Backend* backend) { return backend->open_context; });
  return found == Backends().end() ? nullptr : *found;
}

Status CheckDeviceChoice(const DeviceChoice& choice) {
  std::vector<std::string_view> names = {"auto", "cpu"};
  for (const Backend* backend : Backends()) names.push_back(backend->name);
  if (std::ranges::find(names, choice.backend) == names.end())
    return Error(StatusCode::kInvalidArgument, "no such backend '{}'{} (there are {})", choice.backend,
                 DidYouMean(choice.backend, names), fmt::join(names, ", "));
  if (choice.index && (choice.backend == "auto" || choice.backend == "cpu"))
    return Error(StatusCode::kInvalidArgument, "--device {} needs --backend with the backend that counts it",
                 *choice.index);
  return {};
}

std::string NoSuchDevice(const Backend& backend, const BackendProbe& probe, int index) {
  std::vector<int> usable;
  for (const DeviceInfo& device : probe.devices) usable.push_back(device.index);
  std::string text = fmt::format("{}: no device {}, only {}", backend.name, index, fmt::join(usable, ", "));
  for (const std::string& refused : probe.refused) text += "; " + refused;
  return text;
}

DevicePicker::DevicePicker(DeviceChoice choice, std::span<const Backend* const> backends)
    : choice_(std::move(choice)), backends_(backends) {}

DevicePicker::DevicePicker(std::unique_ptr<Device> device)
    : choice_{.backend = "auto"}, backends_({}), given_(std::move(device)), searched_(true) {}

bool DevicePicker::IsWanted(const Backend& backend) const {
  if (choice_.backend != "auto") return choice_.backend == backend.name;
  return std::ranges::find(choice_.excluded, backend.name) == choice_.excluded.end();
}

bool DevicePicker::IsWanted(const DeviceInfo& device) const {
  // Software devices are for tests: the CPU's own code is far faster.
  if (choice_.backend == "auto" && device.is_cpu) return false;
  return !choice_.index || *choice_.index == device.index ||
         std::ranges::find(choice_.further, device.index) != choice_.further.end();
}

void DevicePicker::FindCandidates() {
  searched_ = true;
  for (const Backend* backend : backends_) {
    if (!IsWanted(*backend)) continue;
    const BackendProbe probe = backend->probe();
    if (probe.devices.empty()) notes_.push_back(fmt::format("{}: {}", backend->name, probe.missing));
    const size_t before = candidates_.size();
    for (const DeviceInfo& device : probe.devices)
      if (IsWanted(device)) candidates_.push_back({backend, device.index});
    if (choice_.backend == "auto" && !probe.devices.empty() && candidates_.size() == before)
      notes_.push_back(fmt::format("{}: software on the CPU alone, which auto leaves out", backend->name));
    if (choice_.index && !probe.devices.empty()) NoteMissing(*backend, probe);
  }
  std::ranges::reverse(candidates_);
}

/// Devices that were asked for by number and are not there: none of them is used then.
void DevicePicker::NoteMissing(const Backend& backend, const BackendProbe& probe) {
  std::vector<int> wanted = choice_.further;
  wanted.push_back(*choice_.index);
  for (int index : wanted) {
    if (std::ranges::any_of(probe.devices, [&](const DeviceInfo& device) { return device.index == index; })) continue;
    candidates_.clear();
    notes_.push_back(NoSuchDevice(backend, probe, index));
  }
}

std::unique_ptr<Device> DevicePicker::OpenCandidate() {
  const Candidate candidate = candidates_.back();
  candidates_.pop_back();
  Result<std::unique_ptr<Device>> device = candidate.backend->open(candidate.index);
  if (device.ok()) return std::move(device).value();
  refused_.push_back(
      fmt::format("{} device {}: {}", candidate.backend->name, candidate.index, device.status().message()));
  notes_.push_back(refused_.back());
  return nullptr;
}

DevicePicker::~DevicePicker() { AwaitOpening(); }

void DevicePicker::OpenAhead() {
  const auto open = [this] {
    (void)CatchExceptions([this] {
      peeked_ = OpenGroup();
      return Status();
    });
  };
  is_ahead_ = StartThread(opening_, open).ok();  // where there is no thread, devices are opened when they are needed
}

void DevicePicker::AwaitOpening() {
  if (opening_.joinable()) opening_.join();
}

std::unique_ptr<Device> DevicePicker::Next() {
  if (choice_.backend == "cpu") return nullptr;
  if (given_) return std::move(given_);
  if (!searched_) FindCandidates();
  while (!candidates_.empty())
    if (std::unique_ptr<Device> device = OpenCandidate()) return device;
  return nullptr;
}

const std::vector<std::unique_ptr<Device>>& DevicePicker::PeekGroup() {
  AwaitOpening();
  if (peeked_.empty()) peeked_ = OpenGroup();
  return peeked_;
}

std::vector<std::unique_ptr<Device>> DevicePicker::NextGroup() {
  AwaitOpening();
  is_ahead_ = false;
  return peeked_.empty() ? OpenGroup() : std::exchange(peeked_, {});
}

std::vector<std::unique_ptr<Device>> DevicePicker::OpenGroup() {
  std::vector<std::unique_ptr<Device>> group;
  if (std::unique_ptr<Device> first = Next()) group.push_back(std::move(first));
  if (group.empty() || (choice_.backend != "auto" && choice_.further.empty())) return group;
  const std::string& backend = group.front()->info().backend;
  while (!candidates_.empty() && candidates_.back().backend->name == backend)
    if (std::unique_ptr<Device> device = OpenCandidate()) group.push_back(std::move(device));
  return group;
}

bool RunsOnCpu(const DeviceChoice& choice) {
  return choice.backend == "cpu" || (choice.backend == "auto" && !MachineMayHaveGpu());
}

Result<std::shared_ptr<DevicePicker>> MakeDevicePicker(const DeviceChoice& choice) {
  ACU_RETURN_IF_ERROR(CheckDeviceChoice(choice));
  if (RunsOnCpu(choice)) return {nullptr};
  return std::make_shared<DevicePicker>(choice);
}

}  // namespace acutance
