#include "backend/cuda/api.h"

#include <array>
#include <utility>

#include "base/environment.h"

namespace acutance::cuda {
namespace {

/// ACUTANCE_CUDA_CODE=ptx or cubin leaves the other kind out, to compare them.
bool IsWanted(std::string_view target) {
  const char* wanted = Variable("ACUTANCE_CUDA_CODE");
  return !wanted || (target == kPtx) == (std::string_view(wanted) == kPtx);
}

}  // namespace

std::string OnlyEntry(std::string_view ptx, std::string_view symbol) {
  constexpr std::string_view kBegin = "\n.visible .entry ", kEnd = "\n}";
  std::string kept;
  size_t at = 0;
  for (size_t entry = ptx.find(kBegin); entry != ptx.npos; entry = ptx.find(kBegin, at)) {
    kept += ptx.substr(at, entry - at);
    const std::string_view name = ptx.substr(entry + kBegin.size());
    const size_t end = ptx.find(kEnd, entry);
    at = end == ptx.npos ? ptx.size() : end + kEnd.size();
    if (name.starts_with(symbol) && name.substr(symbol.size()).starts_with('(')) kept += ptx.substr(entry, at - entry);
  }
  return kept += ptx.substr(at);
}

std::string ForOldGpus(std::string ptx) {
  constexpr std::string_view kOwn = ".target sm_75", kOld = ".target sm_60";
  if (const size_t at = ptx.find(kOwn); at != ptx.npos) ptx.replace(at, kOwn.size(), kOld);
  return ptx;
}

Api::Code Api::AllocateDevice(uint64_t* memory, size_t bytes) const {
  CUdeviceptr address = 0;
  const Code code = driver.cuMemAlloc_v2(&address, bytes);
  *memory = address;
  return code;
}

std::vector<KernelBinary> Api::Binaries(const KernelImage& image, std::string_view family) {
  std::vector<KernelBinary> found;
  for (const std::string_view target : {family, kPtx}) {
    if (!IsWanted(target)) continue;
    for (const KernelBinary& binary : image.binaries)
      if (binary.backend == "cuda" && binary.target == target && !binary.code.empty()) found.push_back(binary);
  }
  return found;
}

Status Api::NotBuilt(const KernelImage& image, std::string_view family) {
  return Error(StatusCode::kUnsupported,
               "kernel {} was built neither for {} nor as PTX; build with clang-19 to have CUDA kernels{}",
               image.symbol, family,
               Variable("ACUTANCE_CUDA_CODE") ? " (ACUTANCE_CUDA_CODE is set: it leaves some out)" : "");
}

std::string_view Api::PartOf(const KernelBinary& binary, std::string_view symbol) {
  return binary.target == kPtx ? symbol : std::string_view();
}

std::string Api::PtxOf(const KernelBinary& binary, std::string_view symbol) const {
  const std::string_view whole(reinterpret_cast<const char*>(binary.code.data()), binary.code.size());
  std::string ptx = OnlyEntry(whole, symbol);
  return is_old ? ForOldGpus(std::move(ptx)) : ptx;
}

Api::Code Api::LoadModule(Module* module, const KernelBinary& binary, std::string_view part, std::string& log) const {
  if (part.empty()) return LoadCode(module, binary.code.data(), log);
  return LoadCode(module, PtxOf(binary, part).c_str(), log);
}

Api::Code Api::LoadCode(Module* module, const void* code, std::string& log) const {
  std::array<char, 4096> text{};
  std::array names = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array values = {static_cast<void*>(text.data()), reinterpret_cast<void*>(text.size())};
  const Code result = driver.cuModuleLoadDataEx(module, code, names.size(), names.data(), values.data());
  text.back() = '\0';
  log = text.data();
  return result;
}

Api::Code Api::CopyRows(uint64_t to, uint64_t from, const CopyCommand& copy, Stream stream) const {
  CUDA_MEMCPY2D rows = {};
  rows.srcMemoryType = rows.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = from;
  rows.srcPitch = copy.from_stride;
  rows.dstDevice = to;
  rows.dstPitch = copy.to_stride;
  rows.WidthInBytes = copy.bytes;
  rows.Height = copy.rows;
  return driver.cuMemcpy2DAsync_v2(&rows, stream);
}

}  // namespace acutance::cuda
