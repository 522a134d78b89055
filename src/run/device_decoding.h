// Videos decoded by the GPU that scores them: NVDEC, through FFmpeg.
#pragma once

#include "base/status.h"
#include "exec/device.h"
#include "io/video_source.h"

namespace acutance {

/// Whether videos can be decoded on such a device.
bool CanDecodeOn(const DeviceInfo& device);

/// Makes the decoding of one video.
Result<DeviceDecoding> DecodeOn(const DeviceInfo& device);

}  // namespace acutance
