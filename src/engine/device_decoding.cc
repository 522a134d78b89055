#include "engine/device_decoding.h"

#include <memory>

#include "devices/backends.h"
#include "devices/selftest.h"
#include "exec/surface_splitter.h"

namespace acutance {

Result<DecodingDevice> OpenForDecoding(const DeviceInfo& device) {
  const Backend& backend = *FindBackend(device.backend);
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Device> mine, backend.open(device.index));
  ACU_RETURN_IF_ERROR(CheckOnce(*mine, UnpackSelfTest()));
  auto splitter = std::make_shared<SurfaceSplitter>(mine);
  return DecodingDevice{backend.context_of(*mine),
                        [splitter](const DeviceFrame& frame) { return splitter->Unpack(frame); }};
}

}  // namespace acutance
