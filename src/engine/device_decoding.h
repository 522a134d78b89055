// Video decoding by the GPU that scores: the context of a device, and the copying of its decoded frames.
#pragma once

#include <functional>

#include "base/status.h"
#include "exec/device.h"
#include "image/device_frame.h"
#include "image/picture.h"

namespace acutance {

/// NVDEC, through FFmpeg. The decoder works on the default stream of the context. The queues of backend/cuda do not
/// wait for it, but `take` does: mapping a frame queues its last step there (CUVIDPROCPARAMS::output_stream).
struct DecodingDevice {
  void* cuda_context = nullptr;
  std::function<Result<Picture>(const DeviceFrame&)> take;
};

/// For one video. Fails where the device cannot copy known frames to the bit.
Result<DecodingDevice> OpenForDecoding(const DeviceInfo& device);

}  // namespace acutance
