// CUDA backend: NVIDIA GPUs, and one device of the CUDA driver as the templates of gpu_driver/ use it. Needs no CUDA
// toolkit: the driver's library is opened at run time and kernels come as embedded PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/driver.h"
#include "exec/device.h"

namespace acutance {

extern const Backend kCudaBackend;

namespace cuda {

/// KernelBinary::target of code that the driver compiles.
inline constexpr std::string_view kPtx = "ptx";

/// The file without its entries other than `symbol`: the driver compiles all that it gets, and a kernel's file has all
/// of its variants.
std::string OnlyEntry(std::string_view ptx, std::string_view symbol);

/// The compute capability that the files name as their target, and the least that they run on.
inline constexpr int kPtxCapability = 75, kLeastCapability = 60;

/// The file with the target kLeastCapability: the kernels use no feature that came later. GPUs from
/// kPtxCapability on get it as it is, since the older target also means the older scheduling of a warp's threads.
std::string ForOldGpus(std::string ptx);

struct Api {
  using Code = CUresult;
  using Module = CUmodule;
  using Function = CUfunction;
  using Stream = CUstream;
  using Event = CUevent;
  using Graph = CUgraph;
  using Executable = CUgraphExec;
  using Previous = CUcontext;  // unused: the driver has a stack

  static constexpr Code kSuccess = CUDA_SUCCESS, kOutOfMemory = CUDA_ERROR_OUT_OF_MEMORY;
  static constexpr Code kNotReady = CUDA_ERROR_NOT_READY;

  const Driver& driver;
  CUdevice device;
  CUcontext context;
  bool retained;  // the primary context, which is released at the end; else one of the program
  bool is_old;    // older than the PTX's target: kPtxCapability

  void Close() const {
    if (retained) driver.cuDevicePrimaryCtxRelease_v2(device);
  }
  Code Enter(Previous&) const { return driver.cuCtxPushCurrent_v2(context); }
  void Leave(Previous previous) const { driver.cuCtxPopCurrent_v2(&previous); }

  Code MemoryInfo(size_t* free, size_t* total) const { return driver.cuMemGetInfo_v2(free, total); }
  Code AllocateDevice(uint64_t* memory, size_t bytes) const;
  Code FreeDevice(uint64_t memory) const { return driver.cuMemFree_v2(memory); }
  Code AllocatePinned(void** memory, size_t bytes) const { return driver.cuMemHostAlloc(memory, bytes, 0); }
  Code FreePinned(void* memory) const { return driver.cuMemFreeHost(memory); }

  /// Machine code for exactly this GPU, where the build has it, before PTX, which the driver compiles.
  static std::vector<KernelBinary> Binaries(const KernelImage& image, std::string_view family);
  static Status NotBuilt(const KernelImage& image, std::string_view family);
  /// Loading takes long: the driver compiles PTX.
  static constexpr bool kLoadsAhead = true;
  /// What of the binary is loaded for a kernel: a part by this name, or all of it for all kernels in it.
  static std::string_view PartOf(const KernelBinary& binary, std::string_view symbol);
  Code LoadModule(Module* module, const KernelBinary& binary, std::string_view part, std::string& log) const;
  /// The same of PTX or machine code as the driver gets it, into the context that is current.
  Code LoadCode(Module* module, const void* code, std::string& log) const;
  /// What the driver gets of a kernel's PTX.
  std::string PtxOf(const KernelBinary& binary, std::string_view symbol) const;
  Code UnloadModule(Module module) const { return driver.cuModuleUnload(module); }
  Code FindFunction(Function* function, Module module, const char* symbol) const {
    return driver.cuModuleGetFunction(function, module, symbol);
  }
  Code MaxGroupSize(int* threads, Function function) const {
    return driver.cuFuncGetAttribute(threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  }

  // Streams that do not wait for the default stream of a host program.
  Code MakeStream(Stream* stream) const { return driver.cuStreamCreate(stream, CU_STREAM_NON_BLOCKING); }
  Code DestroyStream(Stream stream) const { return driver.cuStreamDestroy_v2(stream); }
  Code Query(Stream stream) const { return driver.cuStreamQuery(stream); }
  Code Copy(uint64_t to, uint64_t from, size_t bytes, Stream stream) const {
    return driver.cuMemcpyAsync(to, from, bytes, stream);
  }
  Code CopyRows(uint64_t to, uint64_t from, const CopyCommand& copy, Stream stream) const;
  Code Launch(Function function, const Grid& grid, int group_x, int group_y, void** parameters, Stream stream) const {
    return driver.cuLaunchKernel(function, grid.x, grid.y, grid.z, group_x, group_y, 1, 0, stream, parameters, nullptr);
  }
  Code MakeEvent(Event* event) const { return driver.cuEventCreate(event, CU_EVENT_DISABLE_TIMING); }
  Code RecordEvent(Event event, Stream stream) const { return driver.cuEventRecord(event, stream); }
  Code QueryEvent(Event event) const { return driver.cuEventQuery(event); }
  Code DestroyEvent(Event event) const { return driver.cuEventDestroy_v2(event); }

  // Relaxed: other threads may allocate and load meanwhile.
  Code BeginCapture(Stream stream) const {
    return driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  }
  Code EndCapture(Stream stream, Graph* graph) const { return driver.cuStreamEndCapture(stream, graph); }
  Code DestroyGraph(Graph graph) const { return driver.cuGraphDestroy(graph); }
  Code Instantiate(Executable* executable, Graph graph) const {
    return driver.cuGraphInstantiateWithFlags(executable, graph, 0);
  }
  Code Launch(Executable executable, Stream stream) const { return driver.cuGraphLaunch(executable, stream); }
  Code DestroyExecutable(Executable executable) const { return driver.cuGraphExecDestroy(executable); }
};

}  // namespace cuda
}  // namespace acutance
