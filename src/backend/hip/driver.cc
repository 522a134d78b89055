#include "backend/hip/driver.h"

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_text.h"
#include "base/environment.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"

namespace acutance::hip {
namespace {

struct Library {
  Driver driver;
  Status status;
  ProcessGuard process;
};

/// hook: the library's name; empty: those of ROCm's releases, the newest first.
Library LoadLibrary(const std::string& hook) {
  std::vector<std::string> names = {hook};
  if (hook.empty())
    names = {DriverFile("libamdhip64.so.7", "amdhip64_7.dll"), DriverFile("libamdhip64.so.6", "amdhip64_6.dll"),
             DriverFile("libamdhip64.so.5", "amdhip64.dll"), "libamdhip64.so"};
  Library library;
  Result<SharedLibrary> opened = SharedLibrary::Open(names);
  if (!opened.ok()) {
    library.status = Error(StatusCode::kNoDevice,
                           "no HIP runtime ({}); install ROCm's (on Debian the package libamdhip64-5, with a user in "
                           "the groups render and video)",
                           opened.status().message());
    return library;
  }
#define ACU_FIND(result, name, parameters) opened->Require(#name, library.driver.name);
  ACU_HIP_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
  if (!opened->Find("hipGetDevicePropertiesR0600", library.driver.hipGetDevicePropertiesR0600))
    opened->Require("hipGetDeviceProperties", library.driver.hipGetDeviceProperties);
  if (!opened->missing().empty())
    library.status =
        Error(StatusCode::kNoDevice, "the HIP runtime is too old: {} has no function {}; install ROCm 5.0 or newer",
              opened->name(), opened->missing());
  return library;
}

Status InitialisationError(const Driver& driver, hipError_t result) {
  const std::string reason = ResultText(driver, result);
  switch (result) {
    case hipErrorNoDevice:
    case hipErrorInvalidDevice:  // what ROCm 5's hipInit says on a machine without a GPU
      return Error(StatusCode::kNoDevice,
                   "the HIP runtime finds no GPU ({}); check rocminfo, HIP_VISIBLE_DEVICES and that the user may open "
                   "/dev/kfd (groups render and video)",
                   reason);
    case hipErrorInsufficientDriver:
      return Error(StatusCode::kNoDevice,
                   "the amdgpu kernel driver is too old for the HIP runtime ({}); update the kernel", reason);
    default:
      return Error(StatusCode::kNoDevice, "the HIP runtime does not start ({}); check rocminfo", reason);
  }
}

/// The version of the kernel driver, which has one where it is not the kernel's own.
std::string KernelModuleVersion() {
  std::ifstream file("/sys/module/amdgpu/version");
  std::string version;
  return file >> version ? version : "of " + KernelRelease();
}

}  // namespace

Result<const Driver*> OpenDriver() {
  const char* hook = Variable("ACUTANCE_HIP_LIBRARY");
  const Library& library = LoadOnce(hook ? hook : "", LoadLibrary);
  ACU_RETURN_IF_ERROR(library.status);
  ACU_RETURN_IF_ERROR(library.process.Check("the HIP runtime"));
  if (const hipError_t result = library.driver.hipInit(0); result != hipSuccess)
    return InitialisationError(library.driver, result);
  return &library.driver;
}

std::string DriverVersion(const Driver& driver) {
  int version = 0;  // 10'000'000 * major + 100'000 * minor + patch
  if (driver.hipRuntimeGetVersion(&version) != hipSuccess) return "HIP of unknown version";
  return fmt::format("HIP {}.{}.{}, amdgpu {}", version / 10'000'000, version / 100'000 % 100, version % 100'000,
                     KernelModuleVersion());
}

Result<std::string> ArchName(const Driver& driver, int device) {
  const auto properties = std::make_unique<DevicePropertiesR0600>();
  const auto old_properties = std::make_unique<DevicePropertiesR0000>();
  const bool newer = driver.hipGetDevicePropertiesR0600 != nullptr;
  const hipError_t result = newer ? driver.hipGetDevicePropertiesR0600(properties.get(), device)
                                  : driver.hipGetDeviceProperties(old_properties.get(), device);
  ACU_RETURN_IF_ERROR(
      CallStatus(driver, fmt::format("HIP device {}", device), result, "read which instruction set it has"));
  const char* name = newer ? properties->bytes + DevicePropertiesR0600::kArchNameOffset
                           : old_properties->bytes + DevicePropertiesR0000::kArchNameOffset;
  const std::string_view text(name, ::strnlen(name, kArchNameBytes));
  if (!text.starts_with("gfx"))
    return Error(StatusCode::kNoDevice, "HIP device {} names no gfx instruction set; update ROCm", device);
  return std::string(text.substr(0, text.find(':')));
}

std::string ResultText(const Driver& driver, hipError_t result) {
  const char* name = driver.hipGetErrorName(result);
  const char* text = driver.hipGetErrorString(result);
  return fmt::format("{}: {}", name ? name : "HIP error", text ? text : std::to_string(result));
}

bool IsDeviceLost(hipError_t result) {
  switch (result) {
    case hipErrorECCNotCorrectable:
    case hipErrorIllegalAddress:
    case hipErrorLaunchTimeOut:
    case hipErrorContextIsDestroyed:
    case hipErrorAssert:
    case hipErrorLaunchFailure:
    case hipErrorUnknown:
      return true;
    default:
      return false;
  }
}

Status CallStatus(const Driver& driver, std::string_view device, hipError_t result, std::string_view doing) {
  if (result == hipSuccess) return {};
  const StatusCode code = result == hipErrorOutOfMemory ? StatusCode::kOutOfMemory : StatusCode::kIo;
  return Error(code, "{}: could not {}: {}", device, doing, ResultText(driver, result));
}

}  // namespace acutance::hip
