#include "backend/cuda/compile_ahead.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/gpu_driver/kernel.h"
#include "base/environment.h"
#include "base/file_cache.h"
#include "base/hash.h"
#include "base/threads/exception_barrier.h"
#include "base/threads/parallel_for.h"
#include "base/usable_cpus.h"

namespace acutance::cuda {
namespace {

constexpr size_t kMostKernels = 4096;  // of several builds; one has a few hundred

const FileCache& Files() {
  static const FileCache files("cuda", 64);
  return files;
}

/// The kernels that this user's runs have noted as compiled for a device and its driver, by the hashes of their source:
/// the driver finds them in its own cache of files, but does not report what that holds.
class CompiledBefore {
 public:
  explicit CompiledBefore(const DeviceInfo& info) : key_(Key(info)), kernels_(Read()) {}

  bool Has(uint64_t kernel) const { return std::ranges::find(kernels_, kernel) != kernels_.end(); }

  /// Notes kernels for later runs. False where no later run would find them.
  bool Add(std::span<const uint64_t> kernels) {
    kernels_.insert(kernels_.end(), kernels.begin(), kernels.end());
    if (kernels_.size() > kMostKernels) kernels_.erase(kernels_.begin(), kernels_.end() - kMostKernels);
    Files().Write(key_, std::as_bytes(std::span(kernels_)));
    return Read() == kernels_;
  }

 private:
  /// Another place of the driver's cache holds other kernels; without the variable it lies in the home folder.
  static std::string Key(const DeviceInfo& info) {
    const char* place = Variable("CUDA_CACHE_PATH");
    return fmt::format("{} | {} | {} | {}", info.identity, info.family, info.driver, place ? place : "");
  }

  std::vector<uint64_t> Read() const {
    const std::optional<std::vector<std::byte>> content = Files().Read(key_);
    std::vector<uint64_t> kernels(content ? content->size() / sizeof(uint64_t) : 0);
    if (!kernels.empty()) std::memcpy(kernels.data(), content->data(), kernels.size() * sizeof(uint64_t));
    return kernels;
  }

  const std::string key_;
  std::vector<uint64_t> kernels_;  // the latest ones are last
};

/// A kernel that the driver has to compile.
struct Uncompiled {
  const KernelImage* image;
  std::string ptx;
  uint64_t hash;
};

/// A context of this thread alone, in which nothing runs.
class HelperContext {
 public:
  explicit HelperContext(const Api& api) : driver_(api.driver) {
    if (driver_.cuCtxCreate_v2(&context_, 0, api.device) != CUDA_SUCCESS) context_ = nullptr;
  }
  ~HelperContext() {
    if (context_) driver_.cuCtxDestroy_v2(context_);
  }
  HelperContext(const HelperContext&) = delete;
  HelperContext& operator=(const HelperContext&) = delete;

  bool ok() const { return context_ != nullptr; }

