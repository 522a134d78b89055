#include "engine/device_decoding.h"

#include <memory>
#include <utility>

#include "backend/cuda/cuda.h"
#include "exec/frame_unpacker.h"

namespace acutance {

// The decoder works on the default stream of the context, for which our queues do not wait but the unpacker does:
// mapping a frame queues its last step there (CUVIDPROCPARAMS::output_stream).
Result<DeviceDecoding> DecodeOn(const DeviceInfo& device) {
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Device> mine, kCudaBackend.open(device.index));
  auto unpacker = std::make_shared<FrameUnpacker>(mine);
  return DeviceDecoding{.cuda_context = CudaContextOf(*mine),
                        .take = [unpacker](const DeviceFrame& frame) { return unpacker->Unpack(frame); }};
}

}  // namespace acutance
