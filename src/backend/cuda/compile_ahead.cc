#include "backend/cuda/compile_ahead.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/ptx_cache_index.h"
#include "backend/gpu_driver/kernel.h"
#include "base/hash.h"
#include "base/threads/exception_barrier.h"
#include "base/threads/parallel_for.h"
#include "base/usable_cpus.h"

namespace acutance::cuda {
namespace {

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

/// Nothing where the device's own code is loaded, or the kernel is there, or will not be loaded.
std::optional<Uncompiled> Find(gpu::Context<Api>& context, const KernelImage& image) {
  const std::vector<KernelBinary> binaries = Api::Binaries(image, context.info().family);
  if (binaries.empty() || binaries.front().target != kPtx) return {};
  if (!gpu::CheckLimits(context.info(), image).ok() || context.HasModule(binaries.front(), image.symbol)) return {};
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

/// Leaves those that were never compiled before, and notes them now; none where later runs would not know.
void KeepNew(const DeviceInfo& info, std::vector<Uncompiled>& kernels) {
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

/// Into the context that is current, and out of it again. A failure shows when the device's own context loads the
/// kernel.
Status CompileOnly(const Api& api, const Uncompiled& kernel) {
  CUmodule module = nullptr;
  std::string log;
  if (api.LoadCode(&module, kernel.ptx.c_str(), log) == CUDA_SUCCESS) api.UnloadModule(module);
  return {};
}

/// Loads the last ones, which are the smallest, one after another until the driver compiles one, and takes them off the
/// list. What the driver has in its files it loads in 0.1 to 2.5 ms, and the smallest kernel takes 8 to compile.
void LoadKept(const std::shared_ptr<gpu::Context<Api>>& context, std::vector<Uncompiled>& kernels) {
  constexpr std::chrono::milliseconds kCompiling(4);
  std::chrono::steady_clock::duration time{};
  while (!kernels.empty() && time < kCompiling) {
    const auto begin = std::chrono::steady_clock::now();
    // A failure is for the later call to find that needs the kernel.
    static_cast<void>(gpu::LoadKernel(context, *kernels.back().image));
    time = std::chrono::steady_clock::now() - begin;
    kernels.pop_back();
  }
}

/// One thread loads into the device's own context, each of the helpers compiles in a context of its own. A failure is
/// for the later call to find that needs the kernel.
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
  KeepNew(context->info(), kernels);
  LoadKept(context, kernels);
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
  return std::min(kMost, least - std::min<size_t>(least, 1));  // the device's own context does its part
}

void CompileAhead(const std::shared_ptr<gpu::Context<Api>>& context, std::span<const KernelImage* const> images) {
  if (!DriverKeepsCode()) return;
  static_cast<void>(CatchExceptions([&] { return CompileNew(context, images); }));
}

}  // namespace acutance::cuda