 private:
  const Driver& driver_;
  CUcontext context_ = nullptr;
};

/// Nullopt where the device's own code is loaded, or the kernel is loaded already, or does not fit the device.
std::optional<Uncompiled> Find(gpu::Context<Api>& context, const KernelImage& image) {
  const std::vector<KernelBinary> binaries = Api::Binaries(image, context.info().family);
  if (binaries.empty() || binaries.front().target != kPtx) return {};
  if (!CheckSharedMemory(image, context.info()).ok() || context.HasModule(binaries.front(), image.symbol)) return {};
  std::string ptx = context.api().PtxOf(binaries.front(), image.symbol);
  const uint64_t hash = Hash(ptx);
  return Uncompiled{&image, std::move(ptx), hash};
}

/// The largest first, so that no thread begins a large one when the others are done.
std::vector<Uncompiled> FindAll(gpu::Context<Api>& context, std::span<const KernelImage* const> images) {
  std::vector<Uncompiled> found;
  for (const KernelImage* image : images) {
    if (std::ranges::find(found, image, &Uncompiled::image) != found.end()) continue;
    if (std::optional<Uncompiled> kernel = Find(context, *image)) found.push_back(*std::move(kernel));
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [](const Uncompiled& kernel) { return kernel.ptx.size(); });
  return found;
}

/// Removes those that were compiled before, and notes the others now; removes all where no later run would find the
/// notes.
void RemoveCompiled(const DeviceInfo& info, std::vector<Uncompiled>& kernels) {
  if (kernels.empty()) return;
  CompiledBefore before(info);
  std::erase_if(kernels, [&](const Uncompiled& kernel) { return before.Has(kernel.hash); });
  std::vector<uint64_t> hashes;
  hashes.reserve(kernels.size());
  for (const Uncompiled& kernel : kernels) hashes.push_back(kernel.hash);
  if (!kernels.empty() && !before.Add(hashes)) kernels.clear();
}

/// Bytes of the device's memory that contexts may take; 0 where a process may have only one of them.
size_t MemoryForContexts(gpu::Context<Api>& context) {
  const Api& api = context.api();
  const gpu::CurrentContext<Api> current(context);
  if (!current.status().ok()) return 0;
  int mode = CU_COMPUTEMODE_DEFAULT;
  size_t free = 0, total = 0;
  if (api.driver.cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, api.device) != CUDA_SUCCESS) return 0;
  if (mode != CU_COMPUTEMODE_DEFAULT || api.MemoryInfo(&free, &total) != CUDA_SUCCESS) return 0;
  return free;
}

/// Loads into the current context, and unloads. A failure shows when the device's own context loads the kernel.
Status CompileOnly(const Api& api, const Uncompiled& kernel) {
  CUmodule module = nullptr;
  std::string log;
  if (api.LoadCode(&module, kernel.ptx.c_str(), log) == CUDA_SUCCESS) api.UnloadModule(module);
  return {};
}

/// Loads the last ones, which are the smallest, one after another until the driver compiles one, and removes them from
/// the list. The driver loads code from its files in 0.1 to 2.5 ms, and the smallest kernel takes 8 ms to compile.
void LoadCached(const std::shared_ptr<gpu::Context<Api>>& context, std::vector<Uncompiled>& kernels) {
  constexpr std::chrono::milliseconds kCompiling(4);
  std::chrono::steady_clock::duration time{};
  while (!kernels.empty() && time < kCompiling) {
    const auto begin = std::chrono::steady_clock::now();
    // A failure is reported by the later call that needs the kernel.
    static_cast<void>(gpu::LoadKernel(context, *kernels.back().image));
    time = std::chrono::steady_clock::now() - begin;
    kernels.pop_back();
  }
}

/// One thread loads into the device's own context, each of the helpers compiles in a context of its own. Failures are
/// reported by the later calls that need the kernels.
void Compile(const std::shared_ptr<gpu::Context<Api>>& context, std::span<const Uncompiled> kernels, size_t helpers) {
  std::atomic<size_t> next = 0;
  const auto take_all = [&](const auto& load) {
    for (size_t i = next++; i < kernels.size(); i = next++)
      static_cast<void>(CatchExceptions([&] { return load(kernels[i]); }));
  };
  const auto work = [&](int thread) -> Status {
    if (next >= kernels.size()) return {};
    if (thread == 0) {
      take_all([&](const Uncompiled& kernel) { return gpu::LoadKernel(context, *kernel.image).status(); });
      return {};
    }
    const HelperContext own(context->api());
    if (own.ok()) take_all([&](const Uncompiled& kernel) { return CompileOnly(context->api(), kernel); });
    return {};
  };
  const int threads = static_cast<int>(helpers) + 1;
  static_cast<void>(ParallelFor(threads, threads, work));
}

Status CompileNew(const std::shared_ptr<gpu::Context<Api>>& context, std::span<const KernelImage* const> images) {
  std::vector<Uncompiled> kernels = FindAll(*context, images);
  RemoveCompiled(context->info(), kernels);
  LoadCached(context, kernels);
  if (kernels.empty()) return {};
  size_t bytes = 0;
  for (const Uncompiled& kernel : kernels) bytes += kernel.ptx.size();
  const size_t helpers = HelperContexts(kernels.size(), bytes, UsableCpus(), MemoryForContexts(*context));
  if (helpers > 0) Compile(context, kernels, helpers);
  return {};
}

}  // namespace

size_t HelperContexts(size_t kernels, size_t bytes, int cpus, size_t free_memory) {
  constexpr size_t kMost = 4;
  constexpr size_t kShareBytes = 100'000;           // a quarter of a second of compiling; a context takes 0.14 s
  constexpr size_t kMemoryBytes = size_t{1} << 30;  // more than a context takes; others want some, too
  const size_t least =
      std::min({kernels, bytes / kShareBytes, static_cast<size_t>(std::max(cpus, 0)), free_memory / kMemoryBytes});
  return std::min(kMost, least - std::min<size_t>(least, 1));  // the device's own context compiles, too
}

void CompileAhead(const std::shared_ptr<gpu::Context<Api>>& context, std::span<const KernelImage* const> images) {
  if (IsOn("CUDA_CACHE_DISABLE", false)) return;  // the driver stores nothing
  static_cast<void>(CatchExceptions([&] { return CompileNew(context, images); }));
}

}  // namespace acutance::cuda
