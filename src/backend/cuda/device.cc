#include <array>
#include <mutex>
#include <vector>

#include "backend/cuda/api.h"
#include "backend/cuda/compile_ahead.h"
#include "backend/cuda/video_decoder.h"
#include "backend/device_text.h"
#include "backend/gpu_driver/device.h"

namespace acutance {
namespace cuda {
namespace {

constexpr int kWaveSize = 32;  // what the kernels' CUDA text is compiled for

/// Memory of the device that the program owns.
class AdoptedBuffer : public Buffer {
 public:
  AdoptedBuffer(uint64_t address, size_t bytes) : address_(address), bytes_(bytes) {}

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return address_; }
  std::byte* host() const override { return nullptr; }

 private:
  const uint64_t address_;
  const size_t bytes_;
};

class CudaDevice : public gpu::GpuDevice<Api> {
 public:
  using GpuDevice::GpuDevice;

  Result<std::unique_ptr<Buffer>> Adopt(uint64_t address, size_t bytes) override {
    return std::unique_ptr<Buffer>(new AdoptedBuffer(address, bytes));
  }

  void LoadAhead(std::span<const KernelImage* const> images) override {
    {
      const std::lock_guard lock(ahead_mutex_);  // two at once would compile the same, with twice the contexts
      CompileAhead(context_, images);
    }
    GpuDevice::LoadAhead(images);
  }

  const std::shared_ptr<Context>& context() const { return context_; }

  /// The context's default stream, which no queue of ours waits for: plain cuMemcpy, and what DLPack orders before
  /// it.
  Status WaitForClients() override {
    const gpu::CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    return context_->WaitFor([&] { return context_->api().Query(nullptr); }, "wait for its default stream");
  }

 private:
  std::mutex ahead_mutex_;
};

Result<int> Attribute(const Driver& driver, const DeviceInfo& info, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name, driver.cuDeviceGetAttribute(&value, attribute, device),
                                 fmt::format("read its attribute {}", static_cast<int>(attribute))));
  return value;
}

/// Refuses devices that the kernels cannot run on.
Status CheckDevice(const DeviceInfo& info, int capability, int unified_addressing) {
  if (capability < kLeastCapability)
    return Error(StatusCode::kNoDevice, "{} has compute capability {}.{}, the kernels are built for {}.{} and newer",
                 info.name, capability / 10, capability % 10, kLeastCapability / 10, kLeastCapability % 10);
  if (info.wave_size != kWaveSize)
    return Error(StatusCode::kNoDevice, "{} says that its warps have {} lanes, the kernels are built for {}", info.name,
                 info.wave_size, kWaveSize);
  if (!unified_addressing)
    return Error(StatusCode::kNoDevice, "{} does not share its address space with the host", info.name);
  return {};
}

struct FoundDevice {
  CUdevice device;
  DeviceInfo info;
  int capability;

  bool is_old() const { return capability < kPtxCapability; }
};

Result<FoundDevice> Describe(const Driver& driver, int index, CUdevice device) {
  DeviceInfo info;
  info.backend = "cuda";
  info.index = index;
  info.name = fmt::format("CUDA device {}", index);
  info.driver = DriverVersion(driver);
  info.has_double = true;
  std::array<char, 256> name{};
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, info.name, driver.cuDeviceGetName(name.data(), name.size() - 1, device), "read its name"));
  info.name = name.data();
  CUuuid uuid{};
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name, driver.cuDeviceGetUuid_v2(&uuid, device), "read its UUID"));
  info.identity = Hex(uuid.bytes);
  auto attribute = [&](CUdevice_attribute which) { return Attribute(driver, info, device, which); };
  ACU_ASSIGN_OR_RETURN(const int major, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  ACU_ASSIGN_OR_RETURN(const int minor, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.family = fmt::format("sm_{}{}", major, minor);
  ACU_ASSIGN_OR_RETURN(info.wave_size, attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  ACU_ASSIGN_OR_RETURN(info.shared_bytes, attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  ACU_ASSIGN_OR_RETURN(const int unified, attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING));
  size_t memory = 0;
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, info.name, driver.cuDeviceTotalMem_v2(&memory, device), "read its memory size"));
  info.memory_bytes = memory;
  ACU_RETURN_IF_ERROR(CheckDevice(info, 10 * major + minor, unified));
  return FoundDevice{device, std::move(info), 10 * major + minor};
}

