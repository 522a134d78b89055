#include "devices/dump_kernels.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <system_error>

#include "base/shell_word.h"

namespace acutance {
namespace {

std::string FileNameOf(const KernelImage& image, const KernelBinary& binary) {
  if (binary.backend == "vulkan") return fmt::format("{}.spv", image.symbol);
  if (binary.target == "ptx") return fmt::format("{}.ptx", image.kernel);
  return fmt::format("{}.{}.{}", image.kernel, binary.target, binary.backend == "hip" ? "hsaco" : "cubin");
}

Status WriteFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? Status() : Error(StatusCode::kIo, "cannot write {}", path.string());
}

/// Standard output and error of a shell's command, and its exit status.
std::pair<std::string, int> OutputOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((command + " 2>&1").c_str(), "r"), ::pclose);
  if (!pipe) return {"", -1};
  std::string text;
  std::array<char, 4096> part;
  for (size_t count; (count = std::fread(part.data(), 1, part.size(), pipe.get())) > 0;)
    text.append(part.data(), count);
  return {text, std::ferror(pipe.get())};
}

/// Rows of registers.csv from what `ptxas -v` prints: a line that names the entry, one of spills, one of registers.
std::string RowsOf(const std::string& report, const std::string& target) {
  static const std::regex kEntry("entry function '([^']+)'"), kSpills("(\\d+) bytes spill stores"),
      kUsed("Used (\\d+) registers"), kShared("(\\d+) bytes smem");
  std::string rows, symbol, spilled = "0";
  size_t begin = 0;
  while (begin < report.size()) {
    const size_t end = std::min(report.find('\n', begin), report.size());
    const std::string line = report.substr(begin, end - begin);
    begin = end + 1;
    std::smatch found;
    if (std::regex_search(line, found, kEntry)) symbol = found[1];
    if (std::regex_search(line, found, kSpills)) spilled = found[1];
    if (!std::regex_search(line, found, kUsed)) continue;
    const std::string registers = found[1];
    const std::string shared = std::regex_search(line, found, kShared) ? found[1].str() : "0";
    rows += fmt::format("{},{},{},{},{}\n", symbol, target, registers, spilled, shared);
  }
  return rows;
}

}  // namespace

Result<std::string> DumpKernels(std::span<const KernelImage* const> kernels, const std::string& family,
                                const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error(StatusCode::kIo, "cannot make the folder {}: {}", folder.string(), error.message());
  std::set<std::string> written, ptx;
  for (const KernelImage* image : kernels)
    for (const KernelBinary& binary : image->binaries) {
      const std::string name = FileNameOf(*image, binary);
      if (!written.insert(name).second) continue;
      ACU_RETURN_IF_ERROR(WriteFile(folder / name, binary.code));
      if (binary.target == "ptx") ptx.insert(name);
    }

  std::string rows = "symbol,target,registers,spilled_bytes,shared_bytes\n";
  const bool has_ptxas = OutputOf("command -v ptxas").first.size() > 0;
  const std::string target = family.starts_with("sm_") ? family : "sm_90";
  for (const std::string& name : ptx) {
    if (!has_ptxas) break;
    const std::string command =
        fmt::format("ptxas -v -arch={} -o /dev/null {}", target, ShellWord((folder / name).string()));
    const std::string found = RowsOf(OutputOf(command).first, target);
    if (found.empty()) return Error(StatusCode::kBadData, "ptxas refused {}: {}", name, OutputOf(command).first);
    rows += found;
  }
  ACU_RETURN_IF_ERROR(WriteFile(folder / "registers.csv", std::as_bytes(std::span(rows))));
  return fmt::format("{} files of {} kernel variants in {}{}\n", written.size(), kernels.size(), folder.string(),
                     has_ptxas ? "" : "; registers.csv is empty: there is no ptxas on the PATH");
}

}  // namespace acutance
