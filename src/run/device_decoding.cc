#include "run/device_decoding.h"

#include <memory>

#include "devices/backends.h"
#include "devices/selftest.h"
#include "exec/surface_splitter.h"

namespace acutance {

bool CanDecodeOn(const DeviceInfo& device) {
  const Backend* backend = FindBackend(device.backend);
  return backend && backend->decodes_video;
}

// The decoder works on the default stream of the context. The queues of backend/cuda do not wait
// for it, but the unpacker does: mapping a frame queues its last step there
// (CUVIDPROCPARAMS::output_stream).
Result<DeviceDecoding> DecodeOn(const DeviceInfo& device) {
  const Backend& backend = *FindBackend(device.backend);
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Device> mine, backend.open(device.index));
  ACU_RETURN_IF_ERROR(CheckOnce(*mine, UnpackSelfTest()));
  auto unpacker = std::make_shared<SurfaceSplitter>(mine);
  return DeviceDecoding{.cuda_context = backend.context_of(*mine),
                        .take = [unpacker](const DeviceFrame& frame) { return unpacker->Unpack(frame); }};
}

}  // namespace acutance
