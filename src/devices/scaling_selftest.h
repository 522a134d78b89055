// The test of the kernels that scale pictures (exec/batch_scaler.h).
#pragma once

#include <memory>
#include <span>

#include "base/status.h"
#include "exec/device.h"
#include "image/picture.h"
#include "scale/picture_scaling.h"

namespace acutance {

/// Scales the pictures on the device, as a batch, and compares all samples with what the host makes of them. The error
/// names the first wrong sample.
Status CheckScaling(Device& device, const std::shared_ptr<const PictureScaling>& scaling,
                    std::span<const Picture> sources);

/// Seconds that the kernels take for a picture, in batches of so many.
Result<double> TimeScaling(Device& device, const std::shared_ptr<const PictureScaling>& scaling, int frames);

/// CheckScaling of small pictures of both sample sizes, with each filter, to smaller and larger ones and to more bits.
Status TestScaling(Device& device);

}  // namespace acutance
