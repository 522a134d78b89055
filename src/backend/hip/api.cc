#include "backend/hip/api.h"

namespace acutance::hip {

Api::Code Api::Enter(Previous& previous) const {
  const Code code = driver.hipGetDevice(&previous);
  return code == kSuccess && previous != device ? driver.hipSetDevice(device) : code;
}

Api::Code Api::AllocateDevice(uint64_t* memory, size_t bytes) const {
  void* address = nullptr;
  const Code code = driver.hipMalloc(&address, bytes);
  *memory = reinterpret_cast<uintptr_t>(address);
  return code;
}

std::vector<KernelBinary> Api::Binaries(const KernelImage& image, std::string_view family) {
  for (const KernelBinary& binary : image.binaries)
    if (binary.backend == "hip" && binary.target == family && !binary.code.empty()) return {binary};
  return {};
}

Status Api::NotBuilt(const KernelImage& image, std::string_view family) {
  return Error(StatusCode::kUnsupported, "kernel {} was not built for {}; build with it in ACUTANCE_HIP_TARGETS",
               image.symbol, family);
}

}  // namespace acutance::hip
