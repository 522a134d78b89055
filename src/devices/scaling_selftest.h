// The test of the kernels that bring pictures to other colors, another size, chroma or bit depth
// (exec/batch_converter.h).
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "convert/picture_conversion.h"
#include "exec/device.h"
#include "image/picture.h"

namespace acutance {

/// From pictures of one format to those of another: of its size, its chroma and its bits. Chroma samples of another
/// format lie at `to_siting`. Colors are changed first.
Result<std::shared_ptr<const PictureConversion>> MakeScaling(const PictureFormat& from, const PictureFormat& to,
                                                             const ScaleOptions& options, const ChromaSiting& to_siting,
                                                             const std::optional<ColorWeights>& colors = std::nullopt);

/// Makes the pictures on the device, as a batch, and compares all samples of planes that change with what the host
/// makes of them. The error names the first wrong sample.
Status CheckScaling(Device& device, const std::shared_ptr<const PictureConversion>& scaling,
                    std::span<const Picture> sources);

/// Seconds that the kernels take for a picture, in batches of so many.
Result<double> TimeScaling(Device& device, const std::shared_ptr<const PictureConversion>& scaling, int frames);

/// CheckScaling of small pictures of both sample sizes, with each filter, to smaller and larger ones, to other chroma,
/// to more bits and to other colors.
Status TestScaling(Device& device);

}  // namespace acutance
