// The library that fake_cuda.h describes. Its kernels, by the name of their .entry, take the arguments
// {uint64 address, int32 value, int32 count} and work on `count` int32:
//   fill: stores value   add: adds value   crash: touches memory that is not there, which loses the device
#include "backend/cuda/testing/fake_cuda.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/driver.h"

namespace acutance::cuda {

struct ContextHandle {
  int references = 0;
};
struct ModuleHandle {
  std::string text;
};
struct FunctionHandle {
  std::string name;
};
struct GraphHandle {
  std::vector<std::function<CUresult()>> nodes;
};
struct GraphExecHandle {
  std::vector<std::function<CUresult()>> nodes;
};
struct EventHandle {
  CUstream stream = nullptr;
};
struct StreamHandle {
  bool capturing = false;
  GraphHandle captured;
  std::vector<std::function<CUresult()>> pending;  // runs when a thread waits, never sooner
};

namespace {

FakeCuda g_fake;
std::recursive_mutex g_mutex;
ContextHandle g_primary;
std::condition_variable_any g_met;
std::multiset<CUcontext> g_loading;
thread_local std::vector<CUcontext> g_current;
/// Handles and memory, with the memory's size. It outlives the process: memory that a hung device still uses is no
/// leak.
auto& g_alive = *new std::map<const void*, size_t>();
size_t g_allocated = 0;
bool g_initialised = false;
constexpr size_t kHostBytes = size_t{1} << 32;
FunctionHandle g_functions[] = {{"fill"}, {"add"}, {"crash"}};

CUresult Misuse() {
  ++g_fake.misuse;
  return CUDA_ERROR_INVALID_VALUE;
}

template <class T>
T* Born(T* handle, size_t bytes = 0) {
  g_alive[handle] = bytes;
  ++g_fake.alive;
  return handle;
}

/// False, and counted, when the handle is not alive.
bool Die(const void* handle) {
  if (g_alive.erase(handle) == 0) return Misuse(), false;
  --g_fake.alive;
  return true;
}

template <class T>
CUresult Destroy(T* handle) {
  const std::lock_guard lock(g_mutex);
  if (!Die(handle)) return CUDA_ERROR_INVALID_VALUE;
  delete handle;
  return CUDA_SUCCESS;
}

/// The result that a test demands of a call, else success. Errors of a lost context persist.
CUresult Enter(const char* function, bool needs_context = true) {
  if (const auto told = g_fake.fail.find(function); told != g_fake.fail.end()) return CUresult(told->second);
  if (!g_initialised) return Misuse();
  if (!needs_context) return CUDA_SUCCESS;
  if (g_current.empty()) return Misuse();
  const bool is_primary = g_current.back() == &g_primary;
  if (is_primary ? g_primary.references == 0 : !g_alive.contains(g_current.back())) return Misuse();
  return is_primary ? CUresult(g_fake.lost) : CUDA_SUCCESS;
}

#define FAKE_ENTER(...)                     \
  const std::lock_guard fake_lock(g_mutex); \
  if (const CUresult entered = Enter(__func__ __VA_OPT__(, ) __VA_ARGS__); entered != CUDA_SUCCESS) return entered

struct Arguments {
  uint64_t address;
  int32_t value;
  int32_t count;
};

/// Whether [address, address + bytes) lies in memory that is alive.
bool Accessible(uint64_t address, size_t bytes) {
  for (const auto& [memory, size] : g_alive) {
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    if (address >= begin && address + bytes <= begin + size) return true;
  }
  return false;
}

CUresult RunKernel(const std::string& name, const Arguments& arguments) {
  if (name == "crash" || !Accessible(arguments.address, sizeof(int32_t) * arguments.count))
    return CUresult(g_fake.lost = CUDA_ERROR_ILLEGAL_ADDRESS);
  auto* values = reinterpret_cast<int32_t*>(arguments.address);
  for (int32_t i = 0; i < arguments.count; ++i) values[i] = (name == "add" ? values[i] : 0) + arguments.value;
  return CUDA_SUCCESS;
}

/// See FakeCuda::meet.
void MeetOthers(std::unique_lock<std::recursive_mutex>& lock) {
  if (g_fake.meet == 0 || g_fake.met || g_fake.alone-- > 0) return;
  const auto here = g_loading.insert(g_current.back());
  g_fake.met = std::set(g_loading.begin(), g_loading.end()).size() >= g_fake.meet;
  g_met.notify_all();
  g_met.wait_for(lock, std::chrono::seconds(20), [] { return g_fake.met; });
  g_loading.erase(here);
}

CUresult Enqueue(CUstream stream, std::function<CUresult()> work) {
  if (!g_alive.contains(stream)) return Misuse();
  (stream->capturing ? stream->captured.nodes : stream->pending).push_back(std::move(work));
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

FakeCuda* FakeCudaControls() { return &g_fake; }

CUresult cuInit(unsigned flags) {
  {
    const std::lock_guard lock(g_mutex);
    g_initialised = flags == 0;
  }
  FAKE_ENTER(false);
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  FAKE_ENTER(false);
  *version = g_fake.version;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult result, const char** name) {
  switch (result) {
#define FAKE_NAME(code) \
  case code:            \
    *name = #code;      \
    return CUDA_SUCCESS;
    FAKE_NAME(CUDA_ERROR_OUT_OF_MEMORY)
    FAKE_NAME(CUDA_ERROR_NO_DEVICE)
    FAKE_NAME(CUDA_ERROR_INVALID_PTX)
    FAKE_NAME(CUDA_ERROR_NOT_FOUND)
    FAKE_NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    FAKE_NAME(CUDA_ERROR_LAUNCH_FAILED)
#undef FAKE_NAME
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "as the test demands";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  FAKE_ENTER(false);
  *count = g_fake.devices;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  FAKE_ENTER(false);
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  FAKE_ENTER(false);
  std::strncpy(name, "Fake GPU", length);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  FAKE_ENTER(false);
  const std::map<CUdevice_attribute, int> values = {
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, g_fake.shared_bytes},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, g_fake.warp_size},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, g_fake.compute_mode},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, g_fake.unified_addressing},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, g_fake.major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, g_fake.minor}};
  const auto found = values.find(attribute);
  if (found == values.end()) return Misuse();
  *value = found->second;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  FAKE_ENTER(false);
  *uuid = {{static_cast<char>(0xab), static_cast<char>(device)}};
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  FAKE_ENTER(false);
  *bytes = g_fake.memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  FAKE_ENTER(false);
  if (g_primary.references++ == 0) g_fake.lost = CUDA_SUCCESS;
  ++g_fake.alive;
  *context = &g_primary;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  FAKE_ENTER(false);
  if (g_primary.references == 0) return Misuse();
  --g_primary.references;
  --g_fake.alive;
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice) {
  FAKE_ENTER(false);
  if (flags != 0) return Misuse();
  ++g_fake.contexts;
  *context = Born(new ContextHandle);
  g_current.push_back(*context);
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy_v2(CUcontext context) {
  FAKE_ENTER(false);
  if (!Die(context)) return CUDA_ERROR_INVALID_VALUE;
  if (!g_current.empty() && g_current.back() == context) g_current.pop_back();
  delete context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  FAKE_ENTER(false);
  g_current.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  FAKE_ENTER(false);
  if (g_current.empty()) return Misuse();
  *context = g_current.back();
  g_current.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  FAKE_ENTER();
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  FAKE_ENTER();
  *free = g_fake.memory_bytes - g_allocated;
  *total = g_fake.memory_bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr* memory, size_t bytes) {
  FAKE_ENTER();
  if (bytes == 0) return Misuse();
  if (bytes > g_fake.memory_bytes - g_allocated) return CUDA_ERROR_OUT_OF_MEMORY;
  g_allocated += bytes;
  *memory = reinterpret_cast<uintptr_t>(Born(std::malloc(bytes), bytes));
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  const std::lock_guard lock(g_mutex);
  void* pointer = reinterpret_cast<void*>(memory);
  const size_t bytes = g_alive.contains(pointer) ? g_alive[pointer] : 0;
  if (!Die(pointer)) return CUDA_ERROR_INVALID_VALUE;
  g_allocated -= bytes;
  std::free(pointer);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  FAKE_ENTER();
  if (bytes > kHostBytes) return CUDA_ERROR_OUT_OF_MEMORY;
  *memory = Born(std::malloc(bytes), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  const std::lock_guard lock(g_mutex);
  if (!Die(memory)) return CUDA_ERROR_INVALID_VALUE;
  std::free(memory);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* names, void** values) {
  std::unique_lock lock(g_mutex);
  if (const CUresult entered = Enter(__func__); entered != CUDA_SUCCESS) return entered;
  MeetOthers(lock);
  lock.unlock();
  std::this_thread::sleep_for(g_fake.compiling);
  lock.lock();
  const bool is_primary = g_current.back() == &g_primary;
  const char* text = static_cast<const char*>(image);
  FakeLoad load = {is_primary, text, {names, names + count}, 0};
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) load.log_bytes = reinterpret_cast<size_t>(values[i]);
  g_fake.loads.push_back(std::move(load));
  if (!is_primary && g_fake.fails_in_helper != 0) return CUresult(g_fake.fails_in_helper);
  if (!std::strstr(text, ".version")) {
    for (unsigned i = 0; i < count; ++i)
      if (names[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: Missing .version directive");
    return CUDA_ERROR_INVALID_PTX;
  }
  ++g_fake.modules;
  *module = Born(new ModuleHandle{text});
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) { return Destroy(module); }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  FAKE_ENTER();
  for (FunctionHandle& known : g_functions) {
    if (known.name != name || module->text.find(".entry " + known.name + "(") == std::string::npos) continue;
    *function = &known;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  FAKE_ENTER();
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) return Misuse();
  *value = g_fake.max_threads;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream stream, void** parameters, void**) {
  FAKE_ENTER();
  Arguments arguments;
  std::memcpy(&arguments, parameters[0], sizeof(arguments));
  return Enqueue(stream, [name = function->name, arguments] { return RunKernel(name, arguments); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  FAKE_ENTER();
  if (!Accessible(to, bytes) || !Accessible(from, bytes)) return Misuse();
  return Enqueue(stream, [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  FAKE_ENTER();
  const size_t row = copy->WidthInBytes, from_extent = copy->srcPitch * (copy->Height - 1) + row,
               to_extent = copy->dstPitch * (copy->Height - 1) + row;
  if (copy->Height == 0 || copy->srcPitch < row || copy->dstPitch < row || !Accessible(copy->srcDevice, from_extent) ||
      !Accessible(copy->dstDevice, to_extent) || copy->srcMemoryType != CU_MEMORYTYPE_UNIFIED ||
      copy->dstMemoryType != CU_MEMORYTYPE_UNIFIED)
    return Misuse();
  return Enqueue(stream, [c = *copy] {
    for (size_t y = 0; y < c.Height; ++y)
      std::memcpy(reinterpret_cast<void*>(c.dstDevice + y * c.dstPitch),
                  reinterpret_cast<const void*>(c.srcDevice + y * c.srcPitch), c.WidthInBytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  FAKE_ENTER();
  if (flags != CU_STREAM_NON_BLOCKING) return Misuse();
  *stream = Born(new StreamHandle);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  const std::lock_guard lock(g_mutex);
  if (!Die(stream)) return CUDA_ERROR_INVALID_VALUE;
  if (g_fake.lost == CUDA_SUCCESS && !stream->pending.empty()) Misuse();  // its buffers may go next
  delete stream;
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream stream) {
  FAKE_ENTER();
  if (g_fake.hangs) return CUDA_ERROR_NOT_READY;
  if (!stream) return CUDA_SUCCESS;  // the default stream, on which nothing is queued here
  if (!g_alive.contains(stream) || stream->capturing) return Misuse();
  for (const auto& work : std::exchange(stream->pending, {}))
    if (const CUresult result = work(); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  FAKE_ENTER();
  if (flags != CU_EVENT_DISABLE_TIMING) return Misuse();
  *event = Born(new EventHandle);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  FAKE_ENTER();
  if (!g_alive.contains(event) || !g_alive.contains(stream)) return Misuse();
  event->stream = stream;
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
  FAKE_ENTER();
  if (!g_alive.contains(event) || !g_alive.contains(event->stream)) return Misuse();
  return cuStreamQuery(event->stream);
}
CUresult cuEventDestroy_v2(CUevent event) { return Destroy(event); }
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  FAKE_ENTER();
  if (!g_alive.contains(stream) || stream->capturing || mode != CU_STREAM_CAPTURE_MODE_RELAXED) return Misuse();
  stream->capturing = true;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const std::lock_guard lock(g_mutex);
  if (!g_alive.contains(stream) || !stream->capturing) return Misuse();
  stream->capturing = false;
  GraphHandle captured = std::exchange(stream->captured, {});
  if (const CUresult entered = Enter(__func__); entered != CUDA_SUCCESS) return entered;
  *graph = Born(new GraphHandle(std::move(captured)));
  return CUDA_SUCCESS;
}
#ifndef FAKE_CUDA_OLD
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  FAKE_ENTER();
  if (!g_alive.contains(graph)) return Misuse();
  *executable = Born(new GraphExecHandle{graph->nodes});
  return CUDA_SUCCESS;
}
#endif
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  FAKE_ENTER();
  if (!g_alive.contains(executable)) return Misuse();
  for (const auto& node : executable->nodes) Enqueue(stream, node);
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) { return Destroy(executable); }
CUresult cuGraphDestroy(CUgraph graph) { return Destroy(graph); }

}  // extern "C"

}  // namespace acutance::cuda
