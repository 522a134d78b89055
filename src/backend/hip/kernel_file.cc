#include "backend/hip/kernel_file.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/number.h"
#include "exec/kernel_image.h"

namespace acutance::hip {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "acutance kernels ";
constexpr std::string_view kBuild = "cmake --build build --target acutance_hip_kernels";

/// Removes and returns the text before `mark`, and removes the mark; nullopt where there is none.
std::optional<std::string_view> TakeUntil(std::string_view& text, std::string_view mark) {
  const size_t end = text.find(mark);
  if (end == text.npos) return std::nullopt;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return taken;
}

Result<std::vector<std::byte>> Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file.tellg();
  if (!file || bytes < 0) return Error(StatusCode::kIo, "{} cannot be read", path.string());
  if (static_cast<size_t>(bytes) > KernelFile::kMostBytes)
    return Error(StatusCode::kBadData, "{} has {} bytes; kernels for a GPU have at most {}", path.string(), bytes,
                 KernelFile::kMostBytes);
  std::vector<std::byte> content(static_cast<size_t>(bytes));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(content.data()), bytes))
    return Error(StatusCode::kIo, "{} cannot be read", path.string());
  return content;
}

Result<fs::path> FindFile(std::string_view family) {
  const std::string name = fmt::format("{}.kernels", family);
  const char* const hook = Variable("ACUTANCE_HIP_KERNELS");
  const std::string hooked = hook ? Join(hook, name) : "";
  Result<fs::path> found = FindInstalledFile(Join("acutance-kernels", name), hook ? hooked.c_str() : nullptr);
  if (found.ok()) return found;
  return Error(StatusCode::kUnsupported,
               "no kernels for {} (there is no {}); build them with {} in ACUTANCE_HIP_TARGETS: {}", family,
               found.status().message(), family, kBuild);
}

}  // namespace

Result<KernelFile> KernelFile::Read(const fs::path& path, std::string_view family) {
  KernelFile file;
  file.family_ = family;
  ACU_ASSIGN_OR_RETURN(file.content_, Content(path));
  std::string_view text(reinterpret_cast<const char*>(file.content_.data()), file.content_.size());
  const std::optional<std::string_view> first = TakeUntil(text, "\n");
  if (!first || !first->starts_with(kBegin))
    return Error(StatusCode::kBadData, "{} is no file of kernels", path.string());
  if (*first != fmt::format("{}{} {}", kBegin, KernelsIdentity(), family))
    return Error(StatusCode::kBadData,
                 "{} belongs to another build of acutance or another GPU than {}; build it anew: {}", path.string(),
                 family, kBuild);
  const std::optional<std::string_view> lines = TakeUntil(text, "\n\n");
  if (!lines || !file.ReadParts(*lines).ok())
    return Error(StatusCode::kBadData, "{} is damaged or truncated; build it anew: {}", path.string(), kBuild);
  return file;
}

/// Each line: a kernel's name, where its code object begins in the file, and its size.
Status KernelFile::ReadParts(std::string_view lines) {
  const Status damaged(StatusCode::kBadData, "damaged");
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::optional<std::string_view> name = TakeUntil(line, " "), offset = TakeUntil(line, " ");
    const std::optional<long long> begin = ParseInteger(offset.value_or("")), bytes = ParseInteger(line);
    const auto size = static_cast<long long>(content_.size());
    if (!name || !begin || !bytes || *begin < 0 || *begin % 16 != 0 || *begin > size || *bytes <= 0 ||
        *bytes > size - *begin)
      return damaged;
    parts_[std::string(*name)] = {static_cast<size_t>(*begin), static_cast<size_t>(*bytes)};
  }
  return {};
}

std::span<const std::byte> KernelFile::Code(std::string_view kernel) const {
  const auto found = parts_.find(kernel);
  if (found == parts_.end()) return {};
  return std::span(content_).subspan(found->second.offset, found->second.bytes);
}

Result<const KernelFile*> KernelsFor(std::string_view family) {
  static std::mutex mutex;
  static auto& cached = *new std::map<std::string, std::unique_ptr<const KernelFile>>();
  const std::lock_guard lock(mutex);
  ACU_ASSIGN_OR_RETURN(const fs::path path, FindFile(family));
  std::unique_ptr<const KernelFile>& file = cached[path.string()];
  if (!file) {
    ACU_ASSIGN_OR_RETURN(KernelFile read, KernelFile::Read(path, family));
    file = std::make_unique<const KernelFile>(std::move(read));
  }
  return file.get();
}

}  // namespace acutance::hip
