#include "backend/cuda/kernel.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "backend/cuda/error.h"

namespace acutance::cuda {
namespace {

constexpr std::string_view kPtx = "ptx";

/// ACUTANCE_CUDA_CODE=ptx or cubin leaves the other kind out, to compare them.
bool IsWanted(std::string_view target) {
  const char* wanted = std::getenv("ACUTANCE_CUDA_CODE");
  return !wanted || !*wanted || (target == kPtx) == (std::string_view(wanted) == kPtx);
}

/// Binaries of the image that the device may run, best first: a build has machine code where that is faster.
std::vector<KernelBinary> Candidates(const KernelImage& image, std::string_view family) {
  std::vector<KernelBinary> found;
  for (const std::string_view target : {family, kPtx}) {
    if (!IsWanted(target)) continue;
    for (const KernelBinary& binary : image.binaries)
      if (binary.backend == "cuda" && binary.target == target && !binary.code.empty()) found.push_back(binary);
  }
  return found;
}

/// Refuses what the device could only fail at, in words that say so.
Status CheckLimits(const Context& context, const KernelImage& image) {
  if (image.shared_bytes <= context.info().shared_bytes) return {};
  return Error(StatusCode::kUnsupported, "kernel {} needs {} bytes of shared memory, {} has {} a workgroup",
               image.symbol, image.shared_bytes, context.info().name, context.info().shared_bytes);
}

Result<CUfunction> FindFunction(Context& context, const Module& module, const KernelImage& image) {
  const std::string symbol(image.symbol);
  const Driver& driver = context.driver();
  CUfunction function = nullptr;
  ACU_RETURN_IF_ERROR(context.Check(driver.cuModuleGetFunction(&function, module.handle(), symbol.c_str()),
                                    fmt::format("find kernel {} in its module", symbol)));
  int threads = 0;
  ACU_RETURN_IF_ERROR(
      context.Check(driver.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
                    fmt::format("read the limits of kernel {}", symbol)));
  if (image.group_x * image.group_y > threads)
    return Error(StatusCode::kUnsupported, "kernel {} has workgroups of {}x{} work items, {} runs at most {} of it",
                 symbol, image.group_x, image.group_y, context.info().name, threads);
  return function;
}

}  // namespace

Result<std::unique_ptr<Module>> Module::Load(Context& context, const KernelBinary& binary) {
  // PTX is text that must end in a zero, which an embedded file need not.
  std::string text;
  const void* code = binary.code.data();
  if (binary.target == kPtx) {
    text.assign(reinterpret_cast<const char*>(binary.code.data()), binary.code.size());
    code = text.c_str();
  }
  std::array<char, 4096> log{};
  std::array names = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array values = {static_cast<void*>(log.data()), reinterpret_cast<void*>(log.size())};
  CUmodule handle = nullptr;
  const CUresult result = context.driver().cuModuleLoadDataEx(&handle, code, names.size(), names.data(), values.data());
  log.back() = '\0';
  ACU_RETURN_IF_ERROR(context.Check(result, fmt::format("load the {} code of its kernels{}{}", binary.target,
                                                        log[0] ? "; the driver's compiler says: " : "", log.data())));
  return std::unique_ptr<Module>(new Module(context, handle));
}

Module::~Module() {
  const CurrentContext current(context_);
  if (current.pushed()) context_.driver().cuModuleUnload(handle_);
}

Result<std::unique_ptr<Kernel>> CudaKernel::Load(const std::shared_ptr<Context>& context, const KernelImage& image) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  ACU_RETURN_IF_ERROR(CheckLimits(*context, image));
  Status failure = Error(StatusCode::kUnsupported,
                         "kernel {} was built neither for {} nor as PTX; build with clang-19 to have CUDA kernels{}",
                         image.symbol, context->info().family,
                         std::getenv("ACUTANCE_CUDA_CODE") ? " (ACUTANCE_CUDA_CODE is set: it leaves some out)" : "");
  for (const KernelBinary& binary : Candidates(image, context->info().family)) {
    const Result<const Module*> module = context->LoadModule(binary);
    if (!module.ok()) {  // an old driver refuses a new toolkit's machine code, and still compiles PTX
      failure = module.status();
      continue;
    }
    ACU_ASSIGN_OR_RETURN(CUfunction function, FindFunction(*context, **module, image));
    return std::unique_ptr<Kernel>(new CudaKernel(context, function, image));
  }
  return failure;
}

CudaKernel::CudaKernel(std::shared_ptr<Context> context, CUfunction function, const KernelImage& image)
    : context_(std::move(context)),
      function_(function),
      symbol_(image.symbol),
      group_x_(image.group_x),
      group_y_(image.group_y),
      args_bytes_(image.args_bytes) {}

}  // namespace acutance::cuda
