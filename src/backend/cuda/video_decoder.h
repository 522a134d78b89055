// NVDEC: the video engines of NVIDIA's GPUs, through the driver's own library and its parser.
#pragma once

#include <memory>

#include "backend/cuda/api.h"
#include "backend/gpu_driver/context.h"
#include "image/device_decoder.h"

namespace acutance::cuda {

using Context = gpu::Context<Api>;

/// How many engines of the device decode such videos; an error where it decodes none.
Result<int> CountEngines(Context& context, const CodedVideo& video);

/// Pictures lie in memory of `device`, which works in `context`.
Result<std::unique_ptr<DeviceDecoder>> OpenVideoDecoder(std::shared_ptr<Context> context,
                                                        std::shared_ptr<Device> device, const CodedVideo& video);

}  // namespace acutance::cuda
