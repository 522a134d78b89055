// The plugin library: finds devices, and opens them.
#include <algorithm>
#include <chrono>
#include <vector>

#include "backend/device_text.h"
#include "backend/sycl/context.h"
#include "backend/sycl/plugin.h"
#include "backend/sycl/queue.h"
#include "backend/sycl/signal_guard.h"
#include "base/environment.h"
#include "base/system/process.h"
#include "exec/device_checks.h"

namespace acutance::sycl_backend {
namespace {

constexpr uint32_t kIntelVendorId = 0x8086;

/// Unified shared memory: of the device, or of the host and visible to the device.
class UsmBuffer : public Buffer {
 public:
  UsmBuffer(std::shared_ptr<Context> context, std::byte* memory, size_t bytes, MemoryKind kind)
      : context_(std::move(context)), memory_(memory), bytes_(bytes), kind_(kind) {}
  ~UsmBuffer() override {
    if (context_->is_abandoned()) return;
    // A lost device may refuse even this; there is nothing left to do about it.
    static_cast<void>(Try("", "", [&] { sycl::free(memory_, context_->context()); }));
  }

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(memory_); }  // one address space for both
  std::byte* host() const override { return kind_ == MemoryKind::kDevice ? nullptr : memory_; }

 private:
  const std::shared_ptr<Context> context_;
  std::byte* const memory_;
  const size_t bytes_;
  const MemoryKind kind_;
};

Result<std::unique_ptr<Buffer>> AllocateUsm(std::shared_ptr<Context> context, size_t bytes, MemoryKind kind) {
  constexpr size_t kAlignment = 256;  // that the rows of pictures have
  ACU_RETURN_IF_ERROR(context->Lost());
  const bool on_device = kind == MemoryKind::kDevice;
  const size_t size = std::max<size_t>(bytes, 1);
  void* memory = nullptr;
  // Above its limit a runtime may hand out memory that it fails to use.
  if (!on_device || bytes <= context->largest_allocation())
    ACU_RETURN_IF_ERROR(Try(context->info().name, fmt::format("allocate {} bytes", bytes), [&] {
      memory = on_device ? sycl::aligned_alloc_device(kAlignment, size, context->device(), context->context())
                         : sycl::aligned_alloc_host(kAlignment, size, context->context());
    }));
  if (memory == nullptr)
    return Error(StatusCode::kOutOfMemory,
                 "{}: out of {} memory: {} bytes were asked for, one allocation may have {}; close other programs, or "
                 "take a smaller batch",
                 context->info().name, on_device ? "device" : "host", bytes, context->largest_allocation());
  return std::unique_ptr<Buffer>(
      std::make_unique<UsmBuffer>(std::move(context), static_cast<std::byte*>(memory), bytes, kind));
}

class SyclDevice : public Device {
 public:
  explicit SyclDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  const DeviceInfo& info() const override { return context_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return AllocateUsm(context_, bytes, kind);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    return sycl_backend::LoadKernel(context_, image);
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return sycl_backend::MakeQueue(context_); }
  void LimitWaits(std::chrono::milliseconds longest) override { context_->health().patience().Limit(longest); }

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
  const SignalGuard signals;
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
  return ProbeDevices(static_cast<int>(found->size()), [&](int index) -> Result<DeviceInfo> {
    ACU_ASSIGN_OR_RETURN(FoundDevice device, (*found)[index]);
    return std::move(device.info);
  });
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const std::vector<Result<FoundDevice>> found, FindAll());
  ACU_RETURN_IF_ERROR(CheckIndex("SYCL", index, found.size()));
  ACU_ASSIGN_OR_RETURN(const FoundDevice device, found[index]);
  const SignalGuard signals;
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
