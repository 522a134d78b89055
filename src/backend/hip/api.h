// HIP backend: AMD GPUs, and one device of the HIP runtime as the templates of gpu_driver/ use it. Needs no ROCm to
// build: the runtime is opened at run time, and code objects come from a file next to the program (kernel_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/hip/driver.h"
#include "exec/device.h"

namespace acutance {

extern const Backend kHipBackend;

namespace hip {

struct Api {
  using Code = hipError_t;
  using Module = hipModule_t;
  using Function = hipFunction_t;
  using Stream = hipStream_t;
  using Event = hipEvent_t;
  using Graph = hipGraph_t;
  using Executable = hipGraphExec_t;
  using Previous = int;  // the device that was current

  static constexpr Code kSuccess = hipSuccess, kOutOfMemory = hipErrorOutOfMemory;
  static constexpr Code kNotReady = hipErrorNotReady;

  const Driver& driver;
  int device;
  std::string family;  // DeviceInfo::family

  void Close() const {}  // the runtime holds a device's context until the process ends
  Code Enter(Previous& previous) const;
  void Leave(Previous previous) const {
    if (previous != device) (void)driver.hipSetDevice(previous);
  }

  Code MemoryInfo(size_t* free, size_t* total) const { return driver.hipMemGetInfo(free, total); }
  Code AllocateDevice(uint64_t* memory, size_t bytes) const;
  Code FreeDevice(uint64_t memory) const { return driver.hipFree(reinterpret_cast<void*>(memory)); }
  Code AllocatePinned(void** memory, size_t bytes) const { return driver.hipHostMalloc(memory, bytes, 0); }
  Code FreePinned(void* memory) const { return driver.hipHostFree(memory); }

  /// The code object for the device's instruction set, or one for another that is the same: the image's own (those of
  /// tests are embedded), else that of the file next to the program.
  static std::vector<KernelBinary> Binaries(const KernelImage& image, std::string_view family);
  /// Why there is none.
  static Status NotBuilt(const KernelImage& image, std::string_view family);
  static constexpr bool kLoadsAhead = false;
  static std::string_view PartOf(const KernelBinary& /*binary*/, std::string_view /*symbol*/) { return {}; }
  Code LoadModule(Module* module, const KernelBinary& binary, std::string_view part, std::string& log) const;
  Code UnloadModule(Module module) const { return driver.hipModuleUnload(module); }
  Code FindFunction(Function* function, Module module, const char* symbol) const {
    return driver.hipModuleGetFunction(function, module, symbol);
  }
  Code MaxGroupSize(int* threads, Function function) const {
    return driver.hipFuncGetAttribute(threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  }

  // Streams that do not wait for the default stream of a host program.
  Code MakeStream(Stream* stream) const { return driver.hipStreamCreateWithFlags(stream, hipStreamNonBlocking); }
  Code DestroyStream(Stream stream) const { return driver.hipStreamDestroy(stream); }
  Code Query(Stream stream) const { return driver.hipStreamQuery(stream); }
  Code Copy(uint64_t to, uint64_t from, size_t bytes, Stream stream) const {
    return driver.hipMemcpyAsync(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes,
                                 hipMemcpyDefault, stream);
  }
  Code CopyRows(uint64_t to, uint64_t from, const CopyCommand& copy, Stream stream) const {
    return driver.hipMemcpy2DAsync(reinterpret_cast<void*>(to), copy.to_stride, reinterpret_cast<const void*>(from),
                                   copy.from_stride, copy.bytes, copy.rows, hipMemcpyDefault, stream);
  }
  Code Launch(Function function, const Grid& grid, int group_x, int group_y, void** parameters, Stream stream) const {
    return driver.hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, group_x, group_y, 1, 0, stream, parameters,
                                        nullptr);
  }
  Code MakeEvent(Event* event) const { return driver.hipEventCreateWithFlags(event, hipEventDisableTiming); }
  Code RecordEvent(Event event, Stream stream) const { return driver.hipEventRecord(event, stream); }
  Code QueryEvent(Event event) const { return driver.hipEventQuery(event); }
  Code DestroyEvent(Event event) const { return driver.hipEventDestroy(event); }

  // Relaxed: other threads may allocate and load meanwhile.
  Code BeginCapture(Stream stream) const { return driver.hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed); }
  Code EndCapture(Stream stream, Graph* graph) const { return driver.hipStreamEndCapture(stream, graph); }
  Code DestroyGraph(Graph graph) const { return driver.hipGraphDestroy(graph); }
  Code Instantiate(Executable* executable, Graph graph) const {
    return driver.hipGraphInstantiateWithFlags(executable, graph, 0);
  }
  Code Launch(Executable executable, Stream stream) const { return driver.hipGraphLaunch(executable, stream); }
  Code DestroyExecutable(Executable executable) const { return driver.hipGraphExecDestroy(executable); }
};

}  // namespace hip
}  // namespace acutance
