#include "backend/cuda/ptx_cache_index.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/environment.h"
#include "base/file_cache.h"

namespace acutance::cuda {
namespace {

constexpr size_t kMostKernels = 4096;  // of several builds; one has a few hundred

const FileCache& Files() {
  static const FileCache files("cuda", 64);
  return files;
}

/// Another place of the driver's cache holds other kernels; without the variable it lies in the home folder.
std::string Key(const DeviceInfo& info) {
  const char* place = Variable("CUDA_CACHE_PATH");
  return fmt::format("{} | {} | {} | {}", info.identity, info.family, info.driver, place ? place : "");
}

}  // namespace

CompiledBefore::CompiledBefore(const DeviceInfo& info) : key_(Key(info)), kernels_(Read()) {}

bool CompiledBefore::Has(uint64_t kernel) const { return std::ranges::find(kernels_, kernel) != kernels_.end(); }

bool CompiledBefore::Add(std::span<const uint64_t> kernels) {
  kernels_.insert(kernels_.end(), kernels.begin(), kernels.end());
  if (kernels_.size() > kMostKernels) kernels_.erase(kernels_.begin(), kernels_.end() - kMostKernels);
  Files().Write(key_, std::as_bytes(std::span(kernels_)));
  return Read() == kernels_;
}

std::vector<uint64_t> CompiledBefore::Read() const {
  const std::optional<std::vector<std::byte>> content = Files().Read(key_);
  std::vector<uint64_t> kernels(content ? content->size() / sizeof(uint64_t) : 0);
  if (!kernels.empty()) std::memcpy(kernels.data(), content->data(), kernels.size() * sizeof(uint64_t));
  return kernels;
}

bool DriverKeepsCode() { return !IsOn("CUDA_CACHE_DISABLE", false); }

}  // namespace acutance::cuda
