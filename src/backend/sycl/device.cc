// The plugin library: finds devices, and opens them.
#include <algorithm>
#include <chrono>
#include <vector>

#include "backend/hex.h"
#include "backend/kernel_release.h"
#include "backend/sycl/buffer.h"
#include "backend/sycl/context.h"
#include "backend/sycl/error.h"
#include "backend/sycl/kernel.h"
#include "backend/sycl/plugin.h"
#include "backend/sycl/queue.h"
#include "backend/sycl/signal_guard.h"
#include "base/environment.h"

namespace acutance::sycl_backend {
namespace {

constexpr uint32_t kIntelVendorId = 0x8086;

class SyclDevice : public Device {
 public:
  explicit SyclDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  const DeviceInfo& info() const override { return context_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return UsmBuffer::Allocate(context_, bytes, kind);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    return SyclKernel::Load(context_, image);
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return SyclQueue::Make(context_); }
  void LimitWaits(std::chrono::milliseconds longest) override { context_->patience().Limit(longest); }

 private:
  const std::shared_ptr<Context> context_;
};

bool IsLevelZero(const sycl::device& device) { return device.get_backend() == sycl::backend::ext_oneapi_level_zero; }

/// Whether a device can run the kernels and hold the buffers; FPGA emulators, for example,
/// cannot.
bool IsUsable(sycl::device& device) {
  return (device.is_gpu() || device.is_cpu()) && device.has(sycl::aspect::usm_device_allocations) &&
         device.has(sycl::aspect::usm_host_allocations) &&
         device.ext_oneapi_can_build(sycl::ext::oneapi::experimental::source_language::sycl);
}

/// GPUs first. An Intel GPU may be offered twice, by Level Zero and by OpenCL: the first is taken.
std::vector<sycl::device> FindDevices() {
  std::vector<sycl::device> devices = sycl::device::get_devices();
  const bool level_zero = std::ranges::any_of(devices, IsLevelZero);
  std::erase_if(devices, [&](sycl::device& device) {
    const bool twice = level_zero && device.is_gpu() && device.get_backend() == sycl::backend::opencl;
    return twice || !IsUsable(device);
  });
  std::stable_partition(devices.begin(), devices.end(), [](const sycl::device& device) { return device.is_gpu(); });
  return devices;
}

/// The value of ACUTANCE_SYCL_WAVE; 0 when it is not set.
Result<int> WantedWave() {
  int wave = 0;
  ACU_RETURN_IF_ERROR(ReadVariable("ACUTANCE_SYCL_WAVE", wave));
  if (wave > 0 || !Variable("ACUTANCE_SYCL_WAVE")) return wave;
  return Error(StatusCode::kInvalidArgument, "ACUTANCE_SYCL_WAVE={} is not a number above 0", wave);
}

/// The wave size of all kernels; without it the runtime would choose one for each kernel. On CPUs
/// the smallest size that fills a vector of doubles was the fastest (8 before 16, by half); all
/// Intel GPUs have 16.
Result<int> ChooseWave(const sycl::device& device, const std::string& name, int wanted) {
  const std::vector<size_t> sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  const auto has = [&](size_t size) { return std::ranges::find(sizes, size) != sizes.end(); };
  if (wanted > 0 && !has(wanted))
    return Error(StatusCode::kInvalidArgument, "{} has no waves of {} work items: set ACUTANCE_SYCL_WAVE to {}", name,
                 wanted, fmt::join(sizes, ", "));
  if (wanted > 0) return wanted;
  const std::vector<int> preferred = device.is_cpu() ? std::vector{8, 16, 32, 4, 64} : std::vector{16, 32, 8, 64, 4};
  const auto found = std::ranges::find_if(preferred, has);
  if (found != preferred.end()) return *found;
  return Error(StatusCode::kNoDevice, "{} has waves of {} work items only; kernels need 4 to 64, a power of two", name,
               fmt::join(sizes, ", "));
}

std::string Family(const sycl::device& device) {
  const bool intel = device.get_info<sycl::info::device::vendor_id>() == kIntelVendorId;
  return fmt::format("{}_{}", intel ? "intel" : "other", device.is_cpu() ? "cpu" : "gpu");
}

/// A UUID or a PCI address, where the device has one.
std::string Identity(const sycl::device& device) {
  if (device.has(sycl::aspect::ext_intel_device_info_uuid))
    return Hex(device.get_info<sycl::ext::intel::info::device::uuid>());
  if (device.has(sycl::aspect::ext_intel_pci_address))
    return device.get_info<sycl::ext::intel::info::device::pci_address>();
  return "";
}

Result<DeviceInfo> Describe(const sycl::device& device, int index) {
  DeviceInfo info{.backend = "sycl", .index = index};
  info.name = device.get_info<sycl::info::device::name>();
  ACU_ASSIGN_OR_RETURN(const int wanted, WantedWave());
  ACU_ASSIGN_OR_RETURN(info.wave_size, ChooseWave(device, info.name, wanted));
  info.identity = Identity(device);
  info.driver = fmt::format("{} {}{}, wave {}", device.get_platform().get_info<sycl::info::platform::name>(),
                            device.get_info<sycl::info::device::driver_version>(),
                            device.is_cpu() ? "" : ", " + KernelRelease(), info.wave_size);
  info.family = Family(device);
  info.has_double = device.has(sycl::aspect::fp64);
  info.is_cpu = device.is_cpu();
  info.memory_bytes = device.get_info<sycl::info::device::global_mem_size>();
  info.shared_bytes = static_cast<uint32_t>(device.get_info<sycl::info::device::local_mem_size>());
  return info;
}

struct FoundDevice {
  sycl::device device;
  DeviceInfo info;
};

Result<std::vector<Result<FoundDevice>>> FindAll() {
  const KeptSignals signals;
  std::vector<Result<FoundDevice>> found;
  ACU_RETURN_IF_ERROR(Try("SYCL runtime", "list its devices", [&] {
    for (const sycl::device& device : FindDevices()) {
      const Result<DeviceInfo> info = Describe(device, static_cast<int>(found.size()));
      if (info.ok()) found.push_back(FoundDevice{device, *info});
      else found.push_back(info.status());
    }
  }));
  if (found.empty())
    return Error(StatusCode::kNoDevice,
                 "the SYCL runtime finds no device; for Intel GPUs install their driver (on Debian intel-opencl-icd), "
                 "for CPUs: pip install intel-opencl-rt; check ONEAPI_DEVICE_SELECTOR and OCL_ICD_FILENAMES");
  return found;
}

BackendProbe Probe() {
  const auto found = FindAll();
  if (!found.ok()) return {{}, found.status().message()};
  BackendProbe probe;
  for (const Result<FoundDevice>& each : *found) {
    if (each.ok()) probe.devices.push_back(each->info);
    else probe.refused.push_back(each.status().message());
  }
  if (probe.devices.empty()) probe.missing = fmt::format("{}", fmt::join(probe.refused, "; "));
  return probe;
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const std::vector<Result<FoundDevice>> found, FindAll());
  if (index < 0 || index >= static_cast<int>(found.size()))
    return Error(StatusCode::kInvalidArgument, "there is no SYCL device {}: this machine has {}, counted from 0", index,
                 found.size());
  ACU_ASSIGN_OR_RETURN(const FoundDevice device, found[index]);
  const KeptSignals signals;
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Context> context, Context::Make(device.device, device.info));
  return std::unique_ptr<Device>(new SyclDevice(std::move(context)));
}

}  // namespace
}  // namespace acutance::sycl_backend

extern "C" {
extern const acutance::sycl_backend::Plugin acutance_sycl_plugin;
const acutance::sycl_backend::Plugin acutance_sycl_plugin = {ACUTANCE_SYCL_BUILD, acutance::sycl_backend::Probe,
                                                             acutance::sycl_backend::Open};
}
