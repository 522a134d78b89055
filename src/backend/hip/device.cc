#include <array>
#include <vector>

#include "backend/gpu_driver/device.h"
#include "backend/hip/api.h"

namespace acutance {
namespace hip {
namespace {

Result<int> Attribute(const Driver& driver, const DeviceInfo& info, hipDeviceAttribute_t attribute) {
  int value = 0;
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name, driver.hipDeviceGetAttribute(&value, attribute, info.index),
                                 fmt::format("read its attribute {}", static_cast<int>(attribute))));
  return value;
}

/// The wave size that clang compiles the kernels of a family for: 64 on gfx9 (GCN and CDNA), 32
/// on gfx10 and later (RDNA).
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
  std::array<char, 64> address{};
  ACU_RETURN_IF_ERROR(CallStatus(driver, info.name,
                                 driver.hipDeviceGetPCIBusId(address.data(), address.size() - 1, index),
                                 "read its PCI address"));
  info.identity = address.data();
  ACU_ASSIGN_OR_RETURN(info.family, ArchName(driver, index));
  info.kernels = KernelsIdentity();
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
  return ProbeDevices(CountDevices(**driver), [&](int index) { return Describe(**driver, index); });
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  ACU_ASSIGN_OR_RETURN(const int count, CountDevices(*driver));
  ACU_RETURN_IF_ERROR(CheckIndex("HIP", index, count));
  ACU_ASSIGN_OR_RETURN(DeviceInfo info, Describe(*driver, index));
  Api api = {*driver, index, info.family};
  return std::unique_ptr<Device>(new gpu::GpuDevice<Api>(std::move(api), std::move(info)));
}

constexpr const char* kTraces[] = {"/dev/kfd", "/dev/dxg", "C:/Windows/System32/amdhip64.dll"};

}  // namespace
}  // namespace hip

const Backend kHipBackend = {.name = "hip",
                             .summary = "AMD GPUs, through the HIP runtime; no AMD GPU has run it yet",
                             .probe = hip::Probe,
                             .open = hip::Open,
                             .traces = hip::kTraces};

}  // namespace acutance
