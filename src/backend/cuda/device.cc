#include <array>
#include <vector>

#include "backend/cuda/buffer.h"
#include "backend/cuda/context.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/error.h"
#include "backend/cuda/kernel.h"
#include "backend/cuda/queue.h"

namespace acutance {
namespace cuda {
namespace {

constexpr int kWaveSize = 32;           // what the kernels' CUDA text is compiled for
constexpr int kMinimumCapability = 75;  // of the embedded PTX

class CudaDevice : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  const DeviceInfo& info() const override { return context_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return kind == MemoryKind::kDevice ? DeviceBuffer::Allocate(context_, bytes)
                                       : PinnedBuffer::Allocate(context_, bytes);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    return CudaKernel::Load(context_, image);
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return CudaQueue::Make(context_); }
  Result<std::unique_ptr<Buffer>> ImportHost(std::span<const std::byte> memory) override {
    return ImportedBuffer::Import(context_, memory);
  }
  Result<std::unique_ptr<Buffer>> Adopt(uint64_t address, size_t bytes) override {
    return std::unique_ptr<Buffer>(new AdoptedBuffer(address, bytes));
  }

  CUcontext handle() const { return context_->handle(); }

  /// The context's default stream, which no queue of ours waits for: plain cuMemcpy, and what DLPack orders before it.
  Status WaitForClients() override {
    const CurrentContext current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    return context_->Check(context_->driver().cuStreamSynchronize(nullptr), "wait for its default stream");
  }

 private:
  const std::shared_ptr<Context> context_;
};

Result<int> Attribute(const Driver& driver, const DeviceInfo& info, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name, driver.cuDeviceGetAttribute(&value, attribute, device),
                                 fmt::format("read its attribute {}", static_cast<int>(attribute))));
  return value;
}

/// Refuses what the kernels cannot run on.
Status CheckDevice(const DeviceInfo& info, int capability, int unified_addressing) {
  if (capability < kMinimumCapability)
    return Error(StatusCode::kNoDevice, "{} has compute capability {}.{}, the kernels are built for {}.{} and newer",
                 info.name, capability / 10, capability % 10, kMinimumCapability / 10, kMinimumCapability % 10);
  if (info.wave_size != kWaveSize)
    return Error(StatusCode::kNoDevice, "{} says that its warps have {} lanes, the kernels are built for {}", info.name,
                 info.wave_size, kWaveSize);
  if (!unified_addressing)
    return Error(StatusCode::kNoDevice, "{} does not share its address space with the host", info.name);
  return {};
}

Result<DeviceInfo> Describe(const Driver& driver, int index, CUdevice device) {
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
  return info;
}

struct FoundDevice {
  CUdevice device;
  DeviceInfo info;
};

Result<FoundDevice> Find(const Driver& driver, int index) {
  CUdevice device = 0;
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, fmt::format("CUDA device {}", index), driver.cuDeviceGet(&device, index), "find it"));
  ACU_ASSIGN_OR_RETURN(DeviceInfo info, Describe(driver, index, device));
  return FoundDevice{device, std::move(info)};
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
  const Result<int> count = CountDevices(**driver);
  if (!count.ok()) return {{}, count.status().message()};
  BackendProbe probe;
  for (int index = 0; index < *count; ++index) {
    Result<FoundDevice> found = Find(**driver, index);
    if (found.ok()) probe.devices.push_back(std::move(found->info));
    else probe.refused.push_back(found.status().message());
  }
  if (probe.devices.empty()) probe.missing = fmt::format("{}", fmt::join(probe.refused, "; "));
  return probe;
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  ACU_ASSIGN_OR_RETURN(const int count, CountDevices(*driver));
  if (index < 0 || index >= count)
    return Error(StatusCode::kInvalidArgument, "there is no CUDA device {}: this machine has {}, counted from 0", index,
                 count);
  ACU_ASSIGN_OR_RETURN(FoundDevice found, Find(*driver, index));
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Context> context, Context::Retain(*driver, found.device, std::move(found.info)));
  return std::unique_ptr<Device>(new CudaDevice(std::move(context)));
}

/// The context is current: its device among those that the driver counts.
Result<FoundDevice> FindCurrent(const Driver& driver) {
  CUdevice current = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, "the CUDA context", driver.cuCtxGetDevice(&current), "tell its device"));
  ACU_ASSIGN_OR_RETURN(const int count, CountDevices(driver));
  for (int index = 0; index < count; ++index) {
    ACU_ASSIGN_OR_RETURN(FoundDevice found, Find(driver, index));
    if (found.device == current) return found;
  }
  return Error(StatusCode::kInvalidArgument, "the CUDA context belongs to no device of this process");
}

}  // namespace
}  // namespace cuda

Result<std::unique_ptr<Device>> OpenCudaContext(void* handle) {
  using namespace cuda;
  ACU_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  const auto context = static_cast<CUcontext>(handle);
  ACU_RETURN_IF_ERROR(CallStatus(*driver, "the CUDA context", driver->cuCtxPushCurrent_v2(context), "be made current"));
  Result<FoundDevice> found = FindCurrent(*driver);
  CUcontext popped = nullptr;
  driver->cuCtxPopCurrent_v2(&popped);
  if (!found.ok()) return found.status();
  return std::unique_ptr<Device>(
      new CudaDevice(Context::Borrow(*driver, found->device, context, std::move(found->info))));
}

void* CudaContextOf(const Device& device) { return static_cast<const cuda::CudaDevice&>(device).handle(); }

const Backend kCudaBackend = {"cuda", "NVIDIA GPUs, through the CUDA driver", cuda::Probe, cuda::Open};

}  // namespace acutance
