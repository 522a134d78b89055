#include "backend/hip/api.h"

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/hip/code_object.h"
#include "backend/hip/kernel_file.h"

namespace acutance::hip {

Api::Code Api::Enter(Previous& previous) const {
  const Code code = driver.hipGetDevice(&previous);
  return code == kSuccess && previous != device ? driver.hipSetDevice(device) : code;
}

namespace {

/// The code object under the name of `family`, cached for all devices, since the runtime may read it as long as the
/// module is loaded. Empty: `log` says why there is none.
std::span<const std::byte> CachedNamed(std::string_view family, std::span<const std::byte> code, std::string& log) {
  static std::mutex mutex;
  static auto& cached = *new std::map<std::pair<std::string, const std::byte*>, std::vector<std::byte>>();
  const std::lock_guard lock(mutex);
  std::vector<std::byte>& named = cached[{std::string(family), code.data()}];
  if (!named.empty()) return named;
  Result<std::vector<std::byte>> made = NamedFor(family, code);
  if (made.ok()) named = *std::move(made);
  else log = made.status().message();
  return named;
}

}  // namespace

Api::Code Api::AllocateDevice(uint64_t* memory, size_t bytes) const {
  void* address = nullptr;
  const Code code = driver.hipMalloc(&address, bytes);
  *memory = reinterpret_cast<uintptr_t>(address);
  return code;
}

std::vector<KernelBinary> Api::Binaries(const KernelImage& image, std::string_view family) {
  const std::string_view targets[] = {family, CompiledFor(family)};
  for (const std::string_view target : targets)
    for (const KernelBinary& binary : image.binaries)
      if (binary.backend == "hip" && binary.target == target && !binary.code.empty()) return {binary};
  for (const std::string_view target : targets) {
    const Result<const KernelFile*> file = KernelsFor(target);
    if (!file.ok()) continue;
    const std::span<const std::byte> code = (*file)->Code(image.kernel);
    if (!code.empty()) return {{"hip", (*file)->family(), code}};
  }
  return {};
}

Api::Code Api::LoadModule(Module* module, const KernelBinary& binary, std::string_view /*part*/,
                          std::string& log) const {
  if (binary.target == family) return driver.hipModuleLoadData(module, binary.code.data());
  const std::span<const std::byte> named = CachedNamed(family, binary.code, log);
  return named.empty() ? hipErrorNoBinaryForGpu : driver.hipModuleLoadData(module, named.data());
}

Status Api::NotBuilt(const KernelImage& image, std::string_view family) {
  const Result<const KernelFile*> file = KernelsFor(CompiledFor(family));
  if (!file.ok()) return file.status();
  return Error(StatusCode::kUnsupported, "kernel {} was not built for {}", image.symbol, family);
}

}  // namespace acutance::hip
