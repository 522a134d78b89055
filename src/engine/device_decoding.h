// Videos decoded by the GPU that scores them: NVDEC, through FFmpeg.
#pragma once

#include "base/status.h"
#include "exec/device.h"
#include "io/video_source.h"

namespace acutance {

/// For one video, on a device of the cuda backend.
Result<DeviceDecoding> DecodeOn(const DeviceInfo& device);

}  // namespace acutance
