#include <array>
#include <vector>

#include "backend/hip/buffer.h"
#include "backend/hip/context.h"
#include "backend/hip/driver.h"
#include "backend/hip/error.h"
#include "backend/hip/hip.h"
#include "backend/hip/kernel.h"
#include "backend/hip/queue.h"

namespace acutance {
namespace hip {
namespace {

class HipDevice : public Device {
 public:
  explicit HipDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  const DeviceInfo& info() const override { return context_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return kind == MemoryKind::kDevice ? DeviceBuffer::Allocate(context_, bytes)
                                       : PinnedBuffer::Allocate(context_, bytes);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    return HipKernel::Load(context_, image);
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return HipQueue::Make(context_); }
  Result<std::unique_ptr<Buffer>> ImportHost(std::span<const std::byte> memory) override {
    return ImportedBuffer::Import(context_, memory);
  }

 private:
  const std::shared_ptr<Context> context_;
};

Result<int> Attribute(const Driver& driver, const DeviceInfo& info, hipDeviceAttribute_t attribute) {
  int value = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name, driver.hipDeviceGetAttribute(&value, attribute, info.index),
                                 fmt::format("read its attribute {}", static_cast<int>(attribute))));
  return value;
}

/// What clang compiles the kernels of a family for: gfx9 (GCN and CDNA) has waves of 64, gfx10 and later (RDNA) of 32.
int CompiledWaveSize(std::string_view family) { return family.starts_with("gfx9") ? 64 : 32; }

/// Refuses a device whose waves are not those of its code objects.
Status CheckDevice(const DeviceInfo& info) {
  const int compiled = CompiledWaveSize(info.family);
  if (info.wave_size == compiled) return {};
  return Error(StatusCode::kNoDevice, "{} says that its waves have {} lanes, the kernels for {} are built for {}",
               info.name, info.wave_size, info.family, compiled);
}

Result<DeviceInfo> Describe(const Driver& driver, int index) {
  DeviceInfo info;
  info.backend = "hip";
  info.index = index;
  info.name = fmt::format("HIP device {}", index);
  info.driver = DriverVersion(driver);
  info.has_double = true;
  std::array<char, 256> name{};
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, info.name, driver.hipDeviceGetName(name.data(), name.size() - 1, index), "read its name"));
  if (name[0]) info.name = name.data();
  ACU_ASSIGN_OR_RETURN(info.family, ArchName(driver, index));
  ACU_ASSIGN_OR_RETURN(info.wave_size, Attribute(driver, info, hipDeviceAttributeWarpSize));
  ACU_ASSIGN_OR_RETURN(info.shared_bytes, Attribute(driver, info, hipDeviceAttributeMaxSharedMemoryPerBlock));
  size_t memory = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name, driver.hipDeviceTotalMem(&memory, index), "read its memory size"));
  info.memory_bytes = memory;
  ACU_RETURN_IF_ERROR(CheckDevice(info));
  return info;
}

Result<int> CountDevices(const Driver& driver) {
  int count = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, "HIP runtime", driver.hipGetDeviceCount(&count), "count its GPUs"));
  if (count == 0)
    return Error(StatusCode::kNoDevice, "the HIP runtime finds no GPU; check rocminfo and HIP_VISIBLE_DEVICES");
  return count;
}

BackendProbe Probe() {
  const Result<const Driver*> driver = OpenDriver();
  if (!driver.ok()) return {{}, driver.status().message()};
  const Result<int> count = CountDevices(**driver);
  if (!count.ok()) return {{}, count.status().message()};
  BackendProbe probe;
  for (int index = 0; index < *count; ++index) {
    Result<DeviceInfo> info = Describe(**driver, index);
    if (info.ok()) probe.devices.push_back(*std::move(info));
    else probe.refused.push_back(info.status().message());
  }
  if (probe.devices.empty()) probe.missing = fmt::format("{}", fmt::join(probe.refused, "; "));
  return probe;
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  ACU_ASSIGN_OR_RETURN(const int count, CountDevices(*driver));
  if (index < 0 || index >= count)
    return Error(StatusCode::kInvalidArgument, "there is no HIP device {}: this machine has {}, counted from 0", index,
                 count);
  ACU_ASSIGN_OR_RETURN(DeviceInfo info, Describe(*driver, index));
  return std::unique_ptr<Device>(new HipDevice(std::make_shared<Context>(*driver, std::move(info))));
}

}  // namespace
}  // namespace hip

const Backend kHipBackend = {"hip", "AMD GPUs, through the HIP runtime", hip::Probe, hip::Open};

}  // namespace acutance
