#include "backend/cuda/nvcuvid.h"

#include <string>

#include "base/environment.h"
#include "base/system/shared_library.h"

namespace acutance::cuda {
namespace {

struct VideoLibrary {
  Nvcuvid functions;
  Status status;
};

VideoLibrary LoadVideoLibrary(const std::string& path) {
  VideoLibrary library;
  Result<SharedLibrary> opened = SharedLibrary::Open({path});
  if (!opened.ok()) {
    library.status = Error(StatusCode::kNoDevice,
                           "the NVIDIA driver's video decoder is not here ({}); in a container, start it with "
                           "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility",
                           opened.status().message());
    return library;
  }
#define ACU_FIND(name, parameters) opened->Require(#name, library.functions.name);
  ACU_NVCUVID_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
  if (!opened->missing().empty())
    library.status =
        Error(StatusCode::kNoDevice, "the NVIDIA driver is too old: {} has no function {}", path, opened->missing());
  return library;
}

}  // namespace

Result<const Nvcuvid*> OpenNvcuvid() {
  const char* hook = Variable("ACUTANCE_NVCUVID_LIBRARY");
  const VideoLibrary& library = LoadOnce(hook ? hook : DriverFile("libnvcuvid.so.1", "nvcuvid.dll"), LoadVideoLibrary);
  ACU_RETURN_IF_ERROR(library.status);
  return &library.functions;
}

}  // namespace acutance::cuda
