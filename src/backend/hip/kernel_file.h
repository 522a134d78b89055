// Files of code objects next to the program, one for each GPU that kernels are compiled for, written by
// src/kernel/kernel_files.py. The program does not contain them, and so is built without them where there is no AMD
// GPU.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance::hip {

class KernelFile {
 public:
  /// A file of at most kMostBytes, built from this program's kernels (KernelsIdentity) for that family.
  static Result<KernelFile> Read(const std::filesystem::path& path, std::string_view family);

  std::string_view family() const { return family_; }
  /// The code object with all variants of a kernel, at a multiple of 16 bytes; empty where the file has none.
  std::span<const std::byte> Code(std::string_view kernel) const;

  static constexpr size_t kMostBytes = size_t{256} << 20;  // 50 times today's

 private:
  struct Part {
    size_t offset, bytes;
  };

  Status ReadParts(std::string_view lines);

  std::string family_;
  std::vector<std::byte> content_;
  std::map<std::string, Part, std::less<>> parts_;
};

/// The file for a family, read once and cached until the process ends. It is searched in the folder acutance-kernels
/// next to the program and in the library folder next to it; ACUTANCE_HIP_KERNELS names another folder.
Result<const KernelFile*> KernelsFor(std::string_view family);

}  // namespace acutance::hip