Result<FoundDevice> Find(const Driver& driver, int index) {
  CUdevice device = 0;
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, fmt::format("CUDA device {}", index), driver.cuDeviceGet(&device, index), "find it"));
  return Describe(driver, index, device);
}

Result<int> CountDevices(const Driver& driver) {
  int count = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, "NVIDIA driver", driver.cuDeviceGetCount(&count), "count its GPUs"));
  if (count == 0)
    return Error(StatusCode::kNoDevice, "the NVIDIA driver finds no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES");
  return count;
}

BackendProbe Probe() {
  const Result<const Driver*> driver = OpenDriver();
  if (!driver.ok()) return {{}, driver.status().message()};
  return ProbeDevices(CountDevices(**driver), [&](int index) -> Result<DeviceInfo> {
    ACU_ASSIGN_OR_RETURN(FoundDevice found, Find(**driver, index));
    return std::move(found.info);
  });
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  ACU_ASSIGN_OR_RETURN(const int count, CountDevices(*driver));
  ACU_RETURN_IF_ERROR(CheckIndex("CUDA", index, count));
  ACU_ASSIGN_OR_RETURN(FoundDevice found, Find(*driver, index));
  CUcontext primary = nullptr;
  ACU_RETURN_IF_ERROR(CallStatus(*driver, found.info.name, driver->cuDevicePrimaryCtxRetain(&primary, found.device),
                                 "open its context"));
  return std::unique_ptr<Device>(
      new CudaDevice({*driver, found.device, primary, /*retained=*/true, found.is_old()}, std::move(found.info)));
}

/// The context is current: its device among those that the driver counts.
Result<FoundDevice> FindCurrent(const Driver& driver) {
  CUdevice current = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, "the CUDA context", driver.cuCtxGetDevice(&current), "report its device"));
  ACU_ASSIGN_OR_RETURN(const int count, CountDevices(driver));
  for (int index = 0; index < count; ++index) {
    ACU_ASSIGN_OR_RETURN(FoundDevice found, Find(driver, index));
    if (found.device == current) return found;
  }
  return Error(StatusCode::kInvalidArgument, "the CUDA context belongs to no device of this process");
}

/// The device of a CUcontext that the program owns: all its memory and work are in that context.
Result<std::unique_ptr<Device>> OpenContext(void* handle) {
  ACU_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  const auto context = static_cast<CUcontext>(handle);
  ACU_RETURN_IF_ERROR(CallStatus(*driver, "the CUDA context", driver->cuCtxPushCurrent_v2(context), "be made current"));
  Result<FoundDevice> found = FindCurrent(*driver);
  CUcontext popped = nullptr;
  driver->cuCtxPopCurrent_v2(&popped);
  if (!found.ok()) return found.status();
  return std::unique_ptr<Device>(
      new CudaDevice({*driver, found->device, context, /*retained=*/false, found->is_old()}, std::move(found->info)));
}

const std::shared_ptr<Context>& ContextOf(const Device& device) {
  return static_cast<const CudaDevice&>(device).context();
}

Result<int> CountDeviceEngines(const Device& device, const CodedVideo& video) {
  return CountEngines(*ContextOf(device), video);
}

Result<std::unique_ptr<DeviceDecoder>> OpenDecoder(std::shared_ptr<Device> device, const CodedVideo& video) {
  std::shared_ptr<Context> context = ContextOf(*device);
  return OpenVideoDecoder(std::move(context), std::move(device), video);
}

constexpr const char* kTraces[] = {"/dev/nvidiactl", "/dev/dxg", "C:/Windows/System32/nvcuda.dll"};

}  // namespace
}  // namespace cuda

const Backend kCudaBackend = {.name = "cuda",
                              .summary = "NVIDIA GPUs, through the CUDA driver",
                              .probe = cuda::Probe,
                              .open = cuda::Open,
                              .traces = cuda::kTraces,
                              .adopts_pictures = true,
                              .open_context = cuda::OpenContext,
                              .count_engines = cuda::CountDeviceEngines,
                              .open_decoder = cuda::OpenDecoder};

}  // namespace acutance
