// The part of the HIP runtime's interface that acutance calls, declared here and resolved at run time: no HIP header,
// no link to ROCm. Names, values and argument order are the runtime's ABI, the same from ROCm 5 to 7
// (driver_abi_test.cc compares them with hip_runtime_api.h where one is found).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace acutance::hip {

using hipModule_t = struct ModuleHandle*;
using hipFunction_t = struct FunctionHandle*;
using hipStream_t = struct StreamHandle*;
using hipEvent_t = struct EventHandle*;
using hipGraph_t = struct GraphHandle*;
using hipGraphExec_t = struct GraphExecHandle*;

enum hipError_t : int {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorInsufficientDriver = 35,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorNoBinaryForGpu = 209,
  hipErrorECCNotCorrectable = 214,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchTimeOut = 702,
  hipErrorContextIsDestroyed = 709,
  hipErrorAssert = 710,
  hipErrorLaunchFailure = 719,
  hipErrorUnknown = 999,
};

enum hipDeviceAttribute_t : int {
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
};

enum hipFunction_attribute : int {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
};

enum hipMemcpyKind : int {
  hipMemcpyDefault = 4,  // pointers say where they lie
};

enum hipStreamCaptureMode : int {
  hipStreamCaptureModeRelaxed = 2,  // other threads may allocate and load meanwhile
};

inline constexpr unsigned hipEventDisableTiming = 2;
inline constexpr unsigned hipStreamNonBlocking = 1;  // does not wait for the default stream of a host program

/// hipDeviceProp_t of ROCm 6 and 7, with the one field that is read; a runtime writes less than `bytes`.
union DevicePropertiesR0600 {
  static constexpr size_t kArchNameOffset = 1160;
  char bytes[8192];
};
/// The same of ROCm 5.
union DevicePropertiesR0000 {
  static constexpr size_t kArchNameOffset = 396;
  char bytes[8192];
};
inline constexpr size_t kArchNameBytes = 256;

// All of them are in ROCm 5.0, the first with hipGraphInstantiateWithFlags.
#define ACU_HIP_FUNCTIONS(X)                                                                                        \
  X(hipError_t, hipInit, (unsigned flags))                                                                          \
  X(hipError_t, hipRuntimeGetVersion, (int* version))                                                               \
  X(const char*, hipGetErrorName, (hipError_t result))                                                              \
  X(const char*, hipGetErrorString, (hipError_t result))                                                            \
  X(hipError_t, hipGetDeviceCount, (int* count))                                                                    \
  X(hipError_t, hipGetDevice, (int* device))                                                                        \
  X(hipError_t, hipSetDevice, (int device))                                                                         \
  X(hipError_t, hipDeviceGetName, (char* name, int length, int device))                                             \
  X(hipError_t, hipDeviceGetAttribute, (int* value, hipDeviceAttribute_t attribute, int device))                    \
  X(hipError_t, hipDeviceGetPCIBusId, (char* address, int length, int device))                                      \
  X(hipError_t, hipDeviceTotalMem, (size_t * bytes, int device))                                                    \
  X(hipError_t, hipMemGetInfo, (size_t * free, size_t * total))                                                     \
  X(hipError_t, hipMalloc, (void** memory, size_t bytes))                                                           \
  X(hipError_t, hipFree, (void* memory))                                                                            \
  X(hipError_t, hipHostMalloc, (void** memory, size_t bytes, unsigned flags))                                       \
  X(hipError_t, hipHostFree, (void* memory))                                                                        \
  X(hipError_t, hipMemcpy2DAsync,                                                                                   \
    (void* to, size_t to_stride, const void* from, size_t from_stride, size_t row_bytes, size_t rows,               \
     hipMemcpyKind kind, hipStream_t stream))                                                                       \
  X(hipError_t, hipModuleLoadData, (hipModule_t * module, const void* image))                                       \
  X(hipError_t, hipModuleUnload, (hipModule_t module))                                                              \
  X(hipError_t, hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char* name))             \
  X(hipError_t, hipFuncGetAttribute, (int* value, hipFunction_attribute attribute, hipFunction_t function))         \
  X(hipError_t, hipModuleLaunchKernel,                                                                              \
    (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned group_x, unsigned group_y, \
     unsigned group_z, unsigned shared_bytes, hipStream_t stream, void** parameters, void** extra))                 \
  X(hipError_t, hipMemcpyAsync, (void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream)) \
  X(hipError_t, hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags))                                   \
  X(hipError_t, hipStreamDestroy, (hipStream_t stream))                                                             \
  X(hipError_t, hipStreamQuery, (hipStream_t stream))                                                               \
  X(hipError_t, hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags))                                      \
  X(hipError_t, hipEventRecord, (hipEvent_t event, hipStream_t stream))                                             \
  X(hipError_t, hipEventQuery, (hipEvent_t event))                                                                  \
  X(hipError_t, hipEventDestroy, (hipEvent_t event))                                                                \
  X(hipError_t, hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode))                             \
  X(hipError_t, hipStreamEndCapture, (hipStream_t stream, hipGraph_t * graph))                                      \
  X(hipError_t, hipGraphInstantiateWithFlags,                                                                       \
    (hipGraphExec_t * executable, hipGraph_t graph, unsigned long long flags))                                      \
  X(hipError_t, hipGraphLaunch, (hipGraphExec_t executable, hipStream_t stream))                                    \
  X(hipError_t, hipGraphExecDestroy, (hipGraphExec_t executable))                                                   \
  X(hipError_t, hipGraphDestroy, (hipGraph_t graph))

/// The runtime's functions.
struct Driver {
#define ACU_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  ACU_HIP_FUNCTIONS(ACU_DECLARE)
#undef ACU_DECLARE
  // One of the two exists: the symbol shows which struct the runtime fills.
  hipError_t (*hipGetDevicePropertiesR0600)(DevicePropertiesR0600* properties, int device) = nullptr;
  hipError_t (*hipGetDeviceProperties)(DevicePropertiesR0000* properties, int device) = nullptr;
};

/// Opens and initialises the runtime. The library is opened once and stays open (runtimes do not survive dlclose), so
/// the pointer is good for the life of the process. ACUTANCE_HIP_LIBRARY names another library than libamdhip64.so: a
/// hook for tests.
Result<const Driver*> OpenDriver();

/// "HIP 6.2.41134, amdgpu 6.8.5", or "HIP 6.2.41134, amdgpu of Linux 6.1.0-13-amd64".
std::string DriverVersion(const Driver& driver);

/// The GPU's instruction set: "gfx90a", without the features that may follow ("gfx90a:sramecc+:xnack-").
Result<std::string> ArchName(const Driver& driver, int device);

/// "hipErrorLaunchFailure: unspecified launch failure".
std::string ResultText(const Driver& driver, hipError_t result);

/// True when no later call on the device can succeed either: its context is corrupt, or the device is gone.
bool IsDeviceLost(hipError_t result);

/// Ok, or an error that says what failed: "<device>: could not <doing>: <result>".
Status CallStatus(const Driver& driver, std::string_view device, hipError_t result, std::string_view doing);

}  // namespace acutance::hip
