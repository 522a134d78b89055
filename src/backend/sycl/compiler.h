// Run-time compiler of kernels: the SYCL runtime's own, for many kernels at a time, since most of a compilation goes
// into the runtime's headers, once for all kernels of a bundle. Compiled bundles are cached in files
// (base/file_cache.h).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "base/status.h"
#include "exec/device.h"

namespace acutance::sycl_backend {

/// A kernel's source; after Compiler::Compile() either the kernel or why there is none.
struct CompiledKernel {
  std::string symbol;
  std::string text;
  std::optional<sycl::kernel> kernel;
  Status status;
};

/// Any thread may call its functions.
class Compiler {
 public:
  /// All three must outlive it.
  Compiler(const sycl::device& device, const sycl::context& context, const DeviceInfo& info);

  std::shared_ptr<const CompiledKernel> Add(const KernelImage& image);

  /// Compiles all kernels that were added since the last call, in one bundle.
  void Compile();

 private:
  using Bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;
  using Kernels = std::span<const std::shared_ptr<CompiledKernel>>;

  Status CompileTogether(Kernels kernels) const;
  std::optional<Bundle> LoadBundle(const std::string& key) const;
  Bundle BuildBundle(const std::string& text) const;

  const sycl::device& device_;
  const sycl::context& context_;
  const DeviceInfo& info_;
  const std::vector<std::string> options_;
  const std::string key_;  // of all that changes the code, except its source
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<CompiledKernel>> known_;  // by source
  std::vector<std::shared_ptr<CompiledKernel>> waiting_;
};

}  // namespace acutance::sycl_backend
