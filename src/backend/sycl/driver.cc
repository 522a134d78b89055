// Finds and opens the plugin library and, before it, Intel's runtime.

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/sycl/plugin.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"

namespace acutance {
namespace sycl_backend {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPluginFile = "libacutance_sycl.so";
constexpr const char* kRuntimeFile = ACUTANCE_SYCL_LIBRARY;  // "libsycl.so.9"
constexpr const char* kCpuDriverFile = "libintelocl.so";

Result<fs::path> FindPlugin() {
  Result<fs::path> found = FindInstalledFile(kPluginFile, Variable("ACUTANCE_SYCL_PLUGIN"));
  if (found.ok()) return found;
  return Error(
      StatusCode::kNoDevice,
      "no SYCL plugin (there is no {}); build it: tools/sycl_runtime.sh, then configure and build again; or set "
      "ACUTANCE_SYCL_PLUGIN to its file",
      found.status().message());
}

/// Where the build found the runtime: a file next to the plugin in the build tree says so, and is not installed. A path
/// that is compiled in would be searched on machines where others may create it.
std::string RuntimeOfBuild(const fs::path& plugin) {
  std::string folder;
  std::getline(std::ifstream(plugin.string() + ".runtime"), folder);
  return folder;
}

/// Folders that pip installs Intel's runtime below, and where this build found it.
std::vector<fs::path> RuntimePlaces(const fs::path& plugin) {
  if (const char* folder = Variable("ACUTANCE_SYCL_RUNTIME")) return {folder};
  std::vector<fs::path> places;
  if (const std::string folder = RuntimeOfBuild(plugin); !folder.empty()) places.push_back(folder);
  if (const char* environment = Variable("VIRTUAL_ENV")) places.push_back(environment);
  if (const char* home = Variable("HOME")) places.push_back(fs::path(home) / ".local");
  places.push_back("/usr/local");
  return places;
}

std::optional<fs::path> FindRuntimeFile(const fs::path& plugin) {
  for (const fs::path& place : RuntimePlaces(plugin))
    for (const fs::path& file : {place / "lib" / kRuntimeFile, place / kRuntimeFile})
      if (IsRegularFile(file.string())) return file;
  if (Variable("ACUTANCE_SYCL_RUNTIME")) return {};
  return kRuntimeFile;  // the loader searches for it
}

Result<SharedLibrary> OpenRuntime(const fs::path& plugin) {
  const std::optional<fs::path> file = FindRuntimeFile(plugin);
  std::string reason;
  if (file) {
    Result<SharedLibrary> opened = SharedLibrary::Open({*file});
    if (opened.ok()) return opened;
    reason = opened.status().message();
  } else {
    reason = fmt::format("no {} in {}", kRuntimeFile, Variable("ACUTANCE_SYCL_RUNTIME"));
  }
  return Error(
      StatusCode::kNoDevice,
      "no SYCL runtime ({}); install it: pip install dpcpp-cpp-rt, and set ACUTANCE_SYCL_RUNTIME to the folder "
      "of that Python environment, the one with lib/{}",
      reason, kRuntimeFile);
}

/// pip cannot register the driver for CPUs with the system's OpenCL loader. The loader reads this variable once, at the
/// first search for devices, which is still to come; a user's own setting stays. Programs that use the library set it
/// themselves.
void PointToCpuDriver(const SharedLibrary& runtime) {
  if (!IsMainProgram()) return;
  const fs::path driver = runtime.file().parent_path() / kCpuDriverFile;
  if (!Variable("OCL_ICD_FILENAMES") && IsRegularFile(driver.string()))
    SetVariable("OCL_ICD_FILENAMES", driver.string());
}

Result<const Plugin*> LoadPlugin(const fs::path& path) {
  const Result<SharedLibrary> opened = SharedLibrary::Open({path});
  if (!opened.ok()) return Error(StatusCode::kNoDevice, "the SYCL plugin does not load: {}", opened.status().message());
  const Plugin* plugin = nullptr;
  if (!opened->Find(kPluginSymbol, plugin))
    return Error(StatusCode::kNoDevice, "{} is no SYCL plugin: it has no symbol {}", path.string(), kPluginSymbol);
  if (std::string_view(plugin->build) == ACUTANCE_SYCL_BUILD) return plugin;
  return Error(StatusCode::kNoDevice,
               "{} belongs to another build of acutance ({}; this one is {}): install both from the same build",
               path.string(), plugin->build, ACUTANCE_SYCL_BUILD);
}

/// The plugin is looked for next to this program and in the library folder next to it, the runtime where this build
/// found it, where pip installs to, and where the loader looks. ACUTANCE_SYCL_PLUGIN (a file) and ACUTANCE_SYCL_RUNTIME
/// (a folder, with or without its "lib") replace these places. Libraries stay open: the runtime has threads of its own,
/// and its code must outlive them.
Result<const Plugin*> OpenPlugin() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  ACU_ASSIGN_OR_RETURN(const fs::path path, FindPlugin());
  ACU_ASSIGN_OR_RETURN(const SharedLibrary runtime, OpenRuntime(path));
  static const ProcessGuard process;
  ACU_RETURN_IF_ERROR(process.Check("the SYCL runtime"));
  PointToCpuDriver(runtime);
  return LoadPlugin(path);
}

BackendProbe Probe() {
  const Result<const Plugin*> plugin = OpenPlugin();
  return plugin.ok() ? (*plugin)->probe() : BackendProbe{{}, plugin.status().message()};
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(const Plugin* plugin, OpenPlugin());
  return plugin->open(index);
}

constexpr const char* kTraces[] = {"/dev/dri", "/dev/dxg"};

}  // namespace
}  // namespace sycl_backend

const Backend kSyclBackend = {
    .name = "sycl",
    .summary = "Intel GPUs, and CPUs for tests, through Intel's SYCL runtime; no Intel GPU has run it yet",
    .probe = sycl_backend::Probe,
    .open = sycl_backend::Open,
    .traces = sycl_backend::kTraces};

}  // namespace acutance
