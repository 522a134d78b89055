// A stand-in for libamdhip64.so that runs the hip backend's host code on an NVIDIA GPU, or on the fake CUDA driver:
// each HIP function forwards to the CUDA driver. For tests alone: ACUTANCE_HIP_LIBRARY=<this library> selects it.
//   ACUTANCE_HIP_STANDIN_KERNELS  a folder of *.ptx files: a kernel of a code object is taken from the one that has it
//   ACUTANCE_HIP_STANDIN_INIT     the number that hipInit returns instead of doing its work
//   ACUTANCE_HIP_STANDIN_FAMILY   the instruction set to claim, gfx1100 by default: its waves have 32 lanes, as CUDA's
// Result codes are passed on as they are: those that the backend knows have the same numbers in both interfaces.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"
#include "backend/hip/driver.h"

namespace acutance::hip {

using cuda::CUcontext;
using cuda::CUDA_SUCCESS;
using cuda::CUfunction;
using cuda::CUmodule;
using cuda::CUresult;
using Cuda = cuda::Driver;

/// A code object; the PTX files that stand for it are loaded when a kernel is asked for.
struct ModuleHandle {
  std::map<std::filesystem::path, CUmodule> files;
};

namespace {

std::atomic<const cuda::Driver*> g_driver = nullptr;  // hipInit() sets it, on any thread
std::mutex g_mutex;
std::map<int, CUcontext> g_contexts;  // retained at a device's first use, until the process ends, as HIP does
thread_local int g_device = 0;

const cuda::Driver& TheDriver() { return *g_driver.load(); }

hipError_t ToHip(CUresult result) { return static_cast<hipError_t>(result); }

std::string Setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

CUresult ContextOf(int device, CUcontext* context) {
  const std::lock_guard lock(g_mutex);
  if (const auto known = g_contexts.find(device); known != g_contexts.end()) {
    *context = known->second;
    return CUDA_SUCCESS;
  }
  const CUresult result = TheDriver().cuDevicePrimaryCtxRetain(context, device);
  if (result == CUDA_SUCCESS) g_contexts[device] = *context;
  return result;
}

/// Calls the CUDA driver with the current device's context.
template <class Call>
hipError_t Forward(Call call) {
  CUcontext context = nullptr;
  if (const CUresult result = ContextOf(g_device, &context); result != CUDA_SUCCESS) return ToHip(result);
  if (const CUresult result = TheDriver().cuCtxPushCurrent_v2(context); result != CUDA_SUCCESS) return ToHip(result);
  const CUresult result = call(TheDriver());
  TheDriver().cuCtxPopCurrent_v2(&context);
  return ToHip(result);
}

/// Calls a function of the CUDA driver with HIP's arguments, whose handles and numbers stand for CUDA's.
template <class... To, class... From>
hipError_t Forward(CUresult (*cuda::Driver::*function)(To...), From... args) {
  return Forward([=](const cuda::Driver& driver) { return (driver.*function)((To)(args)...); });
}

bool IsAmdCodeObject(const void* image) {
  constexpr size_t kMachineOffset = 18;
  constexpr uint16_t kAmdGpu = 224;  // EM_AMDGPU
  uint16_t machine = 0;
  if (std::memcmp(image, "\177ELF", 4) != 0) return false;
  std::memcpy(&machine, static_cast<const char*>(image) + kMachineOffset, sizeof(machine));
  return machine == kAmdGpu;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Finds the PTX file with the kernel and loads it.
CUresult FindFunction(const cuda::Driver& driver, ModuleHandle& module, const char* name, CUfunction* function) {
  const std::string folder = Setting("ACUTANCE_HIP_STANDIN_KERNELS", ".");
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".ptx") continue;
    const std::string text = ReadFile(entry.path());
    if (text.find(std::string(".entry ") + name + "(") == std::string::npos) continue;
    CUmodule& loaded = module.files[entry.path()];
    if (!loaded)
      if (const CUresult result = driver.cuModuleLoadDataEx(&loaded, text.c_str(), 0, nullptr, nullptr);
          result != CUDA_SUCCESS)
        return result;
    return driver.cuModuleGetFunction(function, loaded, name);
  }
  return cuda::CUDA_ERROR_NOT_FOUND;
}

/// The fields that the backend reads, at the offsets of a ROCm release's struct.
template <class Properties>
hipError_t FillProperties(Properties* properties) {
  const std::string arch = Setting("ACUTANCE_HIP_STANDIN_FAMILY", "gfx1100") + ":sramecc-:xnack-";
  std::strncpy(properties->bytes + Properties::kArchNameOffset, arch.c_str(), kArchNameBytes - 1);
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipInit(unsigned) {
  if (const std::string told = Setting("ACUTANCE_HIP_STANDIN_INIT", ""); !told.empty())
    return static_cast<hipError_t>(std::stoi(told));
  const Result<const cuda::Driver*> driver = cuda::OpenDriver();
  if (!driver.ok()) return hipErrorNoDevice;
  g_driver = *driver;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = 60'000'000;
  return hipSuccess;
}
const char* hipGetErrorName(hipError_t result) {
  const char* name = nullptr;
  if (g_driver.load()) (void)TheDriver().cuGetErrorName(static_cast<CUresult>(result), &name);
  return name;
}
const char* hipGetErrorString(hipError_t result) {
  const char* text = nullptr;
  if (g_driver.load()) (void)TheDriver().cuGetErrorString(static_cast<CUresult>(result), &text);
  return text;
}
hipError_t hipGetDeviceCount(int* count) { return ToHip(TheDriver().cuDeviceGetCount(count)); }
hipError_t hipGetDevice(int* device) {
  *device = g_device;
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  g_device = device;
  return hipSuccess;
}
hipError_t hipDeviceGetName(char* name, int length, int device) {
  return ToHip(TheDriver().cuDeviceGetName(name, length, device));
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  const bool wave = attribute == hipDeviceAttributeWarpSize;
  if (!wave && attribute != hipDeviceAttributeMaxSharedMemoryPerBlock) return hipErrorInvalidValue;
  return ToHip(TheDriver().cuDeviceGetAttribute(
      value, wave ? cuda::CU_DEVICE_ATTRIBUTE_WARP_SIZE : cuda::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
      device));
}
hipError_t hipDeviceGetPCIBusId(char* address, int length, int device) {
  cuda::CUuuid uuid;
  const CUresult result = TheDriver().cuDeviceGetUuid_v2(&uuid, device);
  std::snprintf(address, length, "0000:%02x:00.0", static_cast<unsigned char>(uuid.bytes[1]));
  return ToHip(result);
}
hipError_t hipDeviceTotalMem(size_t* bytes, int device) {
  return ToHip(TheDriver().cuDeviceTotalMem_v2(bytes, device));
}
#ifdef HIP_STANDIN_ROCM5
hipError_t hipGetDeviceProperties(DevicePropertiesR0000* properties, int) { return FillProperties(properties); }
#else
hipError_t hipGetDevicePropertiesR0600(DevicePropertiesR0600* properties, int) { return FillProperties(properties); }
#endif

hipError_t hipMemGetInfo(size_t* free, size_t* total) { return Forward(&Cuda::cuMemGetInfo_v2, free, total); }
hipError_t hipMalloc(void** memory, size_t bytes) { return Forward(&Cuda::cuMemAlloc_v2, memory, bytes); }
hipError_t hipFree(void* memory) { return Forward(&Cuda::cuMemFree_v2, memory); }
hipError_t hipHostMalloc(void** memory, size_t bytes, unsigned flags) {
  return Forward(&Cuda::cuMemHostAlloc, memory, bytes, flags);
}
hipError_t hipHostFree(void* memory) { return Forward(&Cuda::cuMemFreeHost, memory); }

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  if (!IsAmdCodeObject(image)) return hipErrorNoBinaryForGpu;
  *module = new ModuleHandle;
  return hipSuccess;
}
hipError_t hipModuleUnload(hipModule_t module) {
  const hipError_t result = Forward([=](const Cuda& driver) {
    CUresult last = CUDA_SUCCESS;
    for (const auto& [path, loaded] : module->files)
      if (loaded) last = driver.cuModuleUnload(loaded);
    return last;
  });
  delete module;
  return result;
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return Forward(
      [=](const Cuda& driver) { return FindFunction(driver, *module, name, reinterpret_cast<CUfunction*>(function)); });
}
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function) {
  return Forward(&Cuda::cuFuncGetAttribute, value, attribute, function);
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared_bytes,
                                 hipStream_t stream, void** parameters, void** extra) {
  return Forward(&Cuda::cuLaunchKernel, function, grid_x, grid_y, grid_z, group_x, group_y, group_z, shared_bytes,
                 stream, parameters, extra);
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  if (kind != hipMemcpyDefault) return hipErrorInvalidValue;
  return Forward(&Cuda::cuMemcpyAsync, to, from, bytes, stream);
}
hipError_t hipMemcpy2DAsync(void* to, size_t to_stride, const void* from, size_t from_stride, size_t row_bytes,
                            size_t rows, hipMemcpyKind kind, hipStream_t stream) {
  if (kind != hipMemcpyDefault) return hipErrorInvalidValue;
  cuda::CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = cuda::CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = reinterpret_cast<uintptr_t>(from);
  copy.srcPitch = from_stride;
  copy.dstDevice = reinterpret_cast<uintptr_t>(to);
  copy.dstPitch = to_stride;
  copy.WidthInBytes = row_bytes;
  copy.Height = rows;
  return Forward(&Cuda::cuMemcpy2DAsync_v2, &copy, stream);
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return Forward(&Cuda::cuStreamCreate, stream, flags);
}
hipError_t hipStreamDestroy(hipStream_t stream) { return Forward(&Cuda::cuStreamDestroy_v2, stream); }
hipError_t hipStreamQuery(hipStream_t stream) { return Forward(&Cuda::cuStreamQuery, stream); }
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return Forward(&Cuda::cuEventCreate, event, flags);
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) { return Forward(&Cuda::cuEventRecord, event, stream); }
hipError_t hipEventQuery(hipEvent_t event) { return Forward(&Cuda::cuEventQuery, event); }
hipError_t hipEventDestroy(hipEvent_t event) { return Forward(&Cuda::cuEventDestroy_v2, event); }
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return Forward(&Cuda::cuStreamBeginCapture_v2, stream, mode);
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return Forward(&Cuda::cuStreamEndCapture, stream, graph);
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long flags) {
  return Forward(&Cuda::cuGraphInstantiateWithFlags, executable, graph, flags);
}
hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  return Forward(&Cuda::cuGraphLaunch, executable, stream);
}
hipError_t hipGraphExecDestroy(hipGraphExec_t executable) { return Forward(&Cuda::cuGraphExecDestroy, executable); }
hipError_t hipGraphDestroy(hipGraph_t graph) { return Forward(&Cuda::cuGraphDestroy, graph); }

}  // extern "C"

}  // namespace acutance::hip
