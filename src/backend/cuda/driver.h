// The part of the CUDA driver's interface that acutance calls, declared here and resolved at run time: no CUDA header,
// no link to a CUDA library. Names, values and argument order are the driver's ABI (driver_abi_test.cc compares them
// with cuda.h where one is found).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace acutance::cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct ContextHandle*;
using CUmodule = struct ModuleHandle*;
using CUfunction = struct FunctionHandle*;
using CUstream = struct StreamHandle*;
using CUevent = struct EventHandle*;
using CUgraph = struct GraphHandle*;
using CUgraphExec = struct GraphExecHandle*;

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_UNKNOWN = 999,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
};

enum CUcomputemode : int {
  CU_COMPUTEMODE_DEFAULT = 0,  // any number of contexts
};

enum CUjit_option : int {
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

enum CUstreamCaptureMode : int {
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,  // other threads may allocate and load meanwhile
};

enum CUmemorytype : int {
  CU_MEMORYTYPE_UNIFIED = 4,  // the address says where it lies
};

struct CUuuid {
  char bytes[16];
};

struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  struct ArrayHandle* srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  struct ArrayHandle* dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};

inline constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;
inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;  // does not wait for the default stream of a host program

// Every name is an exported symbol, with the version suffix that cuda.h hides behind a macro. All of them are in driver
// 470 (CUDA 11.4), the first with cuGraphInstantiateWithFlags.
#define ACU_CUDA_FUNCTIONS(X)                                                                                       \
  X(cuInit, (unsigned flags))                                                                                       \
  X(cuDriverGetVersion, (int* version))                                                                             \
  X(cuGetErrorName, (CUresult result, const char** name))                                                           \
  X(cuGetErrorString, (CUresult result, const char** text))                                                         \
  X(cuDeviceGetCount, (int* count))                                                                                 \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                                                                  \
  X(cuDeviceGetName, (char* name, int length, CUdevice device))                                                     \
  X(cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))                              \
  X(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                                           \
  X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                                         \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                               \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                                                \
  X(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))                                         \
  X(cuCtxDestroy_v2, (CUcontext context))                                                                           \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                                       \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                                      \
  X(cuCtxGetDevice, (CUdevice * device))                                                                            \
  X(cuMemGetInfo_v2, (size_t * free, size_t * total))                                                               \
  X(cuMemAlloc_v2, (CUdeviceptr * memory, size_t bytes))                                                            \
  X(cuMemFree_v2, (CUdeviceptr memory))                                                                             \
  X(cuMemHostAlloc, (void** memory, size_t bytes, unsigned flags))                                                  \
  X(cuMemFreeHost, (void* memory))                                                                                  \
  X(cuModuleLoadDataEx, (CUmodule * module, const void* image, unsigned count, CUjit_option* names, void** values)) \
  X(cuModuleUnload, (CUmodule module))                                                                              \
  X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))                                \
  X(cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function))                          \
  X(cuLaunchKernel,                                                                                                 \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned group_x, unsigned group_y,    \
     unsigned group_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))                    \
  X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* copy, CUstream stream))                                               \
  X(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                               \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                                                            \
  X(cuStreamDestroy_v2, (CUstream stream))                                                                          \
  X(cuStreamQuery, (CUstream stream))                                                                               \
  X(cuEventCreate, (CUevent * event, unsigned flags))                                                               \
  X(cuEventRecord, (CUevent event, CUstream stream))                                                                \
  X(cuEventQuery, (CUevent event))                                                                                  \
  X(cuEventDestroy_v2, (CUevent event))                                                                             \
  X(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                                           \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                                         \
  X(cuGraphInstantiateWithFlags, (CUgraphExec * executable, CUgraph graph, unsigned long long flags))               \
  X(cuGraphLaunch, (CUgraphExec executable, CUstream stream))                                                       \
  X(cuGraphExecDestroy, (CUgraphExec executable))                                                                   \
  X(cuGraphDestroy, (CUgraph graph))

/// The driver's functions.
struct Driver {
#define ACU_DECLARE(name, parameters) CUresult(*name) parameters = nullptr;
  ACU_CUDA_FUNCTIONS(ACU_DECLARE)
#undef ACU_DECLARE
};

/// Opens and initialises the driver. The library is opened once and stays open (drivers do not survive dlclose), so the
/// pointer is good for the life of the process. ACUTANCE_CUDA_LIBRARY names another library than libcuda.so.1: a hook
/// for tests.
Result<const Driver*> OpenDriver();

/// "CUDA 12.4, driver 550.54.15".
std::string DriverVersion(const Driver& driver);

/// "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure".
std::string ResultText(const Driver& driver, CUresult result);

/// True when no later call on the device can succeed either: its context is corrupt, or the device is gone.
bool IsDeviceLost(CUresult result);

/// Ok, or an error that says what failed: "<device>: could not <doing>: <result>".
Status CallStatus(const Driver& driver, std::string_view device, CUresult result, std::string_view doing);

}  // namespace acutance::cuda
