#include "backend/cuda/driver.h"

#include <fstream>
#include <string>

#include "base/environment.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"

namespace acutance::cuda {
namespace {

std::string LibraryName() { return DriverFile("libcuda.so.1", "nvcuda.dll"); }

struct Library {
  Driver driver;
  Status status;
  ProcessGuard process;
};

Library LoadLibrary(const std::string& path) {
  Library library;
  Result<SharedLibrary> opened = SharedLibrary::Open({path});
  if (!opened.ok()) {
    library.status = Error(StatusCode::kNoDevice,
                           "no NVIDIA driver ({}); install it (on Debian the package nvidia-driver; in a container, "
                           "start it with the GPUs: --gpus all)",
                           opened.status().message());
    return library;
  }
#define ACU_FIND(name, parameters) opened->Require(#name, library.driver.name);
  ACU_CUDA_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
  if (!opened->missing().empty())
    library.status =
        Error(StatusCode::kNoDevice,
              "the NVIDIA driver is too old: {} has no function {}; install driver 470 (CUDA 11.4) or newer", path,
              opened->missing());
  return library;
}

Status InitialisationError(const Driver& driver, CUresult result) {
  const std::string reason = ResultText(driver, result);
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return Error(StatusCode::kNoDevice,
                   "the NVIDIA driver finds no GPU ({}); check nvidia-smi and CUDA_VISIBLE_DEVICES", reason);
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return Error(StatusCode::kNoDevice,
                   "the NVIDIA driver's library and kernel module have different versions ({}); restart the machine",
                   reason);
    case CUDA_ERROR_STUB_LIBRARY:
      return Error(StatusCode::kNoDevice,
                   "{} is the CUDA toolkit's stub ({}); install the driver, or take the stub out of LD_LIBRARY_PATH",
                   LibraryName(), reason);
    default:
      return Error(StatusCode::kNoDevice, "the NVIDIA driver does not start ({}); check nvidia-smi", reason);
  }
}

/// The version of the kernel module ("" when unknown): the library itself reports only the CUDA release.
std::string KernelModuleVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) return word;
  return "";
}

}  // namespace

Result<const Driver*> OpenDriver() {
  const char* hook = Variable("ACUTANCE_CUDA_LIBRARY");
  const Library& library = LoadOnce(hook ? hook : LibraryName(), LoadLibrary);
  ACU_RETURN_IF_ERROR(library.status);
  ACU_RETURN_IF_ERROR(library.process.Check("the NVIDIA driver"));
  if (const CUresult result = library.driver.cuInit(0); result != CUDA_SUCCESS)
    return InitialisationError(library.driver, result);
  return &library.driver;
}

std::string DriverVersion(const Driver& driver) {
  int version = 0;  // 1000 * major + 10 * minor
  if (driver.cuDriverGetVersion(&version) != CUDA_SUCCESS) return "CUDA of unknown version";
  const std::string module = KernelModuleVersion();
  return fmt::format("CUDA {}.{}{}{}", version / 1000, version % 1000 / 10, module.empty() ? "" : ", driver ", module);
}

std::string ResultText(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return fmt::format("CUDA error {}", static_cast<int>(result));
  if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) return name;
  return fmt::format("{}: {}", name, text);
}

bool IsDeviceLost(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      // Hardware stack error, illegal instruction, misaligned address, invalid address space or counter, launch failed.
      return result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED;
  }
}

Status CallStatus(const Driver& driver, std::string_view device, CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return {};
  const StatusCode code = result == CUDA_ERROR_OUT_OF_MEMORY ? StatusCode::kOutOfMemory : StatusCode::kIo;
  return Error(code, "{}: could not {}: {}", device, doing, ResultText(driver, result));
}

}  // namespace acutance::cuda
